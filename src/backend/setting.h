/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * setting.h - the settings of a variant on this machine: checked, journalled, made, put back
 *
 * System-wide settings (sysctl.*, feature.*, sched.*, autogroup) are journalled with their old
 * value before they are changed and put back after the trial; if fairtrial dies, its next start of
 * any verb puts them back (setting_recover()). Settings of the workers alone (nice, slice, affinity,
 * env, cpu.weight of an own cgroup) are made in the trial's process and vanish with it, but the
 * cgroup, which is journalled too.
 */
#ifndef FT_BACKEND_SETTING_H
#define FT_BACKEND_SETTING_H

#include <hwloc.h>

#include "base/json.h"
#include "plan/plan.h"

/*
 * setting_check - can all settings of a variant be made here? Changes nothing.
 * Errors: as backend.check; an unknown key says which keys there are and what was meant.
 */
struct error *setting_check(const struct plan *plan, const struct plan_variant *variant);

struct setting_journal;

/* setting_apply - journals and makes the system-wide settings; on error all made ones are undone */
struct error *setting_apply(const struct plan *plan, const struct plan_variant *variant,
			    struct setting_journal **out);

/* setting_undo - puts everything back, removes the journal and frees it; NULL is allowed */
struct error *setting_undo(struct setting_journal *journal);

/*
 * setting_enter - makes the settings of the workers for the calling process (before the team is
 * made): nice, slice, env, cgroup; affinity narrows @cpus
 */
struct error *setting_enter(const struct plan_variant *variant, struct setting_journal *journal,
			    hwloc_bitmap_t cpus);

/*
 * setting_recover - undoes what a dead fairtrial left: called at the start of every verb
 * Journals of a living process (by PID and start time) are left alone. Says on stderr what was put
 * back. Errors: a journal that is damaged or a value that cannot be put back.
 */
struct error *setting_recover(void);

/*
 * setting_record - the values in force now of what the variant sets, as @into["settings"], an object of
 * key and text; called after setting_enter(). A value that the kernel does not tell (affinity: see the
 * environment's "cpus") is as asked.
 */
void setting_record(const struct plan_variant *variant, json_t *into);

#endif
