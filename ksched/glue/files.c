// SPDX-License-Identifier: GPL-2.0-only
/*
 * files.c - settings by the path they have on a running system
 *
 * The kernel registers its sysctls, debugfs and procfs files as ever; what it registers lands in a list, and
 * reading or writing a path calls the kernel's own handler.
 */
#include "files.h"

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/sched/autogroup.h>
#include <linux/sched/debug.h>
#include <linux/seq_file.h>
#include <linux/sysctl.h>

/* By a hash of the path: a machine of 1,024 CPUs has tens of thousands of files. */
#define BUCKETS 4096 /* power of two */

static struct ks_file *buckets[BUCKETS];

static struct ks_file **bucket_of(const char *path)
{
	u32 hash = 2166136261U; /* FNV-1a */

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 16777619U;
	return &buckets[hash & (BUCKETS - 1)];
}

static struct ks_file *find(const char *path)
{
	struct ks_file *f = *bucket_of(path);

	while (f && strcmp(f->path, path))
		f = f->next;
	return f;
}

struct ks_file *ks_file_add(const char *dir, const char *name)
{
	char *path = kasprintf(GFP_KERNEL, "%s/%s", dir, name);
	struct ks_file *f = find(path), **bucket;

	if (f) {
		kfree(path);
		return f;
	}
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	f->path = path;
	bucket = bucket_of(path);
	f->next = *bucket;
	*bucket = f;
	return f;
}

/* ---- debugfs: a dentry is only a path here ------------------------------------------------------ */

static const char *dir_of(struct dentry *parent)
{
	return IS_ERR_OR_NULL(parent) ? "/sys/kernel/debug" : (const char *)parent;
}

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	return (struct dentry *)kasprintf(GFP_KERNEL, "%s/%s", dir_of(parent), name);
}

/* 6.13: a macro that chooses between two functions. */
struct dentry *ks_debugfs_file(const char *name, umode_t mode, struct dentry *parent, void *data,
			       const struct file_operations *fops) __asm__("debugfs_create_file");
struct dentry *
ks_debugfs_file_full(const char *name, umode_t mode, struct dentry *parent, void *data,
		     const void *aux,
		     const struct file_operations *fops) __asm__("debugfs_create_file_full");

struct dentry *ks_debugfs_file(const char *name, umode_t mode, struct dentry *parent, void *data,
			       const struct file_operations *fops)
{
	struct ks_file *f = ks_file_add(dir_of(parent), name);

	f->fops = fops;
	f->data = data;
	return (struct dentry *)f->path;
}

struct dentry *ks_debugfs_file_full(const char *name, umode_t mode, struct dentry *parent,
				    void *data, const void *aux, const struct file_operations *fops)
{
	return ks_debugfs_file(name, mode, parent, data, fops);
}

struct dentry *debugfs_create_file_unsafe(const char *name, umode_t mode, struct dentry *parent,
					  void *data, const struct file_operations *fops)
{
	return ks_debugfs_file(name, mode, parent, data, fops);
}

static void add_number(const char *name, struct dentry *parent, void *number, size_t size)
{
	struct ks_file *f = ks_file_add(dir_of(parent), name);

	f->number = number;
	f->size = size;
}

void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value)
{
	add_number(name, parent, value, sizeof(*value));
}

void debugfs_create_ulong(const char *name, umode_t mode, struct dentry *parent,
			  unsigned long *value)
{
	add_number(name, parent, value, sizeof(*value));
}

void debugfs_create_u64(const char *name, umode_t mode, struct dentry *parent, u64 *value)
{
	add_number(name, parent, value, sizeof(*value));
}

void debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent, bool *value)
{
	add_number(name, parent, value, sizeof(*value));
}

/* Only written with sched_verbose, whose domain directories have nothing that domain() has not. */
void debugfs_create_str(const char *name, umode_t mode, struct dentry *parent, char **value)
{
}

void debugfs_remove(struct dentry *dentry)
{
}

