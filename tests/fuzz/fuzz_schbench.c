// SPDX-License-Identifier: GPL-2.0-only
#define FOREIGN_FORMAT foreign_schbench

#include "foreign_target.h"
