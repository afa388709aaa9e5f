/* SPDX-License-Identifier: MIT
 *
 * call.c: frames, calls and returns.
 *
 * Parameters travel through the call area of each frame: bytes per lane, the
 * callee's own parameters and returns first, then the .param variables its
 * calls use. A frame lives as long as a group or join refers to it.
 */
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "frames.h"
#include "groups.h"
#include "watch.h"

void frame_fill(const struct frame *f, uint32_t at, char class,
                uint64_t value) {
    uint8_t *r = f->registers + at;
    if (class == 'p') *(uint32_t *)(void *)r = (uint32_t)value;
    for (int l = 0; class == 'w' && l < WARP_LANES; l++)
        ((uint32_t *)(void *)r)[l] = (uint32_t)value;
    for (int l = 0; class == 'd' && l < WARP_LANES; l++)
        ((uint64_t *)(void *)r)[l] = value;
}

static uint64_t parameter(const struct machine *m, const struct fill *x) {
    uint64_t v = 0;
    memcpy(&v, m->params + x->value, x->bytes);
    if (x->type == PTX_S8) v = (uint64_t)(int64_t)(int8_t)v;
    if (x->type == PTX_S16) v = (uint64_t)(int64_t)(int16_t)v;
    if (x->type == PTX_S32) v = (uint64_t)(int64_t)(int32_t)v;
    return x->narrow ? v & 0xffff : v;
}

/* What is the same for every block that uses this slot of the warp. */
static void fill_launch(const struct machine *m, const struct frame *f,
                        const struct warp *w) {
    for (uint32_t k = 0; k < f->function->n_fills; k++) {
        const struct fill *x = &f->function->fills[k];
        uint64_t value = x->value;
        if (x->kind == FILL_LOCAL) value += f->local_base;
        if (x->kind == FILL_DYNAMIC_SHARED) value += m->shared_static;
        if (x->kind == FILL_PARAM) value = parameter(m, x);
        frame_fill(f, x->at, x->class, value);
    }
    specials_of_launch(m, f, w);
}

void frame_enter_block(struct frame *f, const struct block *b) {
    specials_of_block(f, b);
    if (f->allocated)
        memset(f->allocated, 0, WARP_LANES * sizeof *f->allocated);
}

static struct frame *frame_allocate(struct machine *m,
                                    const struct function *fn,
                                    uint8_t *registers) {
    static const char what[] = "registers and calls of its warps";
    struct charges *c = &m->memory->charges;
    struct frame *f = charges_zeroed(c, sizeof *f, what);
    if (!f) return NULL;
    f->function = fn;
    f->borrows = registers != NULL;
    f->registers =
        registers ? registers : charges_bytes(c, fn->register_bytes, what);
    size_t taint = 2 * (fn->register_bytes / 64 + 1);
    if (m->track_data)
        f->taint = charges_zeroed(c, taint * sizeof *f->taint, what);
    size_t area = (size_t)fn->call_bytes * WARP_LANES;
    if (area) f->params = charges_zeroed(c, area, what);
    if (area && m->track_data)
        f->param_taint = charges_zeroed(c, bits_size(area), what);
    if (!f->registers || (m->track_data && !f->taint) ||
        (area && (!f->params || (m->track_data && !f->param_taint)))) {
        frame_free(m, f);
        return NULL;
    }
    if (!f->borrows) memset(f->registers, 0, fn->register_bytes);
    return f;
}

void frame_free(struct machine *m, struct frame *f) {
    struct charges *c = &m->memory->charges;
    if (!f) return;
    if (!f->borrows) charges_free(c, f->registers);
    charges_free(c, f->allocated);
    charges_free(c, f->taint);
    charges_free(c, f->params);
    charges_free(c, f->param_taint);
    charges_free(c, f);
}

static struct frame *frame_begin(struct machine *m, struct frame *f,
                                 struct warp *w, struct frame *caller) {
    if (!f) return NULL;
    f->next_free = NULL;
    f->references = 0;
    f->caller = caller;
    f->local_base = caller ? (uint32_t)frame_local_end(caller) : 0;
    f->depth = caller ? caller->depth + 1 : 0;
    if (caller) caller->references++;
    fill_launch(m, f, w);
    if (caller) frame_enter_block(f, w->block);
    return f;
}

struct frame *frame_new(struct machine *m, const struct function *fn,
                        struct warp *w, struct frame *caller) {
    struct frame **p = &m->free_frames;
    while (*p && (*p)->function != fn) p = &(*p)->next_free;
    struct frame *f = *p;
    if (f)
        *p = f->next_free;
    else
        f = frame_allocate(m, fn, NULL);
    return frame_begin(m, f, w, caller);
}

struct frame *frame_root(struct machine *m, struct warp *w,
                         uint8_t *registers) {
    return frame_begin(m, frame_allocate(m, m->kernel, registers), w, NULL);
}

void frame_release(struct machine *m, struct frame *f) {
    while (f && --f->references == 0) {
        struct frame *caller = f->caller;
        if (!caller) return; /* a warp's root stays for its next block */
        f->next_free = m->free_frames;
        m->free_frames = f;
        f = caller;
    }
}

