// SPDX-License-Identifier: GPL-2.0-only
#include "workload/loadfile_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * Arguments: h a handle, p a path, t the path of rename's TO, c a path whose last component changes,
 * o an offset, s a size of a read or write, z the size of a file, w a time
 */
static const struct operation {
	const char *word;
	enum step_kind kind;
	enum file_op op;
	const char *arguments, *form;
} operations[] = {
	{ "folder", STEP_FOLDER, FILE_MKDIR, "p", "folder PATH" },
	{ "file", STEP_PRESENT, FILE_CREATE, "pz", "file PATH SIZE" },
	{ "create", STEP_FILE, FILE_CREATE, "hc", "create HANDLE PATH" },
	{ "open", STEP_FILE, FILE_OPEN, "hp", "open HANDLE PATH" },
	{ "close", STEP_FILE, FILE_CLOSE, "h", "close HANDLE" },
	{ "read", STEP_FILE, FILE_READ, "hos", "read HANDLE OFFSET SIZE" },
	{ "write", STEP_FILE, FILE_WRITE, "hos", "write HANDLE OFFSET SIZE" },
	{ "flush", STEP_FILE, FILE_FLUSH, "h", "flush HANDLE" },
	{ "status", STEP_FILE, FILE_STATUS, "h", "status HANDLE" },
	{ "stat", STEP_FILE, FILE_STAT, "p", "stat PATH" },
	{ "missing", STEP_MISSING, FILE_STAT, "p", "missing PATH" },
	{ "touch", STEP_FILE, FILE_TOUCH, "p", "touch PATH" },
	{ "list", STEP_FILE, FILE_LIST, "p", "list PATH" },
	{ "space", STEP_FILE, FILE_SPACE, "p", "space PATH" },
	{ "rename", STEP_FILE, FILE_RENAME, "ct", "rename PATH TO" },
	{ "unlink", STEP_FILE, FILE_UNLINK, "c", "unlink PATH" },
	{ "mkdir", STEP_FILE, FILE_MKDIR, "c", "mkdir PATH" },
	{ "rmdir", STEP_FILE, FILE_RMDIR, "c", "rmdir PATH" },
	{ "think", STEP_THINK, FILE_STAT, "w", "think TIME" },
};

#define MAX_WORDS 5

/* The text while it is read. */
struct reading {
	struct loadfile *list;
	char **lines;
	int n_lines;
	int iteration; /* of a repeat, 0: outside of one */
};

/* ---- words ---- */

/* splits at blanks, in place, up to a comment; MAX_WORDS when there are more than fit */
static int split_words(char *line, char **words)
{
	char *rest = NULL;
	int n = 0;

	for (char *word = strtok_r(line, " \t\r", &rest); word && *word != '#' && n < MAX_WORDS;
	     word = strtok_r(NULL, " \t\r", &rest))
		words[n++] = word;
	return n;
}

static const struct operation *find_operation(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (!strcmp(operations[i].word, word))
			return &operations[i];
	return NULL;
}

static struct error *unknown(const char *word)
{
	const char *words[ARRAY_SIZE(operations) + 3], *near;
	size_t n = 0;

	for (; n < ARRAY_SIZE(operations); n++)
		words[n] = operations[n].word;
	words[n++] = "repeat";
	words[n++] = "end";
	words[n] = NULL;
	near = text_nearest(word, words);
	return error_new(ERR_INPUT, "there is no operation '%s'%s%s%s", word,
			 near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}

const char *loadfile_word(const struct step *step)
{
	for (size_t i = 0; i < ARRAY_SIZE(operations); i++)
		if (operations[i].kind == step->kind && operations[i].op == step->op)
			return operations[i].word;
	return "?";
}

/* ---- paths ---- */

static struct error *bad_path(const char *path, const char *why)
{
	return error_new(ERR_INPUT, "path '%s': %s", path, why);
}

static struct error *check_component(const char *path, const char *start, size_t length)
{
	if (!length)
		return bad_path(path, "an empty name between two '/' or at an end");
	if ((length == 1 && start[0] == '.') || (length == 2 && start[0] == '.' && start[1] == '.'))
		return bad_path(path, "'.' stands alone for the client's folder, '..' is not "
				      "accepted");
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = start[i];

