/* SPDX-License-Identifier: MIT
 *
 * formats.h: the writers of formats.def, one per file; for report.c only.
 */
#pragma once

#include "report.h"

#define X(name, write, text)                                                   \
    bool write(FILE *, const struct grade *, const struct report_options *);
#include "formats.def"
#undef X
