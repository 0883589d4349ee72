// SPDX-License-Identifier: GPL-2.0-only
/* verbs.c - the list of verbs; a verb is one file that defines one `verb_NAME` */
#include <string.h>

#include "cmd/verb.h"

extern const struct verb verb_compare;
extern const struct verb verb_explain;
extern const struct verb verb_export;
extern const struct verb verb_import;
extern const struct verb verb_list;
extern const struct verb verb_rm;
extern const struct verb verb_kernel;
extern const struct verb verb_run;
extern const struct verb verb_show;
extern const struct verb verb_topo;
extern const struct verb verb_trace;

/* in the order of the help */
static const struct verb *const verbs[] = {
	&verb_topo,   &verb_run,    &verb_compare, &verb_explain, &verb_list,  &verb_show,
	&verb_export, &verb_import, &verb_rm,	   &verb_kernel,  &verb_trace, NULL,
};

const struct verb *const *verb_all(void)
{
	return verbs;
}

const struct verb *verb_find(const char *name)
{
	for (const struct verb *const *verb = verbs; *verb; verb++)
		if (!strcmp((*verb)->name, name))
			return *verb;
	return NULL;
}
