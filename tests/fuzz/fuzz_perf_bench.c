// SPDX-License-Identifier: GPL-2.0-only
#define FOREIGN_FORMAT foreign_perf_bench

#include "foreign_target.h"
