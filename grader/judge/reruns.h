/* SPDX-License-Identifier: MIT
 *
 * reruns.h: a case that failed is run again with one thing otherwise: what
 * comes of it tells what is wrong.
 */
#pragma once

#include "case.h"

/* The verdict stays; finding and difference may say more than before. */
void reruns_look(const struct case_spec *, struct case_result *);
