/* SPDX-License-Identifier: MIT
 *
 * clock_profile.c: see clock_profile.h.
 */
#include "clock_profile.h"

#include <stdlib.h>
#include <string.h>

static const struct clock_profile profiles[] = {
#define CLOCK(id, what, ...) {.name = #id, .text = what, __VA_ARGS__},
#include "vgpu_clocks.def"
#undef CLOCK
};

/* One to a billion, and nothing else. */
static bool clock_profile_number(const char *text, uint32_t *n) {
    size_t digits = strspn(text, "0123456789");
    *n = digits && digits < 10 ? (uint32_t)strtoul(text, NULL, 10) : 0;
    return *n && !text[digits];
}

bool clock_profile_find(const char *name, struct clock_profile *out) {
    const char *colon = strchr(name, ':');
    size_t n = colon ? (size_t)(colon - name) : strlen(name);
    for (size_t k = 0; k < sizeof profiles / sizeof *profiles; k++) {
        if (strncmp(profiles[k].name, name, n) || profiles[k].name[n]) continue;
        *out = profiles[k];
        return !colon || (out->counts_steps && !out->processors &&
                          clock_profile_number(colon + 1, &out->processors));
    }
    return false;
}
