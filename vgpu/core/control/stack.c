/* SPDX-License-Identifier: MIT
 *
 * stack.c: alloca, stacksave, stackrestore (PTX ISA, "Stack Manipulation
 * Instructions"). A frame's local variables are followed by what it has
 * allocated since, of each lane as much as that lane asked for; behind the
 * longest of them begins the frame of a function that it calls. What a
 * stacksave gives is that many bytes.
 */
#include <stdlib.h>

#include "fault.h"
#include "frames.h"
#include "watch.h"

uint64_t frame_local_end(const struct frame *f) {
    uint32_t most = 0;
    for (int l = 0; f->allocated && l < WARP_LANES; l++)
        if (f->allocated[l] > most) most = f->allocated[l];
    return ((uint64_t)f->local_base + f->function->local_bytes + most + 15) &
           ~15ull;
}

/* The thread's stack is too small. */
static bool is_full(struct context *c, uint32_t lane,
                    const struct vgpu_message *message) {
    return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                      (struct fault_at){.lane = lane}, message);
}

static bool allocate(struct context *c, struct frame *f, uint32_t l) {
    uint64_t align = c->insn->operands.immediate;
    uint64_t base = (uint64_t)f->local_base + f->function->local_bytes;
    uint64_t at = (base + f->allocated[l] + align - 1) & ~(align - 1);
    uint64_t bytes = context_lane(c, c->insn->operands.at[1], l);
    uint64_t limit = c->warp->local_bytes;
    if (at > limit || bytes > limit - at) {
        struct vgpu_message m;
        VGPU_SAY(&m, ALLOCA, .bytes = bytes, .size = c->warp->local_bytes);
        return is_full(c, l, &m);
    }
    f->allocated[l] = (uint32_t)(at + bytes - base);
    context_set_lane(c, c->insn->operands.at[0], l, at);
    return true;
}

static bool restore(struct context *c, struct frame *f, uint32_t l,
                    uint64_t saved) {
    if (saved > f->allocated[l]) {
        struct vgpu_message m;
        VGPU_SAY(&m, STACK_RESTORE, .bytes = saved,
                 .size = c->warp->local_bytes);
        return is_full(c, l, &m);
    }
    f->allocated[l] = (uint32_t)saved;
    return true;
}

bool exec_stack(struct context *c) {
    const struct insn *i = c->insn;
    struct frame *f = c->group->frame;
    if (!f->allocated)
        f->allocated = charges_zeroed(&c->machine->memory->charges,
                                      WARP_LANES * sizeof *f->allocated,
                                      "what its threads allocate on the stack");
    if (!f->allocated) {
        c->machine->status = VGPU_OUT_OF_MEMORY;
        return false;
    }
    if (i->mode != STACK_SAVE)
        watch_chosen(c->machine->watching, c,
                     i->operands.at[i->mode == STACK_ALLOCATE], c->lanes->mask);
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(m);
        uint64_t saved;
        switch (i->mode) {
        case STACK_SAVE:
            context_set_lane(c, i->operands.at[0], l, f->allocated[l]);
            break;
        case STACK_ALLOCATE:
            if (!allocate(c, f, l)) return false;
            break;
        default:
            saved = context_lane(c, i->operands.at[0], l);
            if (!restore(c, f, l, saved)) return false;
        }
    }
    if (i->mode != STACK_RESTORE)
        watch_produced(c->machine->watching, c, c->lanes->mask);
    return true;
}
