// SPDX-License-Identifier: GPL-2.0-only
/*
 * live_program.c - a worker that runs an external program, and leaves none of its processes behind
 *
 * The worker becomes the reaper of the program's orphans, so all its processes can be found as children
 * once their parents are gone. If the worker is killed, the trial's process is their reaper; if that
 * is killed (fairtrial's kill -9 kills it too), the worker is told by a signal, and by its parent's
 * id, and kills them. Only killing worker and trial's process at once would leave orphans.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "task/live_private.h"
#include "task/live_reap.h"

/* a signal may come between a look at a flag and poll(); the size of the result has no event at all */
#define LOOK_MILLISECONDS 250
/* without pidfd_open() (kernels before 5.3) */
#define LOOK_OFTEN_MILLISECONDS 10

/* our ends of its streams; the descriptors of the child are moved out of the way of 0 to 3 */
#define FIRST_FREE_FD 10

struct live_program {
	struct live_task *task;
	struct program *program;
	pid_t pid;
	int pidfd;    /* -1: there is none */
	int pipes[2]; /* our ends of stdout and stderr; -1 after their end */
	size_t written[N_PROGRAM_STREAMS];
	bool ended;
};

/* ---- the program's process ---- */

/* the descriptors as its standard streams and as 3; all others are closed by exec */
static bool set_streams(const int from[4])
{
	int moved[4];

	for (int i = 0; i < 4; i++)
		if ((moved[i] = fcntl(from[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD)) < 0)
			return false;
	for (int i = 0; i < 4; i++)
		if (dup2(moved[i], i) < 0)
			return false;
	return true;
}

static void __attribute__((noreturn))
program_process(const struct program *program, const int streams[3], int failed, pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), number;
	const int from[4] = { null, streams[0], streams[1], streams[2] };
	int report = fcntl(failed, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
	setpgid(0, 0);
	signal(LIVE_WAKE_SIGNAL, SIG_DFL);
	if (null >= 0 && set_streams(from) && (!program->folder || !fchdir(program->folder->fd)) &&
	    !setenv("LC_ALL", "C", 1))
		execvp(program->argv[0], program->argv);
	number = errno;
	if (write(report, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

/* the pipes: stdout, stderr, and one that tells why exec failed */
static bool open_pipes(int pipes[3][2])
{
	for (int i = 0; i < 3; i++)
		pipes[i][0] = pipes[i][1] = -1;
	for (int i = 0; i < 3; i++) {
		if (pipe2(pipes[i], O_CLOEXEC)) {
			for (int j = 0; j < i; j++)
				close_pair(pipes[j]);
			return false;
		}
	}
	return true;
}

static int not_started(struct live_program *run, int number)
{
	run->program->end->fate = PROGRAM_NOT_STARTED;
	run->program->end->error = number;
	return false;
}

static bool start(struct live_program *run)
{
	pid_t parent = getpid();
	int pipes[3][2], number = 0;
	ssize_t got;

	if (!open_pipes(pipes))
		return not_started(run, errno);
	run->pid = fork();
	if (!run->pid) {
		const int streams[3] = { pipes[0][1], pipes[1][1],
					 run->program->files[PROGRAM_RESULT] };

		program_process(run->program, streams, pipes[2][1], parent);
	}
	number = errno;
	for (int i = 0; i < 3; i++)
		close(pipes[i][1]);
	if (run->pid < 0) {
		for (int i = 0; i < 3; i++)
			close(pipes[i][0]);
		return not_started(run, number);
	}
	setpgid(run->pid, run->pid);
	do {
		got = read(pipes[2][0], &number, sizeof(number));
	} while (got < 0 && errno == EINTR);
	close(pipes[2][0]);
	run->pipes[0] = pipes[0][0];
	run->pipes[1] = pipes[1][0];
	for (int i = 0; i < 2; i++)
		fcntl(run->pipes[i], F_SETFL, O_NONBLOCK);
	if (got == sizeof(number))
		return not_started(run, number);
	run->pidfd = (int)syscall(SYS_pidfd_open, run->pid, 0);
	return true;
}

/* ---- its output ---- */

static void flooded(struct live_program *run, enum program_stream stream)
{
	if (run->program->end->fate == PROGRAM_FLOODED)
		return;
	run->program->end->fate = PROGRAM_FLOODED;
	run->program->end->stream = stream;
}

/* what is there, as far as it is kept; false at the end of the stream or when there is no more now */
static bool take(struct live_program *run, int stream)
{
	char buffer[65536];
	ssize_t got = read(run->pipes[stream], buffer, sizeof(buffer)), done = 0;

	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0) {
		if (!got || errno != EAGAIN) {
			close(run->pipes[stream]);
			run->pipes[stream] = -1;
		}
		return false;
	}
	if (run->written[stream] + got > PROGRAM_OUTPUT_MAX) {
		flooded(run, stream);
		got = PROGRAM_OUTPUT_MAX - run->written[stream];
	}
	run->written[stream] += got;
	while (done < got) {
		ssize_t wrote = write(run->program->files[stream], buffer + done, got - done);

		if (wrote < 0 && errno != EINTR)
			return false;
		done += wrote > 0 ? wrote : 0;
	}
	return run->program->end->fate != PROGRAM_FLOODED;
}

/* the file of results is the program's own: only its size can be looked at */
static void check_result(struct live_program *run)
{
	struct stat status;

	if (!fstat(run->program->files[PROGRAM_RESULT], &status) &&
	    status.st_size > (off_t)PROGRAM_OUTPUT_MAX)
		flooded(run, PROGRAM_RESULT);
}

/* ---- waiting for its end ---- */

static bool parent_is_gone(const struct live_program *run)
{
	return getppid() != run->task->team->parent_pid;
}

static void check_ended(struct live_program *run)
{
	struct program_end *end = run->program->end;

	if (waitpid(run->pid, &end->status, WNOHANG) != run->pid)
		return;
	run->ended = true;
	if (end->fate == PROGRAM_NOT_RUN)
		end->fate = PROGRAM_ENDED;
}

static void look(struct live_program *run)
{
	struct pollfd polls[3] = { { run->pipes[0], POLLIN, 0 },
				   { run->pipes[1], POLLIN, 0 },
				   { run->pidfd, POLLIN, 0 } };

	poll(polls, 3, run->pidfd < 0 ? LOOK_OFTEN_MILLISECONDS : LOOK_MILLISECONDS);
	for (int i = 0; i < 2; i++)
		if (run->pipes[i] >= 0)
			take(run, i);
	check_result(run);
	check_ended(run);
}

static void supervise(struct live_program *run)
{
	struct program_end *end = run->program->end;

	while (!run->ended && end->fate == PROGRAM_NOT_RUN && !parent_is_gone(run)) {
		if (live_stopped(run->task))
			end->fate = PROGRAM_OVERDUE;
		else
			look(run);
	}
	/* what is in the pipes; not what processes that it left behind go on to write */
	for (int i = 0; i < 2; i++)
		for (int n = 0; run->pipes[i] >= 0 && n < 1000 && take(run, i); n++)
			;
}

static void end_all(struct live_program *run)
{
	if (run->pid > 0 && !run->ended) {
		kill(-run->pid, SIGKILL);
		kill(run->pid, SIGKILL);
	}
	for (int i = 0; i < 2; i++)
		if (run->pipes[i] >= 0)
			close(run->pipes[i]);
	if (run->pidfd >= 0)
		close(run->pidfd);
}

static void account(struct live_task *task)
{
	struct rusage usage;
	uint64_t used;

	getrusage(RUSAGE_CHILDREN, &usage);
	used = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ull +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ull;
	__atomic_add_fetch(&task->slot->child_ns, used - task->children_ns, __ATOMIC_RELAXED);
	task->children_ns = used;
}

void live_program(struct task *base, struct program *program)
{
	struct live_program run = {
		.task = live_task(base),
		.program = program,
		.pidfd = -1,
		.pipes = { -1, -1 },
	};
	struct live_reaper reaper;

	/* from now on the death of the trial's process must not be ours before we have cleaned up */
	prctl(PR_SET_PDEATHSIG, LIVE_WAKE_SIGNAL);
	prctl(PR_SET_NAME,
	      "ft-program"); /* `killall -9 fairtrial` is not for the one who cleans up */
	live_reaper_begin(&reaper);
	if (!parent_is_gone(&run) && start(&run))
		supervise(&run);
	end_all(&run);
	live_reaper_end(&reaper);
	account(run.task);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (parent_is_gone(&run))
		_exit(EXIT_FAILURE);
}
