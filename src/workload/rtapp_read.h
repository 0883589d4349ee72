/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rtapp_read.h - what the readers of rt-app files share: values with their paths; private
 */
#ifndef FT_WORKLOAD_RTAPP_READ_H
#define FT_WORKLOAD_RTAPP_READ_H

#include "base/ordered_json.h"
#include "workload/rtapp_file.h"

/* a value of the file and how it is called in messages: "tasks/light/run" */
struct rtapp_at {
	const struct rtapp_file *file;
	const struct ojson *value;
	const char *path;
};

/* rtapp_wrong - ERR_INPUT at the value: "column 3: tasks/light/run: " and the rest (printf-style) */
struct error *rtapp_wrong(const struct rtapp_at *at, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull, warn_unused_result));

/* values of a type and within limits, or an error that says what is accepted */
struct error *rtapp_integer(const struct rtapp_at *at, int64_t min, int64_t max, int64_t *out);
struct error *rtapp_microseconds(const struct rtapp_at *at, uint64_t *ns);
struct error *rtapp_string(const struct rtapp_at *at, const char **out);
struct error *rtapp_object_of(const struct rtapp_at *at);

/* rtapp_policy - "SCHED_OTHER" and the like */
struct error *rtapp_policy(const struct rtapp_at *at, int *out);

/* rtapp_unknown - there is no such key here; @known for "did you mean", ends with NULL */
struct error *rtapp_unknown(const struct rtapp_at *at, const char *const *known);

/* rtapp_twice - is the key of item @index in front of it in @object too? Then an error with its line */
struct error *rtapp_twice(const struct rtapp_at *at, const struct ojson *object, int index);

/* ---- rtapp_event.c ---- */

/* rtapp_is_event - is the key the name of an event, with or without a number or "_..." behind it? */
bool rtapp_is_event(const char *key);

/* rtapp_read_event - adds one to a phase of a task */
struct error *rtapp_read_event(const struct rtapp_at *at, struct rtapp_file *file,
			       const struct rtapp_task *task, struct rtapp_phase *phase);

/* names of all events, ends with NULL */
extern const char *const rtapp_event_names[];

/* ---- rtapp_check.c ---- */

/*
 * rtapp_check_waits - ERR_INPUT, at the event, for a mutex that is unlocked or waited under without being held, locked
 * twice or kept for ever, and for who waits or is suspended for ever, or resumes nobody
 */
struct error *rtapp_check_waits(const struct rtapp_file *file);

/* ---- rtapp_properties.c ---- */

/* rtapp_is_property - policy, priority, nice, dl-..., cpus and those that are refused */
bool rtapp_is_property(const char *key);
struct error *rtapp_read_property(const struct rtapp_at *at, struct rtapp_properties *into);

/* rtapp_check_properties - do they go together? @policy is what holds when they are applied */
struct error *rtapp_check_properties(const struct rtapp_file *file,
				     const struct rtapp_properties *properties, int policy);
extern const char *const rtapp_property_names[];

#endif
