/* SPDX-License-Identifier: MIT
 *
 * profile.c: see profile.h.
 */
#include "profile.h"

#include <string.h>
#include <vgpu.h>

enum { USUAL_CAPABILITY = 75 }; /* of the profile of checks that name none */

/* For PTX of each compute capability: a GPU with few multiprocessors, and one
 * with many; NULL: what checks name can run it. */
static const struct {
    int arch;
    const char *few, *many;
} gpus[] = {{80, "teach80", NULL},     {86, "teach86", NULL},
            {89, "teach89", NULL},     {90, "teach90", NULL},
            {100, "teach100", "b200"}, {120, "teach120", "rtx5090"}};
/* Who names it wants many multiprocessors. Who names another one wants an old
 * GPU, which nothing newer can take the place of. */
static const char large[] = "h200";

static const struct vgpu_profile *profile_of(const char *name) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    for (size_t i = 0; name && i < n; i++)
        if (strcmp(list[i].name, name) == 0) return &list[i];
    return NULL;
}

const char *profile_name(const char *named, int arch) {
    bool is_large = named && strcmp(named, large) == 0;
    if (named && !is_large) return named;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        if (gpus[i].arch != arch) continue;
        if (!named) return gpus[i].few;
        if (gpus[i].many) return gpus[i].many;
    }
    return named;
}

bool profile_too_old(const char *name, int arch, struct fact *why) {
    const struct vgpu_profile *p = profile_of(name);
    if (!p || arch <= USUAL_CAPABILITY || p->capability >= arch) return false;
    *why = FACT(PROFILE_TOO_OLD, {V(p->name), V(p->capability), V(arch)});
    return true;
}
