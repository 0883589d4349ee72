// SPDX-License-Identifier: GPL-2.0-only
#define FOREIGN_FORMAT foreign_dbench

#include "foreign_target.h"
