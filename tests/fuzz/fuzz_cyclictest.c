// SPDX-License-Identifier: GPL-2.0-only
#define FOREIGN_FORMAT foreign_cyclictest

#include "foreign_target.h"
