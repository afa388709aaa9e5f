/* SPDX-License-Identifier: MIT
 *
 * clock_profile.c: see clock_profile.h.
 */
#include "clock_profile.h"

#include <string.h>

static const struct clock_profile profiles[] = {
#define CLOCK(id, what, ...) {.name = #id, .text = what, __VA_ARGS__},
#include "vgpu_clocks.def"
#undef CLOCK
};

const struct clock_profile *clock_profile_by_name(const char *name) {
    for (size_t k = 0; k < sizeof profiles / sizeof *profiles; k++)
        if (!strcmp(profiles[k].name, name)) return &profiles[k];
    return NULL;
}
