// SPDX-License-Identifier: GPL-2.0-only
/*
 * fork-loop.c - the smallest spawn benchmark: what ours is measured against
 *
 * Usage: fork-loop WORKERS SECONDS [PROGRAM]. Each of WORKERS processes forks a child that exits at
 * once and waits for it, for SECONDS; with a PROGRAM it is vfork() and exec of that. Prints the
 * sum of loops per second.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t over;

static void on_alarm(int signal_number)
{
	(void)signal_number;
	over = 1;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static pid_t vfork_exec(const char *program)
{
	char *const arguments[] = { (char *)program, NULL };
	char *const environment[] = { NULL };
	pid_t pid = vfork();

	if (!pid) {
		execve(program, arguments, environment);
		_exit(127);
	}
	return pid;
}

static double loop(double seconds, const char *program)
{
	struct itimerval timer = { .it_value = { seconds, (seconds - (long)seconds) * 1e6 } };
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	double begin = now();
	long loops = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (!over) {
		pid_t pid = program ? vfork_exec(program) : fork();

		if (!pid)
			_exit(0);
		if (pid < 0)
			exit(EXIT_FAILURE);
		waitpid(pid, NULL, 0);
		loops++;
	}
	return loops / (now() - begin);
}

int main(int argc, char **argv)
{
	int workers = argc == 3 || argc == 4 ? atoi(argv[1]) : 0;
	double *rates, sum = 0;

	if (workers < 1 || !(atof(argv[2]) > 0)) {
		fprintf(stderr, "usage: fork-loop WORKERS SECONDS [PROGRAM]\n");
		return 2;
	}
	rates = mmap(NULL, workers * sizeof(*rates), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rates == MAP_FAILED)
		return EXIT_FAILURE;
	for (int i = 0; i < workers; i++)
		if (!fork()) {
			rates[i] = loop(atof(argv[2]), argv[3]);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < workers; i++)
		sum += rates[i];
	printf("%.1f\n", sum);
	return 0;
}
