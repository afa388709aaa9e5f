/* SPDX-License-Identifier: MIT
 *
 * trouble.h: is it the submission, or the machine? A case that ended as it
 * could for want of memory, processes or files, or because something was killed
 * (case_result.is_doubtful) says nothing yet. It runs once more. What it is
 * then counts, unless that is doubtful again: then the machine is asked, by
 * tries of our own, because the runner's words are the submission's, too. What
 * lacks something is the judge's trouble, and never costs or gives a point.
 */
#pragma once

#include "case.h"

void trouble_run(void (*run)(const struct case_spec *, struct case_result *),
                 const struct case_spec *, struct case_result *);
