/* SPDX-License-Identifier: MIT
 *
 * profile.c: see profile.h.
 */
#include "profile.h"

#include <string.h>
#include <vgpu.h>

enum { USUAL_CAPABILITY = 75 }; /* of the profile of checks that name none */

static const struct vgpu_profile *profile_of(const struct lab_check *check) {
    const struct vgpu_profile *list;
    size_t n = vgpu_profiles(&list);
    for (size_t i = 0; check->profile && i < n; i++)
        if (strcmp(list[i].name, check->profile) == 0) return &list[i];
    return NULL;
}

const char *profile_name(const struct lab_check *check, int arch) {
    if (check->profile || arch <= USUAL_CAPABILITY) return check->profile;
    return "teach90";
}

bool profile_too_old(const struct lab_check *check, int arch,
                     struct fact *why) {
    const struct vgpu_profile *p = profile_of(check);
    if (!p || arch <= USUAL_CAPABILITY || p->capability >= arch) return false;
    *why = FACT(PROFILE_TOO_OLD, {V(p->name), V(p->capability), V(arch)});
    return true;
}
