/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * select.h - the names of `compare`, `explain`, `show`, `export` and `rm`, resolved against a store
 */
#ifndef FT_RESULT_SELECT_H
#define FT_RESULT_SELECT_H

#include "result/store.h"

/* A variant of a run. Several of them are one side of a comparison: sessions that are pooled. */
struct selection {
	int64_t run; /* id in the store */
	int variant; /* index into run.variants */
};

/*
 * store_resolve - the variants that a name of the command line means, by rising run id
 * @name: one of
 *          VARIANT        a variant of the newest run
 *          LABEL          the runs of that label, which must have one variant (by name)
 *          LABEL:VARIANT  the runs of that label, that variant
 *          #ID, #ID:VARIANT  one run by its id of `fairtrial list`
 *          :VARIANT, LABEL:  a variant, a label, where a bare name would be both
 * @out:  a new array of at least one; freed by the caller
 *
 * Variants that a run left out (result_variant.skipped) are passed over.
 * Errors: ERR_INPUT for a name that means nothing, several things, or only variants that were left
 * out; the message lists what there is.
 */
struct error *store_resolve(struct store *store, const char *name, struct selection **out, int *n);

/*
 * store_resolve_runs - the runs that ID or LABEL means, by rising id; digits alone are an id first
 * Errors: ERR_INPUT if there is none; the message lists what there is.
 */
struct error *store_resolve_runs(struct store *store, const char *name, int64_t **ids, int *n);

#endif
