// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "plan/internal.h"

#define COLUMNS	     78
#define SHOWN_BLOCKS 4
#define SHOWN_CASES  8 /* of a block */

/* Words filled into lines of COLUMNS; a word that is longer than a line is broken. */
struct filler {
	FILE *stream;
	int column; /* characters on this line */
	int indent; /* of the lines after the first */
	bool fresh; /* only indented yet: no space before the next word */
};

/* columns of a UTF-8 text: its characters, for the scripts that names are written in */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

static void end_line(struct filler *filler)
{
	fputc('\n', filler->stream);
}

static void continue_line(struct filler *filler)
{
	fprintf(filler->stream, "\n%*s", filler->indent, "");
	filler->column = filler->indent;
	filler->fresh = true;
}

static void put_character(struct filler *filler, const char **text)
{
	if (filler->column == COLUMNS)
		continue_line(filler);
	do
		fputc(*(*text)++, filler->stream);
	while ((**text & 0xc0) == 0x80);
	filler->column++;
}

static void put_word(struct filler *filler, const char *word)
{
	if (!filler->fresh && filler->column + 1 + width_of(word) > COLUMNS) {
		continue_line(filler);
	} else if (!filler->fresh) {
		fputc(' ', filler->stream);
		filler->column++;
	}
	filler->fresh = false;
	while (*word)
		put_character(filler, &word);
}

/* starts a line at column @first; its continuation lines are indented by @indent */
static struct filler start_line(FILE *stream, int first, int indent)
{
	struct filler filler = { .stream = stream, .indent = indent, .fresh = true };

	fprintf(stream, "%*s", first, "");
	filler.column = first;
	return filler;
}

/* the words of a printf-style text, as put_word() */
__attribute__((format(printf, 2, 3))) static void put(struct filler *filler, const char *format,
						      ...)
{
	autofree char *text = NULL;
	char *rest, *word;
	va_list args;

	va_start(args, format);
	text = memory_vformat(format, args);
	va_end(args);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		put_word(filler, word);
}

/* "850 ms", "42 s", "3 min 20 s", "2 h 5 min" */
static char *time_text(double seconds)
{
	long whole = lround(seconds);

	if (seconds < 10)
		return memory_format("%.1f s", seconds);
	if (whole < 120)
		return memory_format("%ld s", whole);
	if (whole < 7200)
		return memory_format("%ld min %ld s", whole / 60, whole % 60);
	return memory_format("%ld h %ld min", whole / 3600, whole % 3600 / 60);
}

static void print_time(FILE *stream, const struct plan *plan, int n_steps, double seconds)
{
	autofree char *runtime = text_duration_format(plan->runtime_ns);
	autofree char *warmup = text_duration_format(plan->warmup_ns);
	autofree char *total = time_text(fabs(seconds));
	double measured = (plan->runtime_ns + plan->warmup_ns) / 1e9;
	double around = n_steps ? seconds / n_steps - measured : 0;
	struct filler line = start_line(stream, 0, 2);

	if (seconds < 0) {
		autofree char *simulated = time_text(n_steps * measured);

		put(&line,
		    "Time: some trials are simulated; how long they take is known when they run.");
		put(&line, "All trials measure %s, %s each after %s of warm-up.", simulated,
		    runtime, warmup);
		end_line(&line);
		return;
	}
	put(&line, "Time: about %s.", total);
	put(&line, "A trial measures %s after %s of warm-up%s", runtime, warmup,
	    around > 0.0005 ? "" : ".");
	if (around > 0.0005)
		put(&line, "and takes about %.0f ms more.", around * 1000);
	end_line(&line);
}

static void print_head(FILE *stream, const struct plan *plan, int n_cases, int n_steps,
		       const char *const *skipped)
{
	struct filler line = start_line(stream, 0, 2);
	int n_left = plan->n_variants;

	for (int i = 0; skipped && i < plan->n_variants; i++)
		n_left -= skipped[i] != NULL;
	put(&line, "Plan %s: %d case%s x %d variant%s x %d trial%s = %d trials", plan->name,
	    n_cases, n_cases == 1 ? "" : "s", n_left, n_left == 1 ? "" : "s", plan->trials,
	    plan->trials == 1 ? "" : "s", n_cases * n_left * plan->trials);
	if (n_steps != n_cases * n_left * plan->trials)
		put(&line, "(%d missing)", n_steps);
	end_line(&line);
	line = start_line(stream, 0, 2);
	put(&line, "Seed %llu, margin %g %%, monitors", (unsigned long long)plan->seed,
	    plan->margin * 100);
	for (int i = 0; i < plan->n_monitors; i++)
		put(&line, "%s%s", plan->monitors[i],
		    i + 1 < plan->n_monitors || plan->label ? "," : "");
	if (!plan->n_monitors)
		put(&line, plan->label ? "none," : "none");
	if (plan->label)
		put(&line, "label '%s'", plan->label);
	end_line(&line);
	if (n_left < 2) {
		line = start_line(stream, 0, 2);
		put(&line,
		    "One variant: there will be nothing to compare it with but another run.");
		end_line(&line);
	}
}

