/* SPDX-License-Identifier: MIT
 *
 * failing.c: calls of the program that fail because somebody wants to see what
 * it does then.
 */
#include <string.h>

#include "device.h"
#include "device_hooks.h"

void vgpu_fail_call(vgpu_device *d, uint64_t number) {
    d->until_failure = number;
    d->failed = (struct vgpu_failed){0};
}

bool vgpu_fails_call(vgpu_device *d, const char *call, bool has_other_way) {
    if (!d->until_failure || --d->until_failure) return false;
    d->failed.call = call;
    d->failed.has_other_way = has_other_way;
    return true;
}

void vgpu_failed_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    memcpy(d->failed.callers, callers, sizeof d->failed.callers);
}

const struct vgpu_failed *vgpu_failed(const vgpu_device *d) {
    return &d->failed;
}
