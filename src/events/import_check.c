// SPDX-License-Identifier: GPL-2.0-only
/*
 * import_check.c - are the parts there that a perf.data or trace.dat itself speaks of?
 *
 * The programs that read them say little about a file that was cut off. Only the tables that lead to the
 * parts are looked at. Formats: tools/perf/Documentation/perf.data-file-format.txt of Linux;
 * trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5).
 */
#include "events/import.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

/* A place in a file from which numbers and texts are taken, until something is wrong. */
struct walk {
	const struct event_source *source;
	const char *format;
	bool big; /* numbers are big endian */
	uint64_t at;
	struct error *error;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct walk *walk, const char *format, ...)
{
	autofree char *what = NULL;
	va_list args;

	if (walk->error)
		return;
	va_start(args, format);
	what = memory_vformat(format, args);
	va_end(args);
	walk->error = error_new(ERR_INPUT, "%s, byte %" PRIu64 ": this %s %s", walk->source->name,
				walk->at, walk->format, what);
}

/* are @n bytes from @at on in the file? */
static bool within(struct walk *walk, uint64_t at, uint64_t n, const char *what)
{
	uint64_t size = walk->source->size;

	if (!walk->error && (at > size || n > size - at))
		wrong(walk,
		      "is cut off or damaged: its %s should be %" PRIu64 " bytes from byte %" PRIu64
		      " on, and the file ends at byte %" PRIu64,
		      what, n, at, size);
	return !walk->error;
}

static void take(struct walk *walk, void *bytes, size_t n, const char *what)
{
	memset(bytes, 0, n);
	if (!within(walk, walk->at, n, what))
		return;
	if (event_source_read(walk->source, walk->at, bytes, n) != n)
		wrong(walk, "cannot be read there");
	walk->at += n;
}

static uint64_t take_number(struct walk *walk, size_t bytes, const char *what)
{
	unsigned char raw[8];
	uint64_t number = 0;

	take(walk, raw, bytes, what);
	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)raw[walk->big ? bytes - 1 - i : i] << 8 * i;
	return number;
}

/* a text with its NUL; what does not fit is skipped */
static void take_text(struct walk *walk, char *text, size_t size, const char *what)
{
	size_t n = 0;
	char c = 1;

	for (; c && !walk->error; n++) {
		take(walk, &c, 1, what);
		if (n < size)
			text[n] = c;
	}
	text[size - 1] = '\0';
}

static void skip(struct walk *walk, uint64_t n, const char *what)
{
	if (within(walk, walk->at, n, what))
		walk->at += n;
}

/* ---- perf.data ---- */

#define PERF_HEAD_SIZE 104 /* struct perf_file_header */
#define PERF_FEATURES  256 /* bits */
#define PERF_PIPE_SIZE 16  /* of what perf record -o - writes */

/* the parts that say what was recorded where; their table is behind the events */
static void check_features(struct walk *walk, uint64_t table)
{
	static const char what[] = "description";
	int n = 0;

	skip(walk, 16, "head"); /* event types, not used any more */
	for (int i = 0; i < PERF_FEATURES / 64; i++)
		n += __builtin_popcountll(take_number(walk, 8, "head"));
	walk->at = walk->error ? walk->at : table;
	for (int i = 0; i < n && !walk->error; i++) {
		uint64_t offset = take_number(walk, 8, "table of descriptions");
		uint64_t size = take_number(walk, 8, "table of descriptions");

		within(walk, offset, size, what);
	}
}

struct error *event_check_perf(const struct event_source *source)
{
	struct walk walk = { .source = source, .format = "perf.data" };
	static const char *const parts[] = { "table of events", "record of events" };
	uint64_t head, end = 0;
	char magic[8];

	take(&walk, magic, sizeof(magic), "signature");
	if (!walk.error && memcmp(magic, "PERFILE2", 8) != 0 && memcmp(magic, "PERFFILE", 8) != 0 &&
	    memcmp(magic, "2ELIFREP", 8) != 0)
		return error_new(ERR_INPUT, "%s, byte 0: this is no perf.data", source->name);
	walk.big = !memcmp(magic, "2ELIFREP", 8); /* as a big-endian machine writes it */
	head = take_number(&walk, 8, "head");
	if (head == PERF_PIPE_SIZE)
		return walk.error;
	within(&walk, 0, PERF_HEAD_SIZE, "head");
	skip(&walk, 8, "head");
	for (int i = 0; i < 2; i++) {
		uint64_t offset = take_number(&walk, 8, "head");
		uint64_t size = take_number(&walk, 8, "head");

		if (i == 1 && !walk.error && !size)
			wrong(&walk, "was not ended by perf record, which was killed: it tells no "
				     "size of its events");
		within(&walk, offset, size, parts[i]);
		end = offset + size;
	}
	check_features(&walk, end);
	return walk.error;
}

/* ---- trace.dat, version 6 ---- */

static void check_formats(struct walk *walk)
{
	static const char what[] = "descriptions of events";
	uint64_t n = take_number(walk, 4, what);

	for (uint64_t i = 0; i < n && !walk->error; i++)
		skip(walk, take_number(walk, 8, what), what);
}

