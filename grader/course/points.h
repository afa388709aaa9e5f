/* SPDX-License-Identifier: MIT
 *
 * points.h: which rules points are made by, for lab.h's lab_points_version.
 */
#pragma once

#include <stdint.h>

#include "ini_file.h"

/* One more whenever the judge gives other points for the same lab.ini. */
#define POINTS_RULES "3"

/* Of every key and value that no person is to read, in their order. */
uint64_t points_digest(const struct ini_file *);
