/* SPDX-License-Identifier: MIT
 *
 * driver_names.c: every name of the real library, for those calls that are not
 * here (they say so), and what they are called in other versions of CUDA.
 */
#include "driver.h"

#include <string.h>

#define X(name, version)                                                       \
    DRIVER_API __attribute__((weak)) int name(void) {                          \
        return driver_refuse(VGPU_CALL_##name);                                \
    }
#include "driver_calls.def"
#undef X

static const struct driver_call calls[] = {
#define X(name, version) {#name, version, (int (*)(void))name},
#include "driver_calls.def"
#undef X
};
enum { N_CALLS = sizeof calls / sizeof *calls };

/* Is `name` the one asked for, or that with _v2, _v3 ...? Behind it may stand
 * of_thread: "", "_ptsz", "_ptds". */
static bool is_form_of(const char *name, const char *asked,
                       const char *of_thread) {
    size_t n = strlen(asked);
    if (strncmp(name, asked, n) != 0) return false;
    name += n;
    if (name[0] == '_' && name[1] == 'v' && name[2] >= '2' && name[2] <= '9')
        name += 3;
    return strcmp(name, of_thread) == 0;
}

const struct driver_call *driver_find(const char *asked, const char *of_thread,
                                      int version) {
    const struct driver_call *best = NULL;
    for (int k = 0; k < N_CALLS; k++)
        if (calls[k].version <= version &&
            is_form_of(calls[k].name, asked, of_thread) &&
            (!best || calls[k].version >= best->version))
            best = &calls[k];
    return best;
}
