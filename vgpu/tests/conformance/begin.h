/* SPDX-License-Identifier: MIT
 *
 * begin.h: what most conformance programs begin with (case.h).
 */
#pragma once

#include <stdio.h>

#include "case.h"

void begin_file(FILE *, const char *version, const char *target);
/* first: the kernel's name, and directives behind it if there are any. */
bool begin_kernel(FILE *, const struct conformance_case *, const char *first);
