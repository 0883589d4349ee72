/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * api.h - the functions of struct ksched_api; ksched.h says what they do
 */
#ifndef KSCHED_GLUE_API_H
#define KSCHED_GLUE_API_H

#include "files.h"

void ks_seed(uint64_t seed);
void ks_compute(enum ksched_mode mode);
void ks_spend(uint64_t ns);
void ks_yield(void);
void ks_sleep_until(uint64_t when, uint64_t slack);
int ks_block(uint64_t timeout);
int ks_wake(struct ksched_task *const *task, int n);
struct ksched_waitq *ks_waitq_new(void);
void ks_waitq_free(struct ksched_waitq *q);
int ks_waitq_wait(struct ksched_waitq *q, int exclusive, uint64_t timeout);
void ks_waitq_wake(struct ksched_waitq *q, int n, int sync);

int ks_set_nice(int pid, int nice);
int ks_set_attr(int pid, const struct ksched_attr *attr);
int ks_set_affinity(int pid, const uint64_t *mask);
int ks_get_affinity(int pid, uint64_t *mask);
int ks_setsid(void);
int ks_autogroup_nice(int pid, int nice);

int ks_group_new(struct ksched_group *parent, struct ksched_group **out);
int ks_group_free(struct ksched_group *g);
int ks_group_write(struct ksched_group *g, const char *file, const char *text);
int ks_group_read(struct ksched_group *g, const char *file, char *buf, size_t size);
int ks_group_move(struct ksched_group *g, int pid);

int ks_domain(int cpu, int level, struct ksched_domain *out);
int ks_domain_group(int cpu, int level, int i, uint64_t *mask, unsigned long *capacity);
int ks_domain_flags(unsigned int flags, char *buf, size_t size);
int ks_task_stat(struct ksched_task *task, struct ksched_task_stat *out);
struct ksched_task *ks_find_task(int pid);
int ks_nr_running(int cpu);
void ks_each_task(void (*fn)(void *arg, struct ksched_task *task), void *arg);

#endif
