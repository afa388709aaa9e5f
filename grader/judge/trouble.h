/* SPDX-License-Identifier: MIT
 *
 * trouble.h: did the submission fail, or the machine? A case is doubtful
 * (case_result.is_doubtful) if a lack of memory, processes or files, or a
 * killed process, could have ended it so. It runs once more, and the second
 * result counts. If that is doubtful, too, the judge itself asks the machine
 * for the same resources, because the submission may have forged what the
 * runner says. If the machine lacks them, that is the judge's trouble, and
 * changes no points.
 */
#pragma once

#include "case.h"

void trouble_run(void (*run)(const struct case_spec *, struct case_result *),
                 const struct case_spec *, struct case_result *);
