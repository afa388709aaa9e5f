/* SPDX-License-Identifier: MIT
 *
 * profile.h: which of the virtual GPU's profiles a check runs on.
 */
#pragma once

#include "fact.h"
#include "lab.h"

/* What a check gets that names this one for PTX of compute capability `arch`
 * (0: the usual one): in the place of none a small one of that capability, in
 * the place of an older H200 a large one. NULL: the usual one. */
const char *profile_name(const char *named, int arch);
/* Can the profile of this name not run PTX for arch? Then *why says so. */
bool profile_too_old(const char *name, int arch, struct fact *why);