void exec_free_frames(struct machine *m) {
    while (m->free_frames) {
        struct frame *next = m->free_frames->next_free;
        frame_free(m, m->free_frames);
        m->free_frames = next;
    }
    while (m->free_joins) {
        struct join *next = m->free_joins->next;
        charges_free(&m->memory->charges, m->free_joins);
        m->free_joins = next;
    }
}

/* ---- calls ---- */

static void copy_area(struct frame *to, uint32_t to_at, struct frame *from,
                      uint32_t from_at, uint32_t bytes, uint32_t mask) {
    uint32_t to_stride = to->function->call_bytes;
    uint32_t from_stride = from->function->call_bytes;
    for (; mask; mask &= mask - 1) {
        uint32_t l = (uint32_t)__builtin_ctz(mask);
        size_t t = (size_t)l * to_stride + to_at;
        size_t s = (size_t)l * from_stride + from_at;
        memcpy(to->params + t, from->params + s, bytes);
        if (!to->param_taint || !from->param_taint) continue;
        bits_copy(to->param_taint, t, from->param_taint, s, bytes, false);
    }
}

static bool call_enter(struct context *c, const struct call *call,
                       const struct function *fn) {
    struct group *g = c->group;
    uint32_t lane = (uint32_t)__builtin_ctz(g->mask);
    struct frame *caller = g->frame;
    uint64_t local = frame_local_end(caller);
    if (caller->depth >= MAX_CALL_DEPTH ||
        local + fn->local_bytes > c->warp->local_bytes) {
        struct vgpu_message m;
        VGPU_SAY(&m, STACK_CALLS, .calls = caller->depth);
        return exec_fault(c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
                          (struct fault_at){.lane = lane}, &m);
    }
    struct frame *f = frame_new(c->machine, fn, c->warp, caller);
    if (!f) {
        c->machine->status = VGPU_OUT_OF_MEMORY;
        return false;
    }
    for (uint32_t k = 0; k < call->n_args && k < fn->n_params; k++)
        if (call->arg_bytes[k] == fn->params[k].bytes && call->arg_bytes[k])
            copy_area(f, fn->params[k].offset, caller, call->arg_at[k],
                      call->arg_bytes[k], g->mask);
    f->return_to = g->pc;
    f->call = call;
    f->references++;
    caller->references--; /* the group moves; the callee holds the caller */
    g->frame = f;
    g->pc = 0;
    c->registers = f->registers;
    return true;
}

static const struct function *by_address(struct context *c, uint64_t address) {
    struct program *p = c->machine->program;
    uint64_t k = (address - FUNCTION_WINDOW) / FUNCTION_STRIDE;
    if (address < FUNCTION_WINDOW || !k || k > p->n_functions) return NULL;
    const struct function *f = &p->functions[k - 1];
    return f->decoded && !f->ptx->is_entry ? f : NULL;
}

/* Lanes may want different functions: those that agree with the first go now,
 * the others become a group that comes back to this call. */
static bool call_indirect(struct context *c, const struct call *call) {
    struct group *g = c->group;
    const uint64_t *a = (const uint64_t *)(c->registers + call->target);
    uint32_t lane = (uint32_t)__builtin_ctz(g->mask), agree = 0;
    for (uint32_t m = g->mask; m; m &= m - 1)
        if (a[__builtin_ctz(m)] == a[lane]) agree |= 1u << __builtin_ctz(m);
    const struct function *fn = by_address(c, a[lane]);
    if (!fn) {
        struct vgpu_message m;
        VGPU_SAY(&m, NO_FUNCTION, .address = a[lane]);
        return exec_fault(
            c, VGPU_ILLEGAL_ADDRESS, VGPU_FINDING_OUT_OF_BOUNDS,
            (struct fault_at){.lane = lane, .address = a[lane], .bytes = 0},
            &m);
    }
    watch_chosen(c->machine->watching, c, call->target, agree);
    if (agree != g->mask) {
        group_add(c->warp, g->mask & ~agree, g->pc - 1, g->frame, g->join);
        g->mask = agree;
    }
    return call_enter(c, call, fn);
}

bool exec_call(struct context *c) {
    const struct call *call = c->insn->extra;
    if (call->builtin) return exec_builtin(c, call);
    if (!call->callee) return call_indirect(c, call);
    return call_enter(c, call, call->callee);
}

bool exec_return(struct context *c) {
    struct group *g = c->group;
    struct frame *f = g->frame, *caller = f->caller;
    const struct call *call = f->call;
    for (uint32_t k = 0; k < call->n_rets && k < f->function->n_returns; k++)
        if (call->ret_bytes[k] == f->function->returns[k].bytes)
            copy_area(caller, call->ret_at[k], f,
                      f->function->returns[k].offset, call->ret_bytes[k],
                      g->mask);
    g->pc = f->return_to;
    g->frame = caller;
    caller->references++;
    c->registers = caller->registers;
    frame_release(c->machine, f);
    return true;
}
