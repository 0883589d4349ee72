// SPDX-License-Identifier: GPL-2.0-only
/*
 * csv.c - a line a row and TEST, comma-separated (RFC 4180); docs/statistics.md explains the columns
 *
 * Rows that are not shown by default (spread between workers without change) are here too.
 */
#include <math.h>
#include <string.h>

#include "report/style.h"

static const char columns[] =
	"case,metric,unit,better,judged,base,test,paired,n_base,n_test,failed_base,failed_test,"
	"scale,base_mean,base_cov,test_mean,test_cov,effect,low,high,p,p_adjusted,verdict,"
	"further_trials,further_outcome,base_jain,test_jain,bimodal,note";

static void put_text(FILE *stream, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;

	if (quoted)
		putc('"', stream);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', stream);
		putc(*text, stream);
	}
	if (quoted)
		putc('"', stream);
}

static void text_field(FILE *stream, const char *text)
{
	put_text(stream, text ? text : "");
	putc(',', stream);
}

/* empty if there is none */
static void number_field(FILE *stream, double value)
{
	if (!isnan(value))
		fprintf(stream, "%.10g", value);
	putc(',', stream);
}

static double location(const struct sample *sample, enum effect_scale scale)
{
	return scale == EFFECT_RATIO ? sample->geometric : sample->mean;
}

static void effect_fields(FILE *stream, const struct row *row, const struct cell *cell)
{
	const struct effect *effect = &cell->effect;
	const struct sample *base = cell->compared ? &cell->base : &row->cells[0].sample;
	const struct sample *test = cell->compared ? &cell->test : &cell->sample;
	enum effect_scale scale = cell->compared ? effect->scale : EFFECT_DIFFERENCE;

	text_field(stream, cell->compared ? scale == EFFECT_RATIO ? "ratio" : "difference" : "");
	number_field(stream, location(base, scale));
	number_field(stream, base->cov);
	number_field(stream, location(test, scale));
	number_field(stream, test->cov);
	number_field(stream, cell->compared ? effect->point : NAN);
	number_field(stream, cell->compared ? effect->low : NAN);
	number_field(stream, cell->compared ? effect->high : NAN);
	number_field(stream, cell->compared ? effect->p_value : NAN);
	number_field(stream, cell->adjusted);
}

static void verdict_fields(FILE *stream, const struct cell *cell)
{
	bool further = cell->verdict == VERDICT_UNDECIDED && cell->further.trials;

	text_field(stream, verdict_name(cell->verdict));
	if (further && cell->further.trials > FURTHER_MOST)
		fprintf(stream, ">%d", FURTHER_MOST);
	else if (further)
		fprintf(stream, "%d", cell->further.trials);
	putc(',', stream);
	text_field(stream, !further ? "" : cell->further.no_change ? "equivalent" : "differs");
}

static void note_fields(FILE *stream, const struct row *row, const struct cell *cell, int side)
{
	bool base = row->cells[0].bimodal.found, test = cell->bimodal.found;

	number_field(stream, row->jain ? row->jain[0] : NAN);
	number_field(stream, row->jain ? row->jain[side] : NAN);
	text_field(stream, base && test ? "both" : base ? "base" : test ? "test" : "");
	if (row->same_as)
		fprintf(stream, "same values as %s", row->same_as);
	else if (cell->not_compared)
		put_text(stream, cell->not_compared);
	else if (cell->compared && cell->effect.no_spread)
		put_text(stream, "no spread");
	else if (cell->unavailable)
		put_text(stream, cell->unavailable);
}

static void print_line(FILE *stream, const struct table *table, const struct row *row, int side)
{
	const struct cell *cell = &row->cells[side];
	bool judged = row->role == ROLE_MAIN && row->better != BETTER_NEITHER && !row->same_as;

	text_field(stream, row->case_name);
	text_field(stream, row->metric);
	text_field(stream, row->unit);
	text_field(stream, better_name(row->better));
	text_field(stream, judged ? "yes" : "no");
	text_field(stream, table->sides[0].name);
	text_field(stream, table->sides[side].name);
	text_field(stream, row->paired ? "yes" : "no");
	fprintf(stream, "%d,%d,%d,%d,",
		cell->compared ? cell->effect.n_base : row->cells[0].sample.n,
		cell->compared ? cell->effect.n_test : cell->sample.n, row->cells[0].failed,
		cell->failed);
	effect_fields(stream, row, cell);
	verdict_fields(stream, cell);
	note_fields(stream, row, cell, side);
	fputs("\r\n", stream);
}

static void print_csv(FILE *stream, const struct table *table, const struct report_options *options)
{
	(void)options;
	fprintf(stream, "%s\r\n", columns);
	for (int i = 0; i < table->n_rows; i++)
		for (int side = 1; side < table->n_sides; side++)
			print_line(stream, table, &table->rows[i], side);
}

const struct report_style style_csv = {
	.name = "csv",
	.summary = "a line for each metric and TEST, comma-separated",
	.print = print_csv,
};
