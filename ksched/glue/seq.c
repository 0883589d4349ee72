// SPDX-License-Identifier: GPL-2.0-only
/*
 * seq.c - seq_file: collect the text of a file in a growing buffer
 *
 * fs/seq_file.c serves reads in pieces from user space; here a file is always read whole.
 * The functions have own names for the kernel's symbols where trees differ in how they declare them.
 */
#include "files.h"

#include <linux/seq_file.h>

int ks_vformat(char *buf, size_t size, const char *format, va_list args);

void ks_seq_puts(struct seq_file *m, const char *s) __asm__("seq_puts");
void ks___seq_puts(struct seq_file *m, const char *s) __asm__("__seq_puts");

static void reserve(struct seq_file *m, size_t more)
{
	size_t size = m->size ?: 4096;
	char *bigger;

	if (m->count + more + 1 <= m->size)
		return;
	while (size < m->count + more + 1)
		size *= 2;
	bigger = kzalloc(size, GFP_KERNEL);
	if (!bigger)
		ks_trap("a text file larger than memory");
	if (m->count)
		memcpy(bigger, m->buf, m->count);
	kfree(m->buf);
	m->buf = bigger;
	m->size = size;
}

int seq_write(struct seq_file *m, const void *data, size_t len)
{
	reserve(m, len);
	memcpy(m->buf + m->count, data, len);
	m->count += len;
	return 0;
}

void seq_vprintf(struct seq_file *m, const char *f, va_list args)
{
	va_list copy;
	int n;

	va_copy(copy, args);
	n = ks_vformat(NULL, 0, f, copy);
	va_end(copy);
	reserve(m, n);
	ks_vformat(m->buf + m->count, m->size - m->count, f, args);
	m->count += n;
}

void seq_printf(struct seq_file *m, const char *f, ...)
{
	va_list args;

	va_start(args, f);
	seq_vprintf(m, f, args);
	va_end(args);
}

void seq_putc(struct seq_file *m, char c)
{
	seq_write(m, &c, 1);
}

void ks_seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}

void ks___seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}

void seq_put_decimal_ull(struct seq_file *m, const char *delimiter, unsigned long long num)
{
	seq_printf(m, "%s%llu", delimiter ?: "", num);
}

void seq_put_decimal_ll(struct seq_file *m, const char *delimiter, long long num)
{
	seq_printf(m, "%s%lld", delimiter ?: "", num);
}

void ks_seq_begin(struct seq_file *m, void *private)
{
	memset(m, 0, sizeof(*m));
	mutex_init(&m->lock);
	m->private = private;
}

void ks_seq_run(struct seq_file *m, const struct seq_operations *op)
{
	loff_t pos = 0;
	void *v = op->start(m, &pos);

	while (v && !IS_ERR(v)) {
		op->show(m, v);
		v = op->next(m, v, &pos);
	}
	op->stop(m, v);
}

long ks_seq_end(struct seq_file *m, char *buf, size_t size)
{
	size_t n = m->count;

	if (size) {
		memcpy(buf, m->buf, min(n, size - 1));
		buf[min(n, size - 1)] = '\0';
	}
	kfree(m->buf);
	m->buf = NULL;
	return n;
}

/* ---- open functions: they leave the seq_file in file->private_data ----------------------------- */

static const struct file *opened;
static int (*opened_show)(struct seq_file *m, void *v);

static int open_seq(struct file *file, void *private)
{
	struct seq_file *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	ks_seq_begin(m, private);
	file->private_data = m;
	opened = file;
	opened_show = NULL;
	return 0;
}

int single_open(struct file *file, int (*show)(struct seq_file *, void *), void *data)
{
	int ret = open_seq(file, data);

	opened_show = show;
	return ret;
}

int seq_open(struct file *file, const struct seq_operations *op)
{
	int ret = open_seq(file, NULL);

	if (!ret)
		((struct seq_file *)file->private_data)->op = op;
	return ret;
}

struct seq_file *ks_seq_opened(struct file *file)
{
	struct seq_file *m = file->private_data;

	if (opened != file)
		return NULL;
	opened = NULL;
	if (opened_show)
		opened_show(m, SEQ_START_TOKEN);
	else
		ks_seq_run(m, m->op);
	return m;
}

/* Only their addresses are in file_operations; reading and closing is done by files.c. */
ssize_t seq_read(struct file *file, char __user *buf, size_t size, loff_t *ppos)
{
	ks_trap("seq_read");
}

loff_t seq_lseek(struct file *file, loff_t offset, int whence)
{
	ks_trap("seq_lseek");
}

loff_t default_llseek(struct file *file, loff_t offset, int whence)
{
	ks_trap("default_llseek");
}

int simple_open(struct inode *inode, struct file *file)
{
	file->private_data = inode->i_private;
	return 0;
}

int seq_release(struct inode *inode, struct file *file)
{
	return 0;
}

int single_release(struct inode *inode, struct file *file)
{
	return 0;
}
