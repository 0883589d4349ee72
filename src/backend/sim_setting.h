/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_setting.h - the settings of a variant in a simulated kernel
 *
 * Keys and accepted values are those of this machine (the table of setting_internal.h); here they
 * are made through the simulated kernel's own files and calls, so there is nothing to put back.
 */
#ifndef FT_BACKEND_SIM_SETTING_H
#define FT_BACKEND_SIM_SETTING_H

#include "base/json.h"
#include "plan/plan.h"
#include "sim/sim.h"

/*
 * sim_setting_check - what can be said without a kernel
 * Errors: ERR_INPUT with file and line for an unknown key or a wrong value; ERR_UNAVAILABLE for one
 * that has no meaning in the simulator. An affinity is checked against the CPUs of @machine.
 */
struct error *sim_setting_check(const struct plan *plan, const struct plan_variant *variant,
				const struct machine *machine);

/* sim_setting_narrow - leaves in @cpus those that the variant's affinity allows */
struct error *sim_setting_narrow(const struct plan_variant *variant, hwloc_bitmap_t cpus);

/*
 * sim_setting_system, sim_setting_workers - [task] make the settings of the system and of the
 * calling task, which its children inherit
 *
 * Errors: ERR_UNAVAILABLE, with what the kernel has instead, or ERR_INPUT as the kernel refuses it.
 */
struct error *sim_setting_system(const struct plan_variant *variant, struct sim *sim);
struct error *sim_setting_workers(const struct plan_variant *variant, struct sim *sim);

/*
 * sim_setting_record - what is in force on the simulated system, in @into as of a real host
 * (docs/environment.md): "features", "knobs", "sysctls"
 */
void sim_setting_record(struct sim *sim, json_t *into);

#endif
