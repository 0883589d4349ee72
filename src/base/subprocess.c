// SPDX-License-Identifier: GPL-2.0-only
#include "base/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

struct sink {
	int fd;
	char *data;
	size_t length;
};

static void child_exec(const char *const *argv, const char *directory, int out, int err, int failed)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int number;

	setpgid(0, 0);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0 &&
	    (!directory || !chdir(directory)))
		execvp(argv[0], (char *const *)argv);
	number = errno;
	if (write(failed, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

/* reads what is there; closes the sink at its end */
static void sink_fill(struct sink *sink)
{
	char buffer[65536];
	ssize_t got = read(sink->fd, buffer, sizeof(buffer));

	if (got <= 0) {
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		close(sink->fd);
		sink->fd = -1;
		return;
	}
	sink->data = memory_resized(sink->data, sink->length + got + 1, 1);
	memcpy(sink->data + sink->length, buffer, got);
	sink->length += got;
}

/* false when the time is over before both streams have ended */
static bool collect(struct sink sinks[2], double deadline)
{
	while (sinks[0].fd >= 0 || sinks[1].fd >= 0) {
		struct pollfd polls[2] = { { sinks[0].fd, POLLIN, 0 }, { sinks[1].fd, POLLIN, 0 } };
		double left = deadline - clock_seconds();

		if (left <= 0)
			return false;
		poll(polls, 2, left > 3600 ? 3600000 : (int)(left * 1000) + 1);
		for (int i = 0; i < 2; i++)
			if (polls[i].revents)
				sink_fill(&sinks[i]);
	}
	return true;
}

static void close_pair(int pair[2])
{
	close(pair[0]);
	close(pair[1]);
}

static struct error *pipes_open(int pipes[3][2])
{
	for (int i = 0; i < 3; i++) {
		if (!pipe2(pipes[i], O_CLOEXEC))
			continue;
		while (i--)
			close_pair(pipes[i]);
		return error_errno("cannot make a pipe");
	}
	return NULL;
}

struct error *subprocess_run(const char *const *argv, const char *directory, double seconds,
			     struct subprocess_output *output)
{
	struct sink sinks[2] = { { -1, memory_string(""), 0 }, { -1, memory_string(""), 0 } };
	struct error *error = NULL;
	int pipes[3][2], number, status;
	pid_t child;

	error = pipes_open(pipes);
	if (error)
		goto out;
	child = fork();
	if (child < 0) {
		error = error_errno("cannot start %s", argv[0]);
		for (int i = 0; i < 3; i++)
			close_pair(pipes[i]);
		goto out;
	}
	if (!child)
		child_exec(argv, directory, pipes[0][1], pipes[1][1], pipes[2][1]);
	setpgid(child, child);
	for (int i = 0; i < 3; i++)
		close(pipes[i][1]);
	sinks[0].fd = pipes[0][0];
	sinks[1].fd = pipes[1][0];
	if (read(pipes[2][0], &number, sizeof(number)) == sizeof(number)) {
		error = error_new(ERR_UNAVAILABLE, "cannot run %s: %s", argv[0], strerror(number));
	} else if (!collect(sinks, seconds > 0 ? clock_seconds() + seconds : 1e300)) {
		kill(-child, SIGKILL);
		error = error_new(ERR_INPUT, "%s did not end within %g s", argv[0], seconds);
	}
	close(pipes[2][0]);
	for (int i = 0; i < 2; i++)
		if (sinks[i].fd >= 0)
			close(sinks[i].fd);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		goto out;
	for (int i = 0; i < 2; i++)
		sinks[i].data[sinks[i].length] = '\0';
	*output = (struct subprocess_output){ sinks[0].data, sinks[1].data, sinks[0].length,
					      sinks[1].length, status };
	return NULL;
out:
	free(sinks[0].data);
	free(sinks[1].data);
	return error;
}

struct error *subprocess_check(const char *const *argv, const char *directory, double seconds,
			       struct subprocess_output *output)
{
	struct subprocess_output own;
	struct error *error = subprocess_run(argv, directory, seconds, &own);

	if (error)
		return error;
	if (own.status) {
		own.err[strcspn(own.err, "\n")] = '\0';
		if (WIFSIGNALED(own.status))
			error = error_new(ERR_INPUT, "%s was killed by signal %d (%s)", argv[0],
					  WTERMSIG(own.status), strsignal(WTERMSIG(own.status)));
		else
			error = error_new(ERR_INPUT, "%s failed with status %d: %s", argv[0],
					  WEXITSTATUS(own.status),
					  *own.err ? own.err : "(no message)");
		subprocess_free(&own);
		return error;
	}
	*output = own;
	return NULL;
}

void subprocess_free(struct subprocess_output *output)
{
	free(output->out);
	free(output->err);
	output->out = output->err = NULL;
}

char *subprocess_find(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return access(program, X_OK) ? NULL : memory_string(program);
	while (path && *path) {
		const char *end = strchrnul(path, ':');
		char *full = memory_format("%.*s/%s", (int)(end - path), path, program);

		if (!access(full, X_OK))
			return full;
		free(full);
		path = *end ? end + 1 : NULL;
	}
	return NULL;
}
