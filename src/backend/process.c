// SPDX-License-Identifier: GPL-2.0-only
#include "backend/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "result/trial_json.h"

/* how long a process that was asked to end may take */
#define STOP_LIMIT_SECONDS 10

struct trial_process {
	pid_t pid;
	int fd; /* the child's result; -1 after its end */
	char *text;
	size_t length;
	double limit, deadline; /* seconds; of the monotonic clock */
	bool overdue;
	volatile uint32_t *progress; /* shared with the child */
	void *data;
};

/* of the child: the only state that a signal handler can reach */
static volatile sig_atomic_t stop_asked;

static void on_stop(int signal_number)
{
	(void)signal_number;
	stop_asked = 1;
}

/* a session of its own: a terminal's Ctrl-C reaches the parent alone, and autogroup sees one group */
static void child_prepare(pid_t parent)
{
	struct sigaction action = { .sa_handler = on_stop };
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setsid();
	sigaction(SIGTERM, &action, NULL);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
}

static void send_result(int fd, json_t *message)
{
	autofree char *text = json_text(message);
	size_t left = strlen(text);
	const char *at = text;

	while (left) {
		ssize_t done = write(fd, at, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			_exit(1);
		at += done;
		left -= done;
	}
}

static void child_run(const struct trial_order *order, trial_body body, void *data, int fd,
		      volatile uint32_t *progress)
{
	struct trial_order own = *order;
	struct trial trial = { 0 };
	struct error *error;
	json_t *message;

	own.interrupted = &stop_asked;
	own.progress = progress;
	error = body(&own, data, &trial);
	if (error)
		message = json_pack("{s:i, s:s, s:s?, s:i}", "code", (int)error->code, "error",
				    error->message, "file", error->file, "line", error->line);
	else
		message = json_pack("{s:o}", "trial", trial_to_json(&trial));
	send_result(fd, message);
	_exit(0);
}

struct error *trial_process_start(const struct trial_order *order, trial_body body, void *data,
				  double limit_seconds, struct trial_process **out)
{
	struct trial_process *process;
	pid_t parent = getpid(), pid;
	uint32_t *progress;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return error_errno("cannot make a pipe");
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	pid = progress == MAP_FAILED ? -1 : fork();
	if (pid < 0) {
		struct error *error = error_errno("cannot start the trial's process");

		if (progress != MAP_FAILED)
			munmap(progress, sizeof(*progress));

		close(ends[0]);
		close(ends[1]);
		return error;
	}
	if (!pid) {
		close(ends[0]);
		child_prepare(parent);
		child_run(order, body, data, ends[1], progress);
	}
	close(ends[1]);
	process = memory_zeroed(1, sizeof(*process));
	process->pid = pid;
	process->fd = ends[0];
	process->text = memory_string("");
	process->limit = limit_seconds;
	process->deadline = clock_seconds() + limit_seconds;
	process->progress = progress;
	process->data = data;
	*out = process;
	return NULL;
}

static void take_output(struct trial_process *process)
{
	char buffer[65536];
	ssize_t got = read(process->fd, buffer, sizeof(buffer));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (got <= 0) {
		close(process->fd);
		process->fd = -1;
		return;
	}
	process->text = memory_resized(process->text, process->length + got + 1, 1);
	memcpy(process->text + process->length, buffer, got);
	process->length += got;
	process->text[process->length] = '\0';
}

static void check_deadline(struct trial_process *process)
{
	if (process->fd < 0 || process->overdue || clock_seconds() < process->deadline)
		return;
	process->overdue = true;
	kill(process->pid, SIGKILL);
}

void trial_process_poll(struct trial_process *const *processes, int n, int milliseconds)
{
	autofree struct pollfd *polls = memory_zeroed(n, sizeof(*polls));

	for (int i = 0; i < n; i++)
		polls[i] = (struct pollfd){ processes[i]->fd, POLLIN, 0 };
	if (poll(polls, n, milliseconds) < 0)
		return;
	for (int i = 0; i < n; i++) {
		if (polls[i].revents)
			take_output(processes[i]);
		check_deadline(processes[i]);
	}
}

bool trial_process_ended(const struct trial_process *process)
{
	return process->fd < 0;
}

void trial_process_stop(struct trial_process *process)
{
	double soon = clock_seconds() + STOP_LIMIT_SECONDS;

	kill(process->pid, SIGTERM);
	kill(process->pid, SIGCONT); /* one that was stopped would not see it */
	if (soon < process->deadline)
		process->deadline = soon;
}

int trial_process_progress(const struct trial_process *process)
{
	return (int)*process->progress;
}

void *trial_process_data(const struct trial_process *process)
{
	return process->data;
}

static void failed(struct trial *out, char *reason)
{
	out->status = TRIAL_FAILED;
	out->reason = reason;
	if (!out->environment)
		out->environment = json_object();
}

static struct error *error_of(const json_t *message)
{
	enum error_code code =
		(enum error_code)json_integer_value(json_object_get(message, "code"));
	const char *text = json_string_value(json_object_get(message, "error"));
	const char *file = json_string_value(json_object_get(message, "file"));

	if (!file)
		return error_new(code, "%s", text);
	return error_at(code, file, (int)json_integer_value(json_object_get(message, "line")), "%s",
			text);
}

static struct error *read_result(const struct trial_process *process, struct trial *out)
{
	json_t *message, *trial;
	struct error *error = json_parse(process->text, "the trial's process", 1, &message);

	if (error)
		return error;
	trial = json_object_get(message, "trial");
	if (trial)
		error = trial_from_json(trial, "the trial's process", 1, out);
	else
		error = error_of(message);
	json_decref(message);
	return error;
}

struct error *trial_process_finish(struct trial_process *process, struct trial *out)
{
	struct error *error = NULL;
	int status;

	while (process->fd >= 0)
		trial_process_poll(&process, 1, 1000);
	while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (process->overdue)
		failed(out, memory_format("the trial's process did not end within %.0f s",
					  process->limit));
	else if (WIFSIGNALED(status))
		failed(out, memory_format("the trial's process was killed by signal %d (%s)",
					  WTERMSIG(status), strsignal(WTERMSIG(status))));
	else if (!process->length)
		failed(out, memory_format("the trial's process ended with status %d",
					  WEXITSTATUS(status)));
	else
		error = read_result(process, out);
	munmap((void *)process->progress, sizeof(*process->progress));
	free(process->text);
	free(process);
	return error;
}
