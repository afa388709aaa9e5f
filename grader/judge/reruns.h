/* SPDX-License-Identifier: MIT
 *
 * reruns.h: runs a case that failed again, each time with one thing changed
 * (every check on, other contents of memory, ...): the results show the cause.
 */
#pragma once

#include "case.h"

/* The verdict stays; finding and difference may say more than before. */
void reruns_look(const struct case_spec *, struct case_result *);
