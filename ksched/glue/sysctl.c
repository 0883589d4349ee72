// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysctl.c - registration of sysctls, and the handlers of kernel/sysctl.c that the scheduler uses
 *
 * The prototypes of handlers and of registration differ between trees (const, a size, an end mark), so these
 * functions have own names for the kernel's symbols.
 */
#include "files.h"

#include <linux/sysctl.h>

/* ---- constants that tables point to -------------------------------------------------------------- */

/*
 * Not const here: filled through the tree's own macros, so the order need not be known. Own names for the
 * kernel's symbols, because AddressSanitizer takes an alias for another variable.
 */
int ks_sysctl_values[16] __asm__("sysctl_vals");
unsigned long ks_sysctl_long_values[4] __asm__("sysctl_long_vals");

/* Through the arrays that are not const: the compiler drops what is written into const ones. */
#define SET_INT(where, value) (ks_sysctl_values[(const int *)(where)-sysctl_vals] = (value))
#define SET_LONG(where, value)                                                                     \
	(ks_sysctl_long_values[(const unsigned long *)(where)-sysctl_long_vals] = (value))

static void __attribute__((constructor)) fill_values(void)
{
	SET_INT(SYSCTL_ZERO, 0);
	SET_INT(SYSCTL_ONE, 1);
	SET_INT(SYSCTL_TWO, 2);
	SET_INT(SYSCTL_THREE, 3);
	SET_INT(SYSCTL_FOUR, 4);
	SET_INT(SYSCTL_ONE_HUNDRED, 100);
	SET_INT(SYSCTL_TWO_HUNDRED, 200);
	SET_INT(SYSCTL_ONE_THOUSAND, 1000);
	SET_INT(SYSCTL_THREE_THOUSAND, 3000);
	SET_INT(SYSCTL_INT_MAX, INT_MAX);
	SET_INT(SYSCTL_NEG_ONE, -1);
	SET_LONG(SYSCTL_LONG_ONE, 1);
	SET_LONG(SYSCTL_LONG_MAX, LONG_MAX);
}

/* ---- registration ------------------------------------------------------------------------------------ */

void ks_sysctl_init(const char *path, const struct ctl_table *table, const char *name,
		    size_t n) __asm__("__register_sysctl_init");
void *ks_sysctl_sz(const char *path, const struct ctl_table *table,
		   size_t n) __asm__("register_sysctl_sz");
void *ks_sysctl(const char *path, const struct ctl_table *table) __asm__("register_sysctl");

static void add_table(const char *path, const struct ctl_table *table, size_t n)
{
	char *dir = kasprintf(GFP_KERNEL, "/proc/sys/%s", path);
	size_t i;

	for (i = 0; i < n && table[i].procname; i++)
		ks_file_add(dir, table[i].procname)->sysctl = &table[i];
	kfree(dir);
}

/* Before 6.6 there is no size: such tables end with an empty entry. */
void ks_sysctl_init(const char *path, const struct ctl_table *table, const char *name, size_t n)
{
#ifdef register_sysctl
	add_table(path, table, n);
#else
	add_table(path, table, SIZE_MAX);
#endif
}

void *ks_sysctl_sz(const char *path, const struct ctl_table *table, size_t n)
{
	add_table(path, table, n);
	return (void *)table;
}

void *ks_sysctl(const char *path, const struct ctl_table *table)
{
	add_table(path, table, SIZE_MAX);
	return (void *)table;
}

/* ---- handlers ----------------------------------------------------------------------------------------- */

#define KS_HANDLER_ARGS                                                                            \
	const struct ctl_table *table, int write, void *buffer, size_t *lenp, loff_t *ppos

int ks_dointvec(KS_HANDLER_ARGS) __asm__("proc_dointvec");
int ks_dointvec_minmax(KS_HANDLER_ARGS) __asm__("proc_dointvec_minmax");
int ks_douintvec_minmax(KS_HANDLER_ARGS) __asm__("proc_douintvec_minmax");
int ks_dobool(KS_HANDLER_ARGS) __asm__("proc_dobool");
int ks_dou8vec_minmax(KS_HANDLER_ARGS) __asm__("proc_dou8vec_minmax");

static int parse(const char *buffer, size_t len, long long *value)
{
	char copy[32];

	if (len >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, buffer, len);
	copy[len] = '\0';
	return kstrtoll(strim(copy), 0, value) ? -EINVAL : 0;
}

static void print(long long value, void *buffer, size_t *lenp)
{
	*lenp = scnprintf(buffer, *lenp + 1, "%lld\n", value);
}

/* One int: arrays of them do not occur in the scheduler's tables. */
static int do_int(KS_HANDLER_ARGS, long long low, long long high)
{
	long long value;

	if (table->maxlen != sizeof(int))
		ks_trap("a sysctl with several values");
	if (!write) {
		print(low < 0 ? *(int *)table->data : *(unsigned int *)table->data, buffer, lenp);
		return 0;
	}
	if (parse(buffer, *lenp, &value) || value < low || value > high)
		return -EINVAL;
	*(int *)table->data = value;
	return 0;
}

int ks_dointvec(KS_HANDLER_ARGS)
{
	return do_int(table, write, buffer, lenp, ppos, INT_MIN, INT_MAX);
}

int ks_dointvec_minmax(KS_HANDLER_ARGS)
{
	return do_int(table, write, buffer, lenp, ppos,
		      table->extra1 ? *(int *)table->extra1 : INT_MIN,
		      table->extra2 ? *(int *)table->extra2 : INT_MAX);
}

int ks_douintvec_minmax(KS_HANDLER_ARGS)
{
	return do_int(table, write, buffer, lenp, ppos,
		      table->extra1 ? *(unsigned int *)table->extra1 : 0,
		      table->extra2 ? *(unsigned int *)table->extra2 : UINT_MAX);
}

int ks_dobool(KS_HANDLER_ARGS)
{
	long long value;

	if (!write) {
		print(*(bool *)table->data, buffer, lenp);
		return 0;
	}
	if (parse(buffer, *lenp, &value) || value < 0 || value > 1)
		return -EINVAL;
	*(bool *)table->data = value;
	return 0;
}

int ks_dou8vec_minmax(KS_HANDLER_ARGS)
{
	long long value;

	if (!write) {
		print(*(u8 *)table->data, buffer, lenp);
		return 0;
	}
	if (parse(buffer, *lenp, &value) || value < 0 || value > U8_MAX ||
	    (table->extra1 && value < *(int *)table->extra1) ||
	    (table->extra2 && value > *(int *)table->extra2))
		return -EINVAL;
	*(u8 *)table->data = value;
	return 0;
}
