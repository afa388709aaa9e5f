/* SPDX-License-Identifier: MIT
 *
 * profile.h: which of the virtual GPU's profiles a check runs on.
 */
#pragma once

#include "fact.h"
#include "lab.h"

/* NULL: the usual one. A check that names none gets one that can run PTX for
 * compute capability `arch` (0: the usual one). */
const char *profile_name(const struct lab_check *, int arch);
/* Can the check's own profile not run PTX for arch? Then *why says so. */
bool profile_too_old(const struct lab_check *, int arch, struct fact *why);
