// SPDX-License-Identifier: GPL-2.0-only
#include "task/program.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "task/team.h"

struct error *team_program(struct team *team, const char *const *argv, uint64_t limit_ns,
			   struct folder *folder)
{
	static const char *const names[N_PROGRAM_STREAMS] = { "stdout", "stderr", "result" };
	struct program *program = memory_zeroed(1, sizeof(*program));

	program->limit_ns = limit_ns;
	program->folder = folder;
	program->end = team_shared(team, sizeof(*program->end));
	for (int i = 0; i < N_PROGRAM_STREAMS; i++)
		program->files[i] = -1;
	while (argv[program->n_argv])
		program->n_argv++;
	program->argv = memory_zeroed(program->n_argv + 1, sizeof(*program->argv));
	for (int i = 0; i < program->n_argv; i++)
		program->argv[i] = memory_string(argv[i]);
	for (int i = 0; i < N_PROGRAM_STREAMS; i++) {
		program->files[i] = memfd_create(names[i], MFD_CLOEXEC);
		if (program->files[i] < 0) {
			struct error *error = error_errno("cannot make a memory file");

			program_free(program);
			return error;
		}
	}
	team->program = program;
	return NULL;
}

struct program *team_own_program(const struct team *team)
{
	return team->program;
}

void task_program(struct task *task, struct program *program)
{
	task->ops->program(task, program);
}

char *program_output(const struct program *program, enum program_stream stream, size_t *length)
{
	int fd = program->files[stream];
	struct stat status = { 0 };
	size_t size, got = 0;
	char *text;

	if (fstat(fd, &status))
		status.st_size = 0;
	size = status.st_size > (off_t)PROGRAM_OUTPUT_MAX ? PROGRAM_OUTPUT_MAX
							  : (size_t)status.st_size;
	text = memory_zeroed(size + 1, 1);
	while (got < size) {
		ssize_t more = pread(fd, text + got, size - got, (off_t)got);

		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			break;
		got += more;
	}
	text[got] = '\0';
	if (length)
		*length = got;
	return text;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	for (int i = 0; i < N_PROGRAM_STREAMS; i++)
		if (program->files[i] >= 0)
			close(program->files[i]);
	for (int i = 0; i < program->n_argv; i++)
		free(program->argv[i]);
	free(program->argv);
	free(program);
}