static void print_machine(FILE *stream, const struct machine *machine)
{
	autofree char *usable = cpulist_format(machine->usable);
	struct filler line = start_line(stream, 0, 2);

	put(&line, "Machine %s: usable CPUs %s", machine->name, usable);
	end_line(&line);
	if (machine->quota.cpus <= 0)
		return;
	line = start_line(stream, 0, 2);
	put(&line,
	    "A cgroup quota of %.4g CPUs (%s) holds here: nr_cpus and nr_cores of a case are at",
	    machine->quota.cpus, machine->quota.path ? machine->quota.path : "cgroup");
	put(&line, "most %d.", machine_quota_cpus(machine, hwloc_bitmap_weight(machine->usable)));
	end_line(&line);
}

static void print_variant(FILE *stream, const struct plan_variant *variant, const char *skipped)
{
	struct filler line = start_line(stream, 2, 6);
	const char *const places[] = { variant->backend, variant->machine, variant->kernel };
	static const char *const place_names[] = { "backend", "machine", "kernel" };
	int n_left = variant->n_settings + !!skipped; /* phrases still to come */

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		n_left += !!places[i];
	put(&line, "%s:", variant->name);
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i])
			put(&line, "%s = %s%s", place_names[i], places[i], --n_left ? ";" : "");
	for (int i = 0; i < variant->n_settings; i++)
		put(&line, "%s = %s%s", variant->settings[i].key, variant->settings[i].value,
		    --n_left ? ";" : "");
	if (!variant->n_settings && !variant->n_places)
		put(&line, "no settings: as the machine is%s", skipped ? ";" : "");
	if (skipped)
		put(&line, "left out: %s", skipped);
	end_line(&line);
}

static void print_case(FILE *stream, const struct case_instance *instance)
{
	int n = hwloc_bitmap_weight(instance->cpus);
	struct filler line = start_line(stream, 2, 2);

	put(&line, "%s", instance->name);
	end_line(&line);
	line = start_line(stream, 6, 6);
	put(&line, "workload %s on %d CPU%s: %s", instance->workload->name, n, n == 1 ? "" : "s",
	    instance->cpus_text);
	end_line(&line);
	if (!instance->params.n)
		return;
	line = start_line(stream, 6, 6);
	for (int i = 0; i < instance->params.n; i++) {
		const struct case_load *load = &instance->load;

		put(&line, "%s=%s", instance->params.values[i].param->name,
		    instance->params.values[i].text);
		if (load->given && load->param == i)
			put(&line, "(%.12g%% of %s)", load->percent,
			    load->of_saturation ? "saturation" : "nr_cpus");
	}
	end_line(&line);
}

/* one case of a block; returns the number of its steps */
static int print_order_of_case(struct filler *line, const struct plan *plan,
			       const struct case_instance *cases, const struct plan_step *steps,
			       int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (steps[i].case_index != steps[0].case_index || steps[i].block != steps[0].block)
			break;
	}
	put(line, "%s:", cases[steps[0].case_index].name);
	for (int k = 0; k < i; k++)
		put(line, "%s%s", plan->variants[steps[k].variant_index].name,
		    k + 1 == i ? ";" : ",");
	return i;
}

static void print_order(FILE *stream, const struct plan *plan, const struct case_instance *cases,
			const struct plan_step *steps, int n_steps)
{
	int i = 0;

	for (int shown = 0; i < n_steps && shown < SHOWN_BLOCKS; shown++) {
		struct filler line = start_line(stream, 2, 6);
		int block = steps[i].block, n_cases = 0;

		put(&line, "block %d:", block);
		while (i < n_steps && steps[i].block == block) {
			if (n_cases++ < SHOWN_CASES)
				i += print_order_of_case(&line, plan, cases, steps + i,
							 n_steps - i);
			else
				i++;
		}
		if (n_cases > SHOWN_CASES)
			put(&line, "...");
		end_line(&line);
	}
	if (i < n_steps)
		fprintf(stream, "  and so on to block %d\n", steps[n_steps - 1].block);
}

void plan_print(FILE *stream, const struct plan *plan, const struct machine *machine,
		const struct case_instance *cases, int n_cases, const struct plan_step *steps,
		int n_steps, const char *const *skipped, double seconds)
{
	print_head(stream, plan, n_cases, n_steps, skipped);
	print_time(stream, plan, n_steps, seconds);
	print_machine(stream, machine);
	fprintf(stream, "\nVariants\n");
	for (int i = 0; i < plan->n_variants; i++)
		print_variant(stream, &plan->variants[i], skipped ? skipped[i] : NULL);
	fprintf(stream, "\nCases\n");
	for (int i = 0; i < n_cases; i++)
		print_case(stream, &cases[i]);
	fprintf(stream, "\nOrder of the trials\n");
	print_order(stream, plan, cases, steps, n_steps);
}
