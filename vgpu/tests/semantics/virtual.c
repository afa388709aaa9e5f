/* SPDX-License-Identifier: MIT
 *
 * virtual.c: programs on the virtual GPU (machine.h).
 */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "vgpu.h"
#include "said.h"

struct virtual_gpu {
    vgpu_device *device;
};

struct virtual_gpu *virtual_open(void) {
    struct virtual_gpu *v = calloc(1, sizeof *v);
    struct vgpu_options o = {.checks = 0};
    if (v) v->device = vgpu_open(&o, NULL);
    if (v && v->device) return v;
    free(v);
    return NULL;
}

void virtual_close(struct virtual_gpu *v) {
    if (v) vgpu_close(v->device);
    free(v);
}

static vgpu_status launch(vgpu_device *d, vgpu_module *m,
                          const struct program *p, const char *kernel,
                          uint64_t address) {
    struct program_shape s;
    uint8_t block[PROGRAM_PARAMETERS];
    vgpu_kernel *k;
    vgpu_status e = vgpu_module_kernel(m, kernel, &k);
    if (e) return e;
    program_get_shape(p, &s);
    program_parameters(p, address, block);
    return vgpu_launch(d, k, s.grid, s.block, s.dynamic_smem, block,
                       sizeof block);
}

bool virtual_run(struct virtual_gpu *v, const struct virtual_mode *mode,
                 const struct program *p, const char *ptx, const char *kernel,
                 uint8_t *memory, size_t bytes, char message[MACHINE_MESSAGE]) {
    struct vgpu_options o = {
        .checks = mode->checks,
        .clock = mode->clock,
        .schedule = mode->schedule ? VGPU_RANDOM : VGPU_IN_ORDER,
        .schedule_seed = mode->schedule,
        .memory_model = mode->memory ? VGPU_MEMORY_WEAK : VGPU_MEMORY_SC,
        .memory_seed = mode->memory};
    vgpu_device *d = v->device;
    vgpu_module *m = NULL;
    uint64_t address = 0;
    message[0] = 0;
    vgpu_configure(d, &o);
    vgpu_reset_findings(d);
    vgpu_status e = vgpu_module_load(d, ptx, strlen(ptx) + 1, &m);
    if (!e) e = vgpu_malloc(d, bytes, &address);
    if (!e) e = vgpu_write(d, address, memory, bytes);
    if (!e) e = launch(d, m, p, kernel, address);
    if (!e) e = vgpu_read(d, memory, address, bytes);
    if (e)
        snprintf(message, MACHINE_MESSAGE, "%s: %.900s", vgpu_status_name(e),
                 vgpu_last_message(d));
    const struct vgpu_finding *f;
    if (vgpu_findings(d, &f) && !*message)
        snprintf(message, MACHINE_MESSAGE, "%s: %.900s",
                 vgpu_finding_name(f->kind), said_by(f));
    if (e) { /* it may be sticky */
        vgpu_close(d);
        v->device = vgpu_open(&o, NULL);
        return false;
    }
    vgpu_free(d, address);
    vgpu_module_unload(d, m);
    return !*message;
}
