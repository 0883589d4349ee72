# SPDX-License-Identifier: GPL-2.0-only
# A run as `fairtrial export` writes it, from lines "VARIANT=V1,V2,...": a value of ops a block; "x" is
# a trial that failed, "-" one without the value. Variables: label, unit, program, backend, params, margin.

{
	split($0, parts, "=")
	names[NR] = parts[1]
	count[NR] = split(parts[2], values, ",")
	for (i = 1; i <= count[NR]; i++)
		value[NR, i] = values[i]
}

function variant(v) {
	return sprintf("{\"name\":\"%s\",\"settings\":{},\"backend\":\"%s\",\"machine\":\"live\"," \
		       "\"kernel\":null,\"skipped\":null}", names[v], backend)
}

function metric(name, unit, better, value) {
	return sprintf("{\"name\":\"%s\",\"unit\":\"%s\",\"better\":\"%s\",\"version\":1," \
		       "\"value\":%s,\"unavailable\":%s,\"workers\":null}", name, unit, better, \
		       value == "-" ? "null" : sprintf("%.1f", value), \
		       value == "-" ? "\"no counter here\"" : "null")
}

function trial(v, i, position) {
	failed = value[v, i] == "x"
	return sprintf("{\"type\":\"trial\",\"run\":\"%s\",\"case\":\"spawn\",\"variant\":\"%s\"," \
		       "\"block\":%d,\"position\":%d,\"seed\":\"1\",\"status\":\"%s\",\"reason\":%s," \
		       "\"started\":1790000001.0,\"duration\":10.0,\"environment\":{}," \
		       "\"metrics\":[%s%s]}", id, names[v], i - 1, position, \
		       failed ? "failed" : "ok", failed ? "\"worker 2 died of signal 9\"" : "null", \
		       failed ? "" : metric("ops", unit, "higher", value[v, i]) ",", \
		       metric("idle", "%", "neither", v))
}

END {
	# the same label, the same identity
	id = sprintf("%08d-2222-4333-8444-%012d", length(label), substr(label, length(label)))
	printf "{\"type\":\"header\",\"format\":\"fairtrial\",\"schema\":1}\n"
	printf "{\"type\":\"run\",\"identity\":\"%s\",\"label\":\"%s\",\"plan\":\"%s\",", id, label, label
	printf "\"plan_text\":\"[plan]\\nmargin = %s\\n\",\"tool_version\":\"0.1.0\",", margin
	printf "\"started\":1790000000.0,\"seed\":\"1\",\"trials_planned\":10,\"complete\":true,"
	printf "\"environment\":{\"kernel_release\":\"6.13.1\",\"cpu\":{\"model\":\"Graviton2\"},"
	printf "\"machine\":{\"name\":\"live\",\"nr_cpus\":4,\"nr_nodes\":1}},"
	printf "\"cases\":[{\"name\":\"spawn\",\"workload\":\"fixture\",\"workload_version\":1,"
	printf "\"program_version\":%s,\"params\":{%s},\"cpus\":\"0-3\"}],", program, params
	for (v = 1; v <= NR; v++)
		printf "%s%s", (v == 1 ? "\"variants\":[" : ","), variant(v)
	printf "]}\n"
	for (v = 1; v <= NR; v++)
		for (i = 1; i <= count[v]; i++)
			print trial(v, i, n++)
	printf "{\"type\":\"end\",\"runs\":1,\"trials\":%d}\n", n
}
