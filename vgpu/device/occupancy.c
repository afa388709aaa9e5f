/* SPDX-License-Identifier: MIT
 *
 * occupancy.c: how many blocks of a kernel a multiprocessor holds at once. The
 * device itself lets in as many as warps, blocks and shared memory allow;
 * registers are estimated by the clock (clock/registers.c), and only clocks
 * that say so are limited by them.
 */
#include <string.h>

#include "clock.h"
#include "device.h"
#include "device_hooks.h"

void occupancy_fits(const struct vgpu_profile *p, uint32_t warps, size_t shared,
                    uint32_t fits[VGPU_N_LIMITS]) {
    fits[VGPU_LIMIT_WARPS] = (uint32_t)p->warps_per_sm / warps;
    fits[VGPU_LIMIT_BLOCKS] = (uint32_t)p->blocks_per_sm;
    fits[VGPU_LIMIT_SHARED] =
        shared ? (uint32_t)((size_t)p->smem_per_sm / shared) : UINT32_MAX;
    fits[VGPU_LIMIT_REGISTERS] = UINT32_MAX;
}

/* Names in records are the device's own copies, one of each. */
static struct vgpu_kernel *loaded(vgpu_device *d, const char *name) {
    for (struct vgpu_module *m = d->modules; m; m = m->next)
        for (struct vgpu_kernel *k = m->kernels; k; k = k->next)
            if (k->recorded_in && !strcmp(k->name, name)) return k;
    return NULL;
}

/* A device without a clock borrows one for the estimate (*own, to be freed).
 * NULL: no memory. */
static struct clock *clock_for(vgpu_device *d, struct clock **own) {
    *own = NULL;
    if (d->clock) return d->clock;
    return *own = clock_new("h200", false, &d->memory.charges);
}

uint32_t vgpu_kernel_registers(const vgpu_kernel *k) {
    vgpu_device *d = k->module->device;
    struct clock *own;
    if (kernel_decode((struct vgpu_kernel *)k) != VGPU_OK) return 0;
    struct clock *clock = clock_for(d, &own);
    uint32_t n =
        clock ? clock_thread_registers(clock, k->function, d->profile) : 0;
    if (own) clock_free(own);
    return n;
}

static void by_registers(vgpu_device *d, struct vgpu_kernel *k,
                         struct vgpu_occupancy *o) {
    struct clock *own, *clock = clock_for(d, &own);
    if (!clock) return;
    o->registers = clock_thread_registers(clock, k->function, d->profile);
    o->fits[VGPU_LIMIT_REGISTERS] =
        clock_blocks_by_registers(clock, k->function, d->profile, o->warps);
    if (own) clock_free(own);
}

bool vgpu_occupancy(vgpu_device *d, const struct vgpu_launch_record *r,
                    struct vgpu_occupancy *o) {
    struct vgpu_kernel *k = loaded(d, r->kernel);
    uint64_t threads = (uint64_t)r->block[0] * r->block[1] * r->block[2];
    *o = (struct vgpu_occupancy){.blocks = UINT32_MAX};
    if (!k || !threads || kernel_decode(k) != VGPU_OK) return false;
    o->warps = (uint32_t)((threads + 31) / 32);
    o->most_warps = (uint32_t)d->profile->warps_per_sm;
    o->shared_bytes = k->shared_static + r->dynamic_smem_bytes;
    occupancy_fits(d->profile, o->warps, o->shared_bytes, o->fits);
    by_registers(d, k, o);
    for (int l = 0; l < VGPU_N_LIMITS; l++)
        if (o->fits[l] < o->blocks) {
            o->blocks = o->fits[l];
            o->limit = (vgpu_limit)l;
        }
    return true;
}
