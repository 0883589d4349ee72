/* SPDX-License-Identifier: GPL-2.0-only */
/* release.h - which fairtrial this is; in files of its own, so that a commit rebuilds one of them */
#ifndef FT_BASE_RELEASE_H
#define FT_BASE_RELEASE_H

/*
 * fairtrial_version - "0.1.0 (fb9258ee20d2)": the release, and the commit that it was built from, with
 * "-dirty" behind it where files were changed; "0.1.0 (built without git)" of a tarball
 */
const char *fairtrial_version(void);

/* fairtrial_built_with - the compiler, and the libraries that it was built with or found; a new string */
char *fairtrial_built_with(void);

#endif