		if (byte < ' ' || byte == 0x7f)
			return error_new(ERR_INPUT, "a control character in a path");
		if (byte == '$' && (i + 1 == length || !strchr("ic", start[i + 1])))
			return bad_path(path, "behind '$' only c (the client) and i (of repeat) "
					      "are accepted");
	}
	return NULL;
}

static bool is_top(const char *path)
{
	return !strcmp(path, ".") || !strcmp(path, "/");
}

static struct error *check_path(const char *path)
{
	const char *start = path + (*path == '/');
	struct error *error = NULL;

	if (strlen(path) >= LOADFILE_PATH)
		return error_new(ERR_INPUT, "a path of %zu bytes: up to %d are accepted",
				 strlen(path), LOADFILE_PATH - 1);
	if (is_top(path))
		return NULL;
	while (!error) {
		size_t length = strcspn(start, "/");

		error = check_component(path, start, length);
		if (!start[length])
			break;
		start += length + 1;
	}
	return error;
}

/* a name in the shared folder that operations change must be the client's own */
static struct error *check_changed(const char *path)
{
	const char *last = strrchr(path, '/');

	if (is_top(path))
		return bad_path(path, "the top folder stays");
	if (*path == '/' && !strstr(last, "$c"))
		return bad_path(path, "a name that clients change in the folder they share needs "
				      "$c, the client's number");
	return NULL;
}

static char *replaced(const char *path, const char *what, int number)
{
	const char *at = strstr(path, what);
	autofree char *rest = NULL;

	if (!at)
		return memory_string(path);
	rest = replaced(at + 2, what, number);
	return memory_format("%.*s%d%s", (int)(at - path), path, number, rest);
}

char *loadfile_path(const char *path, int client)
{
	autofree char *own = replaced(path, "$c", client);

	if (!strcmp(path, "."))
		return memory_format("c%d", client);
	if (!strcmp(path, "/"))
		return memory_string("shared");
	return *own == '/' ? memory_format("shared%s", own) : memory_format("c%d/%s", client, own);
}

static struct error *read_path(const struct reading *reading, const char *word, char **out)
{
	struct error *error = check_path(word);

	if (error)
		return error;
	if (!reading->iteration && strstr(word, "$i"))
		return bad_path(word, "$i has a value within repeat ... end alone");
	*out = replaced(word, "$i", reading->iteration);
	return NULL;
}

/* ---- a line ---- */

static struct error *read_size(const char *word, uint64_t most, uint64_t *out)
{
	struct error *error = text_size(word, out);

	if (error)
		return error;
	if (*out < 1 || *out > most) {
		autofree char *limit = text_size_format(most);

		return error_new(ERR_INPUT, "%s bytes: 1 to %s are accepted", word, limit);
	}
	return NULL;
}

static struct error *read_argument(const struct reading *reading, char kind, const char *word,
				   struct step *step)
{
	struct error *error;
	int64_t handle;

	switch (kind) {
	case 'h':
		error = text_integer(word, 0, LOADFILE_HANDLES - 1, &handle);
		if (!error)
			step->handle = (int)handle;
		return error ? error_prefix(error, "handle") : NULL;
	case 'o':
		return text_size(word, &step->offset);
	case 's':
		return read_size(word, FILE_IO_MAX, &step->size);
	case 'z':
		return read_size(word, (uint64_t)1 << 40, &step->size);
	case 'w':
		return text_duration(word, &step->size);
	case 't':
		error = check_changed(word);
		return error ? error : read_path(reading, word, &step->to);
	case 'c':
		error = check_changed(word);
		return error ? error : read_path(reading, word, &step->path);
	default:
		return read_path(reading, word, &step->path);
	}
}

static struct step *append(struct loadfile *list, enum step_kind kind)
{
	if (kind == STEP_FOLDER || kind == STEP_PRESENT)
		return array_append(list->present, list->n_present);
	return array_append(list->steps, list->n_steps);
}

static struct error *read_step(const struct reading *reading, int line, char *const *words, int n)
{
	const struct operation *operation = find_operation(words[0]);
	struct loadfile *list = reading->list;
	struct error *error = NULL;
	struct step *step;

	if (!operation)
		return unknown(words[0]);
	if (n - 1 != (int)strlen(operation->arguments))
		return error_new(ERR_INPUT, "'%s' has the form: %s", operation->word,
				 operation->form);
	if (list->n_steps + list->n_present == LOADFILE_STEPS)
		return error_new(ERR_INPUT, "more than %d operations", LOADFILE_STEPS);
	step = append(list, operation->kind);
	step->kind = operation->kind;
	step->op = operation->op;
	step->line = line;
	for (int i = 1; i < n && !error; i++)
		error = read_argument(reading, operation->arguments[i - 1], words[i], step);
	return error;
}

