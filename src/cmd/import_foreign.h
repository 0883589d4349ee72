/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import_foreign.h - files of other programs as one run: each file is a trial, or several
 */
#ifndef FT_CMD_IMPORT_FOREIGN_H
#define FT_CMD_IMPORT_FOREIGN_H

#include "result/foreign.h"

/* How the run is named; may be NULL: as the files say, else "imported". */
struct foreign_options {
	const struct foreign_format *format; /* NULL: what each file looks like */
	const char *label, *variant, *case_name, *program_version;
};

/*
 * foreign_run - reads all files into a new run
 * Its identity is made of what the files and the options say, so that the same import is known
 * again. Errors: ERR_INPUT with file and line for the first file that cannot be taken; names that
 * are no labels or variants; versions or parameters of one case that differ between files.
 */
struct error *foreign_run(const char *const *files, int n_files,
			  const struct foreign_options *options, struct run **out);

/* foreign_is_export - does the text begin as an export of fairtrial does? */
bool foreign_is_export(const char *text);

#endif
