/* SPDX-License-Identifier: MIT
 *
 * trace.h: prints chosen instructions while they are executed, with the values
 * of the registers they read and write (vgpu_trace_options, `vgpu --trace`).
 * A warp that is not chosen costs one test per turn: the run loop is compiled a
 * second time, for the warps that are (run.c).
 */
#pragma once

#include "observer.h"
#include "text.h"

struct tracer {
    uint64_t shown; /* instructions, of all launches */
    bool is_cut;    /* the limit is reached, and the trace says so */
    /* The warp that the last heading names. */
    uint64_t launch, block;
    uint32_t warp;
    /* The instruction that is being executed; NULL: none. */
    const struct insn *insn;
    const struct function *function;
    const uint8_t *registers;
    uint32_t lanes;    /* lanes whose values are shown */
    uint32_t of_group; /* lanes of the group that executes it, also those that
                          its guard turns off */
    struct text text;
};

/* NULL: no instruction is printed. */
static inline struct tracer *tracer_of(const struct machine *m) {
    return m->slots[OBSERVER_TRACE];
}

/* Does the selection include this launch of the kernel? */
bool trace_wants_kernel(const struct tracer *,
                        const struct vgpu_trace_options *, const char *mangled,
                        uint64_t launch);
/* Does it include this warp of an included launch? */
bool trace_wants_warp(const struct machine *, const struct warp *);
/* ---- events ---- */
void trace_insn(struct context *, const struct insn *);
/* The last instruction has been executed, or its group waits in it. */
void trace_done(struct machine *);
static inline bool trace_watches(const struct machine *m) {
    return tracer_of(m) != NULL;
}
static inline void trace_executes(struct context *c, const struct insn *i) {
    if (trace_wants_warp(c->machine, c->warp)) trace_insn(c, i);
}
static const struct observer trace_observer = {.watches = trace_watches,
                                               .executes = trace_executes,
                                               .turn_ends = trace_done};
