// SPDX-License-Identifier: GPL-2.0-only
#include "base/release.h"

#include <jansson.h>
#include <sqlite3.h>

#include "base/commit.h"
#include "base/memory.h"
#include "version.h"

#ifdef __clang__
#define COMPILER "Clang " __clang_version__
#else
#define COMPILER "GCC " __VERSION__
#endif

const char *fairtrial_version(void)
{
	return FT_VERSION " (" FT_COMMIT ")";
}

char *fairtrial_built_with(void)
{
	return memory_format(COMPILER "; SQLite %s, Jansson %s, " FT_LIBRARIES,
			     sqlite3_libversion(), jansson_version_str());
}
