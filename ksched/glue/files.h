/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - the files of procfs, sysctl and debugfs that the scheduler makes
 */
#ifndef KSCHED_GLUE_FILES_H
#define KSCHED_GLUE_FILES_H

#include "ks.h"

struct ks_file {
	struct ks_file *next;
	char *path; /* as on a running system */
	/* Exactly one of these is set. */
	const struct ctl_table *sysctl;
	const struct file_operations *fops;
	const struct seq_operations *seq;
	void *number; /* a variable of `size` bytes */
	size_t size;
	void *data; /* inode->i_private of fops and seq */
};

/* The path is copied. A second file with the same path replaces the first. */
struct ks_file *ks_file_add(const char *dir, const char *name);

/* ---- seq.c: text that the kernel writes into a seq_file ---- */

/* Start with an empty buffer; ks_seq_end() frees it. */
void ks_seq_begin(struct seq_file *m, void *private);
void ks_seq_run(struct seq_file *m, const struct seq_operations *op);
/* Copy the text, NUL-terminated and cut at size - 1; returns its whole length. */
long ks_seq_end(struct seq_file *m, char *buf, size_t size);
/* The seq_file that fops->open() made by single_open() or seq_open(), or NULL. */
struct seq_file *ks_seq_opened(struct file *file);

int ks_write(const char *path, const char *text);
long ks_read(const char *path, char *buf, size_t size);
void ks_files(void (*fn)(void *arg, const char *path), void *arg);

#endif
