/* SPDX-License-Identifier: MIT
 *
 * child_errors.c: see child_errors.h.
 */
#include "child_errors.h"

#include "fault.h"

/* NULL: no memory. */
static struct child_errors *errors_of(struct block *b) {
    const struct machine *m = b->machine;
    if (b->errors) return b->errors;
    b->errors = charges_zeroed(&m->memory->charges,
                               sizeof *b->errors +
                                   m->threads_per_block * sizeof(uint16_t),
                               "errors of launches by kernels");
    return b->errors;
}

static uint32_t thread_here(const struct context *c, uint32_t lane) {
    return c->warp->index * WARP_LANES + lane;
}

void child_failed(struct context *c, uint32_t lane, unsigned error,
                  const struct vgpu_message *why) {
    struct child_errors *e = errors_of(context_block(c));
    if (!e) {
        c->machine->status = VGPU_OUT_OF_MEMORY;
        return;
    }
    e->of_thread[thread_here(c, lane)] = (uint16_t)error;
    if (!why || e->n_refused == CHILD_REFUSED) return;
    e->refused[e->n_refused++] =
        (struct child_refused){c->insn, thread_here(c, lane), *why};
}

unsigned child_last_error(struct context *c, uint32_t lane, bool take) {
    struct child_errors *e = context_block(c)->errors;
    if (!e) return CHILD_SUCCESS;
    uint32_t thread = thread_here(c, lane), n = 0;
    unsigned error = e->of_thread[thread];
    for (uint32_t k = 0; k < e->n_refused; k++)
        if (e->refused[k].thread != thread) e->refused[n++] = e->refused[k];
    e->n_refused = n;
    if (take) e->of_thread[thread] = CHILD_SUCCESS;
    return error;
}

static void child_report(struct block *b, const struct child_refused *r) {
    struct context c = {.machine = b->machine,
                        .warp = &b->warps[r->thread / WARP_LANES],
                        .insn = r->insn};
    struct vgpu_message m;
    VGPU_SAY(&m, LAUNCH_UNREAD, .why = &r->why);
    exec_report(&c, VGPU_FINDING_DEVICE_LAUNCH,
                (struct fault_at){.lane = r->thread % WARP_LANES}, &m);
}

void child_block_ended(struct block *b) {
    struct child_errors *e = b->errors;
    if (!e) return;
    for (uint32_t k = 0; k < e->n_refused; k++) child_report(b, &e->refused[k]);
    child_block_freed(b);
}

void child_block_freed(struct block *b) {
    charges_free(&b->machine->memory->charges, b->errors);
    b->errors = NULL;
}