void debugfs_lookup_and_remove(const char *name, struct dentry *parent)
{
}

ssize_t debugfs_read_file_bool(struct file *file, char __user *buf, size_t count, loff_t *ppos)
{
	ks_trap("debugfs_read_file_bool");
}

/* It may change a static key in its own way, but the variable is all there is without jump labels. */
ssize_t debugfs_write_file_bool(struct file *file, const char __user *buf, size_t count,
				loff_t *ppos)
{
	bool value;

	if (kstrtobool(buf, &value))
		return -EINVAL;
	*(bool *)file->f_inode->i_private = value;
	return count;
}

/* ---- procfs --------------------------------------------------------------------------------------- */

struct proc_dir_entry *proc_create_seq_private(const char *name, umode_t mode,
					       struct proc_dir_entry *parent,
					       const struct seq_operations *ops, unsigned int size,
					       void *data)
{
	struct ks_file *f = ks_file_add("/proc", name);

	f->seq = ops;
	f->data = data;
	return (struct proc_dir_entry *)f;
}

/* ---- reading and writing ----------------------------------------------------------------------------- */

/* The number in "/proc/NUMBER/name", and *name; 0: the path is not of that form. */
static int split_pid(const char *path, const char **name)
{
	int pid = 0;

	if (strncmp(path, "/proc/", 6))
		return 0;
	for (path += 6; *path >= '0' && *path <= '9'; path++)
		pid = pid * 10 + *path - '0';
	if (*path != '/')
		return 0;
	*name = path + 1;
	return pid;
}

static long read_pid(int pid, const char *name, char *buf, size_t size)
{
	struct ks_task *t = ks_find_pid(pid);
	struct seq_file m;
	struct sched_info *info;

	if (!t)
		return -ENOENT;
	ks_seq_begin(&m, NULL);
	info = &t->tsk->sched_info;
	if (!strcmp(name, "sched"))
		proc_sched_show_task(t->tsk, NULL, &m);
	else if (!strcmp(name, "autogroup"))
		proc_sched_autogroup_show_task(t->tsk, &m);
	else if (!strcmp(name, "schedstat"))
		seq_printf(&m, "%llu %llu %lu\n", task_sched_runtime(t->tsk), info->run_delay,
			   info->pcount);
	else
		return -ENOENT;
	return ks_seq_end(&m, buf, size);
}

static long read_number(const struct ks_file *f, char *buf, size_t size)
{
	if (f->size == sizeof(bool))
		return scnprintf(buf, size, "%c\n", *(bool *)f->number ? 'Y' : 'N');
	if (f->size == sizeof(u32))
		return scnprintf(buf, size, "%u\n", *(u32 *)f->number);
	return scnprintf(buf, size, "%lu\n", *(unsigned long *)f->number);
}

static int write_number(const struct ks_file *f, const char *text)
{
	unsigned long long value;
	bool flag;

	if (f->size == sizeof(bool)) {
		if (kstrtobool(text, &flag))
			return -EINVAL;
		*(bool *)f->number = flag;
		return 0;
	}
	if (kstrtoull(text, 0, &value))
		return -EINVAL;
	if (f->size == sizeof(u32)) {
		if (value > U32_MAX)
			return -ERANGE;
		*(u32 *)f->number = value;
	} else {
		*(unsigned long *)f->number = value;
	}
	return 0;
}

struct opened_file {
	struct inode inode;
	struct file file;
};

/* The kernel's struct file and inode, as far as the scheduler's handlers look at them. */
static struct opened_file *open_file(const struct ks_file *f, int *err)
{
	struct opened_file *o = kzalloc(sizeof(*o), GFP_KERNEL);

	if (!o) {
		*err = -ENOMEM;
		return NULL;
	}
	init_rwsem(&o->inode.i_rwsem);
	o->inode.i_private = f->data;
	o->file.f_inode = &o->inode;
	o->file.private_data = f->data;
	*err = f->fops->open ? f->fops->open(&o->inode, &o->file) : 0;
	if (*err) {
		kfree(o);
		return NULL;
	}
	return o;
}

