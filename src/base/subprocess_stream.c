// SPDX-License-Identifier: GPL-2.0-only
/* subprocess_stream.c - a program whose output is too much to be held */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/subprocess.h"

struct subprocess_stream {
	char *program;
	FILE *out;
	pid_t pid;
	int err; /* a file in memory that its messages go to */
};

/* as much of its messages as may be quoted, from the end */
#define MESSAGE_SIZE 4096

static void child_exec(const char *const *argv, int out, int err, int failed)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int number;

	setpgid(0, 0);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0)
		execvp(argv[0], (char *const *)argv);
	number = errno;
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

static struct error *start(const char *const *argv, const int out[2], const int failed[2],
			   struct subprocess_stream *stream)
{
	int number;

	stream->err = memfd_create("messages", MFD_CLOEXEC);
	stream->pid = stream->err < 0 ? -1 : fork();
	if (stream->pid < 0)
		return error_errno("cannot start %s", argv[0]);
	if (!stream->pid)
		child_exec(argv, out[1], stream->err, failed[1]);
	setpgid(stream->pid, stream->pid);
	close(failed[1]);
	if (read(failed[0], &number, sizeof(number)) != sizeof(number))
		return NULL;
	while (waitpid(stream->pid, NULL, 0) < 0 && errno == EINTR)
		;
	return error_new(ERR_UNAVAILABLE, "cannot run %s: %s", argv[0], strerror(number));
}

struct error *subprocess_open(const char *const *argv, struct subprocess_stream **result)
{
	struct subprocess_stream *stream;
	struct error *error;
	int out[2], failed[2];

	if (pipe2(out, O_CLOEXEC))
		return error_errno("cannot make a pipe");
	if (pipe2(failed, O_CLOEXEC)) {
		error = error_errno("cannot make a pipe");
		close(out[0]);
		close(out[1]);
		return error;
	}
	stream = memory_zeroed(1, sizeof(*stream));
	error = start(argv, out, failed, stream);
	if (stream->pid < 0)
		close(failed[1]);
	close(failed[0]);
	close(out[1]);
	if (error) {
		close(out[0]);
		if (stream->err >= 0)
			close(stream->err);
		free(stream);
		return error;
	}
	stream->program = memory_string(argv[0]);
	stream->out = fdopen(out[0], "r");
	*result = stream;
	return NULL;
}

FILE *subprocess_stream_file(const struct subprocess_stream *stream)
{
	return stream->out;
}

/* the last line that is not empty; a new string */
static char *last_message(int fd)
{
	char text[MESSAGE_SIZE + 1];
	off_t end = lseek(fd, 0, SEEK_END);
	off_t from = end > MESSAGE_SIZE ? end - MESSAGE_SIZE : 0;
	ssize_t n = pread(fd, text, MESSAGE_SIZE, from);
	char *line;

	if (n < 0)
		n = 0;
	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	return memory_string(*line ? line : "(no message)");
}

struct error *subprocess_close(struct subprocess_stream *stream)
{
	autofree char *message = NULL;
	struct error *error = NULL;
	int status;
	/* a program that still writes would otherwise end by SIGPIPE, or never */
	bool whole = feof(stream->out);

	fclose(stream->out);
	if (!whole)
		kill(-stream->pid, SIGKILL);
	while (waitpid(stream->pid, &status, 0) < 0 && errno == EINTR)
		;
	message = last_message(stream->err);
	if (whole && WIFSIGNALED(status))
		error = error_new(ERR_INPUT, "%s was killed by signal %d (%s)", stream->program,
				  WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (whole && WEXITSTATUS(status))
		error = error_new(ERR_INPUT, "%s failed with status %d: %s", stream->program,
				  WEXITSTATUS(status), message);
	close(stream->err);
	free(stream->program);
	free(stream);
	return error;
}
