/* SPDX-License-Identifier: MIT
 *
 * kernel.c: kernels of a module: parameters, resources.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

static const char kernels[] = "an image's kernels";

void kernel_free(struct vgpu_kernel *k) {
    struct charges *c = &k->module->device->memory.charges;
    charges_free(c, k->param_offset);
    charges_free(c, k->param_size);
    charges_free(c, k);
}

/* The parameter block's layout is known without decoding the body. */
static bool lay_out_params(struct vgpu_kernel *k) {
    const struct ptx_function *f = k->function->ptx;
    struct charges *c = &k->module->device->memory.charges;
    size_t bytes = (f->n_params + (size_t)1) * sizeof(uint32_t);
    k->param_offset = charges_zeroed(c, bytes, kernels);
    k->param_size = charges_zeroed(c, bytes, kernels);
    if (!k->param_offset || !k->param_size) return false;
    uint32_t end = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        uint32_t align = f->params[i].align;
        if (!align) align = ptx_type_bytes(f->params[i].type);
        if (!align) align = 1;
        end = (end + align - 1) / align * align;
        k->param_offset[i] = end;
        k->param_size[i] = (uint32_t)f->params[i].bytes;
        end += k->param_size[i];
    }
    return true;
}

vgpu_status vgpu_module_kernel(vgpu_module *m, const char *name,
                               vgpu_kernel **out) {
    for (struct vgpu_kernel *k = m->kernels; k; k = k->next)
        if (!strcmp(k->mangled, name)) {
            *out = k;
            return VGPU_OK;
        }
    struct function *f =
        program_function(&m->program, ptx_find_name(m->program.ptx, name));
    if (!f || !f->ptx->is_entry)
        return device_fail(m->device, VGPU_INVALID_FUNCTION,
                           "the module has no kernel '%s'", name);
    struct vgpu_kernel *k =
        charges_zeroed(&m->device->memory.charges, sizeof *k, kernels);
    if (!k) return device_fail(m->device, VGPU_OUT_OF_MEMORY, "out of memory");
    k->module = m;
    k->function = f;
    k->dynamic_limit = (size_t)m->device->profile->smem_per_block;
    demangle(name, k->name, sizeof k->name);
    snprintf(k->mangled, sizeof k->mangled, "%s", name);
    if (!lay_out_params(k)) {
        kernel_free(k);
        return device_fail(m->device, VGPU_OUT_OF_MEMORY, "out of memory");
    }
    k->next = m->kernels;
    m->kernels = k;
    *out = k;
    return VGPU_OK;
}

/* A kernel that launches kernels may launch any: what they all have is known
 * before the first of them runs (racecheck). One that cannot be decoded says so
 * when it is launched. */
static void decode_all(struct program *p) {
    for (uint32_t i = 0; p->launches && i < p->n_functions; i++) {
        struct decode_error ignored = {0};
        if (program_is_late(p, 1)) return;
        if (p->functions[i].ptx->is_entry)
            program_decode(p, &p->functions[i], &ignored);
    }
}

static vgpu_status decoded(struct vgpu_kernel *k) {
    k->shared_static = k->function->shared_at + k->function->shared_bytes;
    return VGPU_OK;
}

vgpu_status kernel_decode(struct vgpu_kernel *k) {
    vgpu_device *d = k->module->device;
    if (k->function->decoded) return decoded(k);
    struct decode_error e = {0};
    if (!program_decode(&k->module->program, k->function, &e)) {
        device_tell_limit(d, k->name);
        if (d->memory.charges.refused || e.no_memory)
            return device_fail(d, VGPU_OUT_OF_MEMORY, "%s", e.message);
        bool late = k->module->program.stopped;
        struct vgpu_finding f = {.kind = late ? VGPU_FINDING_BUDGET
                                              : VGPU_FINDING_UNSUPPORTED};
        f.where = e.where;
        f.kernel = device_keep(d, k->name);
        VGPU_SAY(&f.message, IMAGE, .why = e.message);
        if (!k->is_refused) device_add_finding(d, &f);
        k->is_refused = true; /* reported once, however often it is asked for */
        return device_fail(d, late ? VGPU_LAUNCH_TIMEOUT : VGPU_UNSUPPORTED,
                           "%s", e.message);
    }
    decode_all(&k->module->program);
    return decoded(k);
}

void vgpu_kernel_info(const vgpu_kernel *k, struct vgpu_kernel_info *info) {
    const struct ptx_function *f = k->function->ptx;
    kernel_decode((struct vgpu_kernel *)k);
    uint32_t n = f->n_params;
    memset(info, 0, sizeof *info);
    info->name = k->mangled;
    info->n_params = n;
    info->param_bytes = n ? k->param_offset[n - 1] + k->param_size[n - 1] : 0;
    info->param_offset = k->param_offset;
    info->param_size = k->param_size;
    info->static_smem_bytes = k->shared_static;
    info->local_bytes = k->function->local_bytes;
    info->registers = 32;
    info->ptx_target = k->module->program.ptx->target_sm;
    info->max_threads_per_block = 1024;
    memcpy(info->cluster, f->cluster, sizeof info->cluster);
    uint32_t most = f->max_threads[0];
    if (most && f->max_threads[1]) most *= f->max_threads[1];
    if (most && f->max_threads[2]) most *= f->max_threads[2];
    if (most) info->max_threads_per_block = most;
}

vgpu_status vgpu_kernel_set_max_dynamic_smem(vgpu_kernel *k, size_t bytes) {
    const struct vgpu_profile *p = k->module->device->profile;
    if (bytes > (size_t)p->smem_per_block_optin)
        return device_fail(k->module->device, VGPU_INVALID_VALUE,
                           "%zu bytes of dynamic shared memory; this device "
                           "has at most %d per block",
                           bytes, p->smem_per_block_optin);
    k->dynamic_limit = bytes;
    asked_add(k->module->device,
              &(struct vgpu_asked){.kind = VGPU_ASKED_DYNAMIC,
                                   .module = k->module->number - 1,
                                   .name = k->mangled,
                                   .bytes = bytes});
    return VGPU_OK;
}

int vgpu_max_blocks_per_sm(const vgpu_kernel *k, uint32_t threads,
                           size_t dynamic) {
    const struct vgpu_profile *p = k->module->device->profile;
    uint32_t fits[VGPU_N_LIMITS], blocks = UINT32_MAX;
    kernel_decode((struct vgpu_kernel *)k);
    if (!threads || threads > 1024) return 0;
    occupancy_fits(p, (threads + 31) / 32, k->shared_static + dynamic, fits);
    for (int l = 0; l < VGPU_N_LIMITS; l++)
        if (fits[l] < blocks) blocks = fits[l];
    return (int)blocks;
}
