/* SPDX-License-Identifier: MIT
 *
 * recorded.c: what steps.h recorded, for vgpu.h.
 */
#include "device.h"
#include "vgpu_steps.h"

bool vgpu_steps_seen(const vgpu_device *d, struct vgpu_steps *seen) {
    if (d->steps) *seen = steps_seen(d->steps);
    return d->steps != NULL;
}
