/* SPDX-License-Identifier: MIT
 *
 * recorded.c: what steps.h recorded, for vgpu.h.
 */
#include "device.h"
#include "device_hooks.h"
#include "vgpu_steps.h"

void vgpu_watch_word(vgpu_device *d, uint64_t address, uint32_t bytes) {
    if (d->steps) steps_watch_word(d->steps, address, bytes);
}

bool vgpu_word_writer(const vgpu_device *d, struct vgpu_word_writer *writer) {
    return d->steps && steps_word_writer(d->steps, writer);
}

bool vgpu_names_launches(const vgpu_device *d) {
    return d->steps != NULL;
}

void vgpu_launched_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    if (d->steps) steps_launched_from(d->steps, callers);
}

bool vgpu_copies_begin(vgpu_device *d) {
    if (d->steps) steps_copies_begin(d->steps);
    return d->steps != NULL;
}

void vgpu_copied_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    if (d->steps) steps_copied_from(d->steps, callers);
}

bool vgpu_steps_seen(const vgpu_device *d, struct vgpu_steps *seen) {
    if (d->steps) *seen = steps_seen(d->steps);
    return d->steps != NULL;
}
