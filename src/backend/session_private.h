/* SPDX-License-Identifier: GPL-2.0-only */
/* session_private.h - between the files of a session */
#ifndef FT_BACKEND_SESSION_PRIVATE_H
#define FT_BACKEND_SESSION_PRIVATE_H

#include "backend/session.h"

/* session_label - of the results: --label, else the plan's, else the plan's name; borrowed */
const char *session_label(const struct session *session);

#endif
