# SPDX-License-Identifier: GPL-2.0-only
"""The figures that the sources published, for docs/make-sources; nothing here is ours."""

# Report to the stable list, 2026-07-15: case, machine, change of Perf, CoV before, after.
SOURCE_1 = [
    ("zen5c", "2x EPYC 9845, 384 workers on nodes 0-11", "1.19x", "63.4 %", "6.8 %"),
    ("zen4c", "EPYC 8534P, 96 on nodes 0-5", "1.04x", "13.0 %", "1.4 %"),
    ("zen2", "EPYC 7502P, 40 on nodes 0-4", "1.03x", "7.0 %", "0.1 %"),
]

# Report to the kernel list, 2025-02-05: case, machine, and of each kernel: variant, words, lps, change, idle
# (100 - user - system). "autogroup off" of the report is a kernel without it, see the text.
SOURCE_2 = [
    ("arm64", "arm64 (m6g.xlarge)", [
        ("without", "6.12 as it is", "28,677", "", "0.1 %"),
        ("with", "with the early return", "19,861", "-30.7 %", "17.9 %"),
        ("without-autogroup-off", "as it is, autogroup off", "19,878", "-30.7 %", "17.7 %"),
        ("with-autogroup-off", "early return, autogroup off", "20,086", "-30.0 %", "17.9 %"),
        ("with-in-root-group", "early return, in the root group, autogroup on", "-", "-", "-"),
    ]),
    ("x86-64", "x86-64 (m6a.xlarge)", [
        ("without", "6.12 as it is", "27,776", "", "0.0 %"),
        ("with", "with the early return", "25,021", "-9.9 %", "2.7 %"),
        ("without-autogroup-off", "as it is, autogroup off", "24,974", "-10.1 %", "2.6 %"),
        ("with-autogroup-off", "early return, autogroup off", "24,922", "-10.3 %", "2.7 %"),
        ("with-in-root-group", "early return, in the root group, autogroup on", "-", "-", "-"),
    ]),
]

# Commit e496132ebedd, and for triad in NPS1, 2 and 4 another tester's answer to it: case, metric, unit, and by the
# value that is swept: old, new, change.
SOURCE_3 = [
    ("stream-nps1", "copy", "MB/s", {"": ("162,597", "580,560", "+257.1 %")}),
    ("stream-nps1", "scale", "MB/s", {"": ("136,901", "374,451", "+173.5 %")}),
    ("stream-nps1", "add", "MB/s", {"": ("157,301", "564,114", "+258.6 %")}),
    ("stream-nps1", "triad", "MB/s", {"": ("151,446", "564,304", "+272.6 %; +70 % (tester)")}),
    ("stream-nps2", "triad", "MB/s", {"": ("-", "-", "+237 % (tester)")}),
    ("stream-nps4", "triad", "MB/s", {"": ("-", "-", "+364 % (tester)")}),
    ("core-nps1", "blocks", "1/s", {"": ("388,607", "427,877", "+10.1 % (CoreMark)")}),
    ("core-nps4", "blocks", "1/s", {}),
    ("warehouse-nps1", "transactions", "1/s", {
        "8": ("582,759", "556,777", "-4.5 %"),
        "16": ("1,020,373", "1,009,995", "-1.0 %"),
        "32": ("1,687,703", "1,671,357", "-1.0 %"),
        "48": ("1,972,732", "2,333,234", "+18.3 %"),
        "64": ("2,909,475", "2,925,075", "+0.5 %"),
        "96": ("3,052,395", "2,784,743", "-8.8 %"),
        "128": ("2,871,714", "2,750,137", "-4.2 %"),
    }),
    ("ep-nps1", "time", "s", {"": ("31.86", "26.17", "-17.9 % (class D)")}),
    ("ep-nps4", "time", "s", {}),
]

# The thread of January 2026, schbench on a Graviton3: (messengers, workers): requests a second of 6.19-rc1
# and what reverting the new implementation changes; wakeup latency p99 in us, and the same. Positive is
# better; (R): 95 % intervals do not overlap.
SOURCE_4 = {
    (16, 1): ("1263.97", "-6.43%", "3.00", "0.00%"),
    (16, 4): ("6433.07", "-10.99%", "4.17", "(R) -16.67%"),
    (16, 16): ("1458.33", "-1.57%", "14240.00", "-5.97%"),
    (16, 64): ("434.22", "3.21%", "63168.00", "-2.87%"),
    (32, 1): ("2828.63", "2.58%", "3.00", "0.00%"),
    (32, 4): ("3182.15", "5.18%", "6186.67", "(R) -5.34%"),
    (32, 16): ("749.20", "2.91%", "33514.67", "0.24%"),
    (32, 64): ("392.23", "3.42%", "120618.67", "-3.22%"),
    (64, 1): ("5951.15", "5.02%", "3.67", "-4.35%"),
    (64, 4): ("1510.23", "-1.38%", "14890.67", "-10.44%"),
    (64, 16): ("458.87", "4.60%", "63445.33", "(R) -5.48%"),
    (64, 64): ("541.33", "2.65%", "211370.67", "-1.94%"),
}
