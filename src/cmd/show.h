/* SPDX-License-Identifier: GPL-2.0-only */
/* show.h - private to `fairtrial show`: what it prints of a run and of a trial */
#ifndef FT_CMD_SHOW_H
#define FT_CMD_SHOW_H

#include "result/result.h"

/* show_run - header, environment, variants, cases, and the values of every trial; LOAD_VALUES */
void show_run(const struct run *run);

/* show_trial - trial @number (from 1) with its values by worker; LOAD_ALL */
void show_trial(const struct run *run, int number);

/* show_object - the members of a JSON object a line each, "a.b  value", @indent blanks from the left */
void show_object(const json_t *object, int indent);

/* show_settings - the members of an object on one line, "a = 1, b = x"; a new string */
char *show_settings(const json_t *object);

#endif
