/* SPDX-License-Identifier: MIT
 *
 * used.c: what a launch used, and findings about operations of a program: for
 * the server, which knows the program's streams (ordercheck).
 */
#include "device.h"
#include "device_hooks.h"

bool vgpu_last_used(const vgpu_device *d, size_t k, struct vgpu_used *out) {
    const struct use *u = d->uses && d->used_by ? uses_at(d->uses, k) : NULL;
    if (!u) return false;
    const struct program *p = &d->used_by->module->program;
    const struct insn *i = program_insn(p, u->insn);
    *out = (struct vgpu_used){.page = u->page, .how = u->how, .bits = u->bits};
    if (i && i->source) out->where = program_source(p->ptx, i->source->loc);
    return true;
}

bool vgpu_last_used_is_cut(const vgpu_device *d) {
    return d->uses && uses_are_cut(d->uses);
}

const char *vgpu_last_kernel(vgpu_device *d) {
    return d->used_by ? device_keep(d, d->used_by->name) : NULL;
}

void vgpu_host_moves(vgpu_device *d, bool (*may_move)(void *), void *host) {
    d->options.host_may_move = may_move;
    d->options.host = host;
}

vgpu_async vgpu_async_of(const vgpu_device *d, uint64_t *seed) {
    *seed = d->options.async_seed;
    return d->options.async;
}

void vgpu_report_order(vgpu_device *d, const struct vgpu_finding *finding) {
    struct vgpu_finding f = *finding;
    f.kernel = device_keep(d, f.kernel);
    device_add_finding(d, &f);
}

void vgpu_order_incomplete(vgpu_device *d, const char *reason,
                           const char *mend) {
    device_incomplete(d, VGPU_CHECK_ORDERCHECK, NULL, reason, mend);
}