/* ---- blocks ---- */

static int find_end(const struct reading *reading, int from)
{
	for (int i = from; i < reading->n_lines; i++) {
		autofree char *line = memory_string(reading->lines[i]);
		char *words[MAX_WORDS];

		if (split_words(line, words) && !strcmp(words[0], "end"))
			return i;
	}
	return -1;
}

static struct error *read_lines(struct reading *reading, int from, int to);

/* *at is the line of `repeat`, afterwards that of `end` */
static struct error *read_repeat(struct reading *reading, int *at, char *const *words, int n)
{
	int end = find_end(reading, *at + 1);
	struct error *error = NULL;
	int64_t times;

	if (n != 2)
		return error_new(ERR_INPUT, "'repeat' has the form: repeat N");
	if (reading->iteration)
		return error_new(ERR_INPUT, "a repeat within a repeat is not accepted");
	error = text_integer(words[1], 1, LOADFILE_STEPS, &times);
	if (error)
		return error;
	if (end < 0)
		return error_new(ERR_INPUT, "'repeat' without 'end'");
	if (end == *at + 1)
		return error_new(ERR_INPUT, "nothing between 'repeat' and 'end'");
	for (int i = 1; i <= times && !error; i++) {
		reading->iteration = i;
		error = read_lines(reading, *at + 1, end);
	}
	reading->iteration = 0;
	*at = end;
	return error;
}

static struct error *read_line(struct reading *reading, int *at)
{
	autofree char *line = memory_string(reading->lines[*at]);
	char *words[MAX_WORDS];
	int n = split_words(line, words);

	if (!n)
		return NULL;
	if (!strcmp(words[0], "repeat"))
		return read_repeat(reading, at, words, n);
	if (!strcmp(words[0], "end"))
		return error_new(ERR_INPUT, "'end' without 'repeat'");
	return read_step(reading, *at + 1, words, n);
}

static struct error *read_lines(struct reading *reading, int from, int to)
{
	for (int i = from; i < to; i++) {
		int line = i + 1;
		struct error *error = read_line(reading, &i), *at;

		if (!error)
			continue;
		if (error->file)
			return error;
		at = error_at(ERR_INPUT, reading->list->name, line, "%s", error->message);
		error_free(error);
		return at;
	}
	return NULL;
}

/* ---- the whole ---- */

static struct error *read_text(struct loadfile *list, const char *text)
{
	struct reading reading = { .list = list };
	struct error *error;

	reading.lines = text_split(text, '\n', &reading.n_lines);
	error = read_lines(&reading, 0, reading.n_lines);
	text_split_free(reading.lines, reading.n_lines);
	if (!error && !list->n_steps)
		error = error_at(ERR_INPUT, list->name, 0, "the list has no operation to replay");
	return error ? error : loadfile_check(list);
}

struct error *loadfile_parse(const char *name, const char *text, size_t length,
			     struct loadfile **out)
{
	struct loadfile *list = memory_zeroed(1, sizeof(*list));
	struct error *error;

	list->name = memory_string(name);
	if (!text_is_utf8(text, length))
		error = error_at(ERR_INPUT, name, 0, "this is no text in UTF-8");
	else
		error = read_text(list, text);
	if (error) {
		loadfile_free(list);
		return error;
	}
	*out = list;
	return NULL;
}

struct error *loadfile_open(const char *name, struct loadfile **out)
{
	struct error *error;
	size_t length;
	char *text;

	if (!strcmp(name, "office"))
		return loadfile_parse("office", loadfile_office, strlen(loadfile_office), out);
	error = file_read(name, &text, &length);
	if (error)
		return error_prefix(error, "a list of file operations ('office' is built in)");
	error = loadfile_parse(name, text, length, out);
	free(text);
	return error;
}

static void steps_free(struct step *steps, int n)
{
	for (int i = 0; i < n; i++) {
		free(steps[i].path);
		free(steps[i].to);
	}
	free(steps);
}

void loadfile_free(struct loadfile *list)
{
	if (!list)
		return;
	steps_free(list->present, list->n_present);
	steps_free(list->steps, list->n_steps);
	free(list->name);
	free(list);
}
