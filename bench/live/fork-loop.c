// SPDX-License-Identifier: GPL-2.0-only
/*
 * fork-loop.c - the smallest spawn benchmark: what ours is measured against
 *
 * Usage: fork-loop WORKERS SECONDS. Each of WORKERS processes forks a child that exits at once and
 * waits for it, for SECONDS. Prints the sum of loops per second.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

static double loop(unsigned seconds)
{
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	double begin = now();
	long loops = 0;

	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
	while (!over) {
		pid_t pid = fork();

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
	int workers = argc == 3 ? atoi(argv[1]) : 0;
	double *rates, sum = 0;

	if (workers < 1 || atoi(argv[2]) < 1) {
		fprintf(stderr, "usage: fork-loop WORKERS SECONDS\n");
		return 2;
	}
	rates = mmap(NULL, workers * sizeof(*rates), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rates == MAP_FAILED)
		return EXIT_FAILURE;
	for (int i = 0; i < workers; i++)
		if (!fork()) {
			rates[i] = loop(atoi(argv[2]));
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	for (int i = 0; i < workers; i++)
		sum += rates[i];
	printf("%.1f\n", sum);
	return 0;
}
