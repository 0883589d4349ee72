/* SPDX-License-Identifier: GPL-2.0-only */
/* No vdso, so no clock modes of its own; wanted since 7.3. */
