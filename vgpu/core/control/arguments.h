/* SPDX-License-Identifier: MIT
 *
 * arguments.h: arguments and results of calls of functions that the device
 * itself provides.
 */
#pragma once

#include <string.h>

#include "machine.h"

/* The call area of the lane. */
static inline uint8_t *call_area(const struct context *c, uint32_t lane) {
    const struct frame *f = c->group->frame;
    return f->params + (size_t)lane * f->function->call_bytes;
}

/* At most `most` bytes of argument k. */
static inline void call_argument_bytes(const struct context *c,
                                       const struct call *call, uint32_t k,
                                       uint32_t lane, void *to, uint32_t most) {
    if (k >= call->n_args) return;
    uint32_t n = call->arg_bytes[k] < most ? call->arg_bytes[k] : most;
    memcpy(to, call_area(c, lane) + call->arg_at[k], n);
}

static inline uint64_t call_argument(const struct context *c,
                                     const struct call *call, uint32_t k,
                                     uint32_t lane) {
    uint64_t v = 0;
    call_argument_bytes(c, call, k, lane, &v, sizeof v);
    return v;
}

static inline void call_result(const struct context *c, const struct call *call,
                               uint32_t lane, uint64_t v) {
    if (!call->n_rets) return;
    uint32_t n = call->ret_bytes[0] < sizeof v ? call->ret_bytes[0] : sizeof v;
    memcpy(call_area(c, lane) + call->ret_at[0], &v, n);
}

/* What lies behind a generic address of a lane. */
struct behind {
    uint8_t *bytes;   /* NULL: nothing */
    uint64_t left;    /* how many there are */
    uint8_t *written; /* bits.h; NULL: all written */
    uint64_t at;      /* of the first byte in those */
};
struct behind call_reach(const struct context *, uint64_t address,
                         uint32_t lane);

/* device_calls.c */
uint64_t exec_device_malloc(struct context *, uint64_t bytes);
void exec_device_free(struct context *, uint32_t lane, uint64_t address);
bool exec_device_call(struct context *, const struct call *);