static void check_head_6(struct walk *walk)
{
	static const char head[] = "head", systems[] = "descriptions of events";
	char text[16];
	uint64_t n;

	for (int i = 0; i < 2; i++) {
		take_text(walk, text, sizeof(text), head);
		if (!walk->error && strcmp(text, i ? "header_event" : "header_page") != 0)
			wrong(walk, "is damaged: '%s' is missing",
			      i ? "header_event" : "header_page");
		skip(walk, take_number(walk, 8, head), head);
	}
	check_formats(walk);
	n = take_number(walk, 4, systems);
	for (uint64_t i = 0; i < n && !walk->error; i++) {
		take_text(walk, text, sizeof(text), systems);
		check_formats(walk);
	}
	skip(walk, take_number(walk, 4, "kernel symbols"), "kernel symbols");
	skip(walk, take_number(walk, 4, "printk formats"), "printk formats");
	skip(walk, take_number(walk, 8, "names of tasks"), "names of tasks");
}

static void check_options(struct walk *walk)
{
	while (!walk->error && take_number(walk, 2, "options"))
		skip(walk, take_number(walk, 4, "options"), "options");
}

/* where the events of a CPU are */
static void check_cpu(struct walk *walk, uint64_t cpu)
{
	uint64_t offset = take_number(walk, 8, "table of CPUs");
	uint64_t size = take_number(walk, 8, "table of CPUs");
	autofree char *what = memory_format("record of CPU %" PRIu64, cpu);

	within(walk, offset, size, what);
}

static void check_6(struct walk *walk)
{
	char kind[10] = "";
	uint64_t n_cpus;

	check_head_6(walk);
	n_cpus = take_number(walk, 4, "number of CPUs");
	take(walk, kind, sizeof(kind), "kind of record");
	if (!walk->error && !memcmp(kind, "options  ", sizeof(kind))) {
		check_options(walk);
		take(walk, kind, sizeof(kind), "kind of record");
	}
	if (walk->error || !memcmp(kind, "latency  ", sizeof(kind)))
		return;
	if (memcmp(kind, "flyrecord", sizeof(kind)) != 0)
		wrong(walk, "is damaged: neither 'flyrecord' nor 'latency' follows");
	for (uint64_t cpu = 0; cpu < n_cpus && !walk->error; cpu++)
		check_cpu(walk, cpu);
}

/* ---- trace.dat, version 7 ---- */

enum {
	OPTION_DONE = 0,
	OPTION_BUFFER = 3
};

#define SECTION_COMPRESSED 1
#define SECTIONS_MOST	   1000 /* of options; a chain that is longer goes in a circle */

static void check_buffer(struct walk *walk)
{
	char text[16];
	uint64_t n;

	within(walk, take_number(walk, 8, "options"), 16, "record of events");
	take_text(walk, text, sizeof(text), "options");
	take_text(walk, text, sizeof(text), "options");
	skip(walk, 4, "options");
	n = take_number(walk, 4, "options");
	for (uint64_t i = 0; i < n && !walk->error; i++)
		check_cpu(walk, take_number(walk, 4, "table of CPUs"));
}

/* the options of a section up to the last, which tells where the next section is; 0: there is none */
static uint64_t check_section(struct walk *walk)
{
	static const char what[] = "options";
	uint64_t id = take_number(walk, 2, what), flags = take_number(walk, 2, what), size;

	skip(walk, 4, what);
	size = take_number(walk, 8, what);
	if (!walk->error && id)
		wrong(walk, "is damaged: its options are not there");
	if (!within(walk, walk->at, size, what) || flags & SECTION_COMPRESSED)
		return 0; /* what is compressed is left to libtracecmd */
	while (!walk->error) {
		uint64_t option = take_number(walk, 2, what), length = take_number(walk, 4, what);
		uint64_t begin = walk->at;

		if (option == OPTION_DONE)
			return take_number(walk, 8, what);
		if (option == OPTION_BUFFER)
			check_buffer(walk);
		walk->at = begin;
		skip(walk, length, what);
	}
	return 0;
}

static void check_7(struct walk *walk)
{
	char text[16];

	take_text(walk, text, sizeof(text), "head");
	take_text(walk, text, sizeof(text), "head");
	walk->at = take_number(walk, 8, "head");
	for (int i = 0; i < SECTIONS_MOST && !walk->error && walk->at; i++)
		walk->at = check_section(walk);
}

struct error *event_check_trace_dat(const struct event_source *source)
{
	struct walk walk = { .source = source, .format = "trace.dat (trace-cmd)" };
	char magic[10], version[8];

	take(&walk, magic, sizeof(magic), "signature");
	if (!walk.error && memcmp(magic, "\x17\x08\x44tracing", sizeof(magic)) != 0)
		return error_new(ERR_INPUT, "%s, byte 0: this is no trace.dat", source->name);
	take_text(&walk, version, sizeof(version), "version");
	walk.big = take_number(&walk, 1, "head") == 1;
	skip(&walk, 5, "head");
	if (!walk.error && !strcmp(version, "6"))
		check_6(&walk);
	else if (!walk.error && !strcmp(version, "7"))
		check_7(&walk);
	else
		wrong(&walk, "is damaged or newer: its version is not 6 or 7");
	return walk.error;
}