static long read_fops(const struct ks_file *f, char *buf, size_t size)
{
	struct opened_file *o;
	struct seq_file *m;
	loff_t pos = 0;
	long n;
	int err;

	o = open_file(f, &err);
	if (!o)
		return err;
	m = ks_seq_opened(&o->file);
	if (m) {
		n = ks_seq_end(m, buf, size);
		kfree(m);
	} else if (f->fops->read) {
		n = size ? f->fops->read(&o->file, buf, size - 1, &pos) : 0;
		if (n >= 0 && size)
			buf[n] = '\0';
	} else {
		n = -EINVAL;
	}
	kfree(o);
	return n;
}

static int write_fops(const struct ks_file *f, const char *text)
{
	struct opened_file *o;
	loff_t pos = 0;
	long n;
	int err;

	if (!f->fops->write)
		return -EACCES;
	o = open_file(f, &err);
	if (!o)
		return err;
	n = f->fops->write(&o->file, text, strlen(text), &pos);
	kfree(o);
	return n < 0 ? n : 0;
}

static long call_sysctl(const struct ctl_table *table, int write, char *buf, size_t size)
{
	struct ctl_table copy = *table;
	loff_t pos = 0;
	size_t len = size;
	int err;

	if (!copy.proc_handler)
		return -EINVAL;
	err = copy.proc_handler((struct ctl_table *)table, write, buf, &len, &pos);
	return err ?: (long)len;
}

static long read_sysctl(const struct ks_file *f, char *buf, size_t size)
{
	long n = size ? call_sysctl(f->sysctl, 0, buf, size - 1) : 0;

	if (n >= 0 && size)
		buf[n] = '\0';
	return n;
}

static int write_sysctl(const struct ks_file *f, const char *text)
{
	char *copy;
	long n;

	if (!(f->sysctl->mode & 0222))
		return -EACCES;
	copy = kstrdup(text, GFP_KERNEL);
	n = call_sysctl(f->sysctl, 1, copy, strlen(copy));
	kfree(copy);
	return n < 0 ? n : 0;
}

static long read_file(const char *path, char *buf, size_t size)
{
	struct ks_file *f = find(path);
	struct seq_file m;
	const char *name;
	int pid;

	if (!f) {
		pid = split_pid(path, &name);
		return pid ? read_pid(pid, name, buf, size) : -ENOENT;
	}
	if (f->number)
		return read_number(f, buf, size);
	if (f->sysctl)
		return read_sysctl(f, buf, size);
	if (f->fops)
		return read_fops(f, buf, size);
	ks_seq_begin(&m, f->data);
	ks_seq_run(&m, f->seq);
	return ks_seq_end(&m, buf, size);
}

/* Whoever looks from outside costs the simulated CPU no time. */
long ks_read(const char *path, char *buf, size_t size)
{
	unsigned int scanned = ks_scanned;
	long n = read_file(path, buf, size);

	ks_scanned = scanned;
	return n;
}

int ks_write(const char *path, const char *text)
{
	struct ks_file *f = find(path);
	const char *name;
	struct ks_task *t;
	int pid, nice;

	if (f && f->number)
		return write_number(f, text);
	if (f && f->sysctl)
		return write_sysctl(f, text);
	if (f)
		return f->fops ? write_fops(f, text) : -EACCES;
	pid = split_pid(path, &name);
	t = pid ? ks_find_pid(pid) : NULL;
	if (!t || strcmp(name, "autogroup"))
		return -ENOENT;
	return kstrtoint(text, 0, &nice) ? -EINVAL : proc_sched_autogroup_set_nice(t->tsk, nice);
}

void ks_files(void (*fn)(void *arg, const char *path), void *arg)
{
	struct ks_file *f;
	int i;

	for (i = 0; i < BUCKETS; i++)
		for (f = buckets[i]; f; f = f->next)
			fn(arg, f->path);
}
