// SPDX-License-Identifier: GPL-2.0-only
#define FOREIGN_FORMAT foreign_fastpath

#include "foreign_target.h"
