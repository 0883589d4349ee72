// SPDX-License-Identifier: GPL-2.0-only
#include "fixture.h"

/* what plan_print() prints of a plan on a machine; the time is that of 1.1 s a trial */
static char *printed(const char *machine_name, double quota, const char *text,
		     const char *const *skipped)
{
	struct case_instance *cases = NULL;
	struct machine *machine = NULL;
	struct plan_step *steps;
	struct plan *plan = NULL;
	char *out = NULL;
	size_t length;
	FILE *stream = open_memstream(&out, &length);
	bool left_out[8] = { 0 };
	int n, n_steps;

	ck_assert_ptr_nonnull(stream);
	ck_no_error(machine_open(machine_name, &machine));
	machine->quota.cpus = quota;
	ck_no_error(fixture_read(text, NULL, &plan));
	ck_no_error(plan_expand(plan, machine, &cases, &n));
	for (int i = 0; i < plan->n_variants; i++)
		left_out[i] = skipped && skipped[i];
	plan_schedule(plan, n, left_out, &steps, &n_steps);
	plan_print(stream, plan, machine, cases, n, steps, n_steps, skipped, n_steps * 1.1);
	fclose(stream);
	free(steps);
	case_instances_free(cases, n);
	plan_free(plan);
	machine_close(machine);
	return out;
}

#define ck_contains(text, part) ck_assert_msg(strstr(text, part), "no '%s' in:\n%s", part, text)

static void ck_narrow(const char *text)
{
	for (const char *at = text; *at;) {
		const char *end = strchrnul(at, '\n');
		int width = 0;

		for (const char *c = at; c < end; c++)
			width += (*c & 0xc0) != 0x80;
		ck_assert_msg(width <= 78, "%d columns: %.*s", width, (int)(end - at), at);
		ck_assert_msg(end == at || end[-1] != ' ', "ends with a space: %.*s",
			      (int)(end - at), at);
		at = *end ? end + 1 : end;
	}
}

START_TEST(a_small_plan_is_shown_whole)
{
	autofree char *text = printed("core:2 pu:1", 0,
				      "[plan]\ntrials = 2\nruntime = 1s\nwarmup = 50ms\n"
				      "monitor = cpu, sched\nlabel = first\n"
				      "[variant base]\n[variant slow]\nnice = 5\nenv.A = b c\n"
				      "[case c]\nworkload = beat\n",
				      NULL);

	ck_assert_str_eq(
		text,
		"Plan f: 1 case x 2 variants x 2 trials = 4 trials\n"
		"Seed 1, margin 1 %, monitors cpu, sched, label 'first'\n"
		"Time: about 4.4 s. A trial measures 1s after 50ms of warm-up and takes about\n"
		"  50 ms more.\n"
		"Machine synthetic: usable CPUs 0-1\n"
		"\n"
		"Variants\n"
		"  base: no settings: as the machine is\n"
		"  slow: nice = 5; env.A = b c\n"
		"\n"
		"Cases\n"
		"  c\n"
		"      workload beat on 2 CPUs: 0-1\n"
		"      workers=2 size=64K sleep=0ns mode=pipe exec=no\n"
		"\n"
		"Order of the trials\n"
		"  block 0: c: base, slow;\n"
		"  block 1: c: slow, base;\n");
}
END_TEST

START_TEST(variants_that_are_left_out_say_why)
{
	static const char *const skipped[] = { NULL, "feature.X needs root", NULL };
	autofree char *text = printed("core:2 pu:1", 0,
				      "[variant a]\n[variant b]\nfeature.X = 1\n[variant c]\n"
				      "[case c]\nworkload = beat\n",
				      skipped);

	ck_contains(text, "1 case x 2 variants x 10 trials = 20 trials\n");
	ck_contains(text, "  b: feature.X = 1; left out: feature.X needs root\n");
	ck_contains(text, "  and so on to block 9\n");
	ck_assert_ptr_null(strstr(text, "b, "));
}
END_TEST

START_TEST(a_quota_is_said)
{
	autofree char *text =
		printed("core:4 pu:1", 1.5, "[variant a]\n[case c]\nworkload = beat\n", NULL);

	ck_contains(text, "A cgroup quota of 1.5 CPUs");
	ck_contains(text, "most 2.\n");
	ck_contains(text, "workers=2 ");
	ck_contains(text, "One variant: there will be nothing to compare it with");
}
END_TEST

START_TEST(nothing_is_wider_than_78_columns)
{
	autofree char *text = printed(
		"pack:2 numa:2 l3:2 core:4 pu:2", 2.25,
		"[plan]\nmonitor = a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, "
		"v, w, x, y, z\nlabel = a label of some words that is not exactly short either\n"
		"[variant a-name-of-forty-eight-characters-and-no-more-x]\n"
		"env.LONG = 0123456789012345678901234567890123456789012345678901234567890123456789"
		"01234567890123456789012345678901234567890123456789012345678901234567890123456789\n"
		"[variant b]\nenv.X = \xc3\xa9\xc3\xa9\xc3\xa9 \xe2\x82\xac and words, words, "
		"words, words, words, words, words, words, words, words\n"
		"[case a-case-of-forty-eight-characters-and-no-more-xx]\nworkload = beat\n"
		"workers = 1..4\nmode = pipe, socket\ncpus = simple\n",
		NULL);

	ck_narrow(text);
	ck_contains(text, "...\n");
}
END_TEST

UNIT_TESTS("print", a_small_plan_is_shown_whole, variants_that_are_left_out_say_why,
	   a_quota_is_said, nothing_is_wider_than_78_columns)
