// SPDX-License-Identifier: GPL-2.0-only
/*
 * calibration - false alarms and power of the rules in use, on the same generated machines
 *
 * fairtrial's trials are interleaved, as `run` makes them; those of the others are made one variant after
 * the other, as the tools that use these rules do. Equal seeds: the output is always the same.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "stats/effect.h"
#include "stats/sample.h"

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#define MOST	20   /* trials a variant */
#define REPEATS 4000 /* of each figure: its standard error is below 0.8 points, 0.35 at 5 % */
#define EFFECT	1.03

static double uniform(struct random *random)
{
	return ((random_next(random) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct random *random)
{
	double radius = sqrt(-2 * log(uniform(random)));

	return radius * cos(2 * M_PI * uniform(random));
}

/* ---- machines: the logarithm of a trial's time, by what the machine was like before ---- */

struct machine {
	struct random random;
	double state;
};

static double steady(struct machine *machine)
{
	return 0.02 * normal(&machine->random);
}

/* now and then something else runs too */
static double skewed(struct machine *machine)
{
	return log1p(-0.03 * log(uniform(&machine->random)));
}

/* two ways to be placed, 8 % apart */
static double bimodal(struct machine *machine)
{
	return (uniform(&machine->random) < 0.3 ? 0.08 : 0) + 0.005 * normal(&machine->random);
}

/* it warms up: each trial takes 0.3 % longer than the last */
static double drifting(struct machine *machine)
{
	machine->state += 0.003;
	return machine->state + 0.01 * normal(&machine->random);
}

/* what disturbs one trial disturbs the next ones: autocorrelation 0.8 */
static double correlated(struct machine *machine)
{
	machine->state = 0.8 * machine->state + 0.012 * normal(&machine->random);
	return machine->state;
}

static const struct {
	const char *name;
	double (*next)(struct machine *machine);
} machines[] = {
	{ "steady", steady },	  { "skewed", skewed },		{ "two modes", bimodal },
	{ "drifting", drifting }, { "correlated", correlated },
};

/* ---- rules: do they see a difference between two sets of n times? ---- */

struct trials {
	double base[MOST], test[MOST];
	int n;
};

static bool paired_t(const struct trials *trials)
{
	struct effect effect;
	struct error *error = ratio_paired(trials->base, trials->test, trials->n, 0.95, &effect);

	error_free(error);
	return !error && effect.p_value <= 0.05;
}

static bool intervals_apart(const struct trials *trials)
{
	struct sample a = sample_of(trials->base, trials->n);
	struct sample b = sample_of(trials->test, trials->n);
	double t = qt(0.975, trials->n - 1, 1, 0) / sqrt(trials->n);

	return fabs(a.mean - b.mean) > t * (a.stddev + b.stddev);
}

static bool star(const struct trials *trials)
{
	struct sample a = sample_of(trials->base, trials->n);
	struct sample b = sample_of(trials->test, trials->n);

	return fabs(a.mean - b.mean) > 1.96 * (a.stddev + b.stddev);
}

static bool ranges_apart(const struct trials *trials)
{
	struct sample a = sample_of(trials->base, trials->n);
	struct sample b = sample_of(trials->test, trials->n);

	return a.max < b.min || b.max < a.min;
}

static bool mann_whitney(const struct trials *trials)
{
	int u = 0, n = trials->n;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			u += trials->test[j] > trials->base[i];
	if (u > n * n - u)
		u = n * n - u;
	return 2 * pwilcox(u, n, n, 1, 0) <= 0.05;
}

static const struct {
	const char *name;
	bool interleaved;
	bool (*sees)(const struct trials *trials);
} rules[] = {
	{ "fairtrial", true, paired_t },	 { "Mann-Whitney", false, mann_whitney },
	{ "95% CIs", false, intervals_apart },	 { "1.96 sd star", false, star },
	{ "ranges apart", false, ranges_apart },
};

static void run_trials(struct machine *machine, double (*next)(struct machine *), int n,
		       bool interleaved, double effect, struct trials *out)
{
	out->n = n;
	for (int i = 0; i < 2 * n; i++) {
		int block = i / 2;
		bool is_test = interleaved ? (i % 2 != block % 2) : i >= n;
		double time = 100 * exp(next(machine));

		if (is_test)
			out->test[interleaved ? block : i - n] = time * effect;
		else
			out->base[interleaved ? block : i] = time;
	}
}

static double share_seen(size_t machine_index, size_t rule, int n, double effect)
{
	int seen = 0;

	for (int repeat = 0; repeat < REPEATS; repeat++) {
		struct machine machine = {
			.random = random_seeded(random_mixed(machine_index + 1, repeat)),
		};
		struct trials trials;

		run_trials(&machine, machines[machine_index].next, n, rules[rule].interleaved,
			   effect, &trials);
		seen += rules[rule].sees(&trials);
	}
	return 100.0 * seen / REPEATS;
}

static void print_table(const char *title, double effect)
{
	static const int sizes[] = { 5, 10, 20 };

	printf("\n%s\n%-11s %3s", title, "machine", "n");
	for (size_t rule = 0; rule < ARRAY_SIZE(rules); rule++)
		printf(" %12s", rules[rule].name);
	putchar('\n');
	for (size_t machine = 0; machine < ARRAY_SIZE(machines); machine++) {
		for (size_t size = 0; size < ARRAY_SIZE(sizes); size++) {
			printf("%-11s %3d", size ? "" : machines[machine].name, sizes[size]);
			for (size_t rule = 0; rule < ARRAY_SIZE(rules); rule++)
				printf(" %11.1f%%", share_seen(machine, rule, sizes[size], effect));
			putchar('\n');
		}
	}
}

int main(void)
{
	print_table("false alarms: the variants are equal (aim: 5%)", 1);
	print_table("power: the test variant takes 3% longer", EFFECT);
	return 0;
}
