/* SPDX-License-Identifier: MIT
 *
 * steps_order.c: of an operator that is not commutative, the first write whose
 * value is that of two others joined the wrong way round.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "steps_parts.h"

enum { OP_AFFINE = 3 /* as in parameters.def */ };

/* Inputs first to last that went into a write; first > last: none. */
struct input_range {
    uint32_t first, last;
};

static bool is_input(const struct steps_view *v, const struct vgpu_write *w) {
    return w->writer == VGPU_WRITER_BEFORE &&
           strcmp(v->seen.arrays[w->array].name, "d_in") == 0;
}

/* Its feeds stand before it. */
static struct input_range range_of(const struct steps_view *v, uint32_t write,
                                   const struct input_range *all) {
    const struct vgpu_write *w = &v->seen.writes[write];
    struct input_range r = {UINT32_MAX, 0};
    if (is_input(v, w)) {
        r.first = r.last = w->at / steps_cell_bytes(v, w->array);
        return r;
    }
    for (uint32_t k = 0; k < w->n_feeds; k++) {
        struct input_range f = all[v->seen.feeds[w->feed + k].write];
        if (f.first > f.last) continue;
        if (f.first < r.first) r.first = f.first;
        if (f.last > r.last) r.last = f.last;
    }
    return r;
}

/* Two elements through the oracle of a scan: the second is both, joined. */
static bool join_is(const struct steps_call *call, size_t words,
                    const uint64_t two[2], uint64_t value) {
    int32_t in[4] = {0}, out[4] = {0};
    for (size_t i = 0; i < 2; i++)
        memcpy(in + i * words, &two[i], words * sizeof *in);
    oracle_apply(call->oracle, &call->parameters, in, 2, out);
    return memcmp(out + words, &value, words * sizeof *out) == 0;
}

static bool is_swapped(const struct steps_view *v,
                       const struct steps_call *call, uint32_t write,
                       const struct input_range *all,
                       struct steps_swapped *is) {
    const struct vgpu_write *w = &v->seen.writes[write];
    if (w->n_feeds != 2) return false;
    const struct vgpu_feed *f = &v->seen.feeds[w->feed];
    struct input_range a = all[f[0].write], b = all[f[1].write];
    if (a.first > a.last || b.first > b.last) return false;
    bool a_first = a.last < b.first;
    if (!a_first && b.last >= a.first) return false;
    uint64_t x = v->seen.writes[f[!a_first].write].value;
    uint64_t y = v->seen.writes[f[a_first].write].value;
    if (!join_is(call, v->n_words, (uint64_t[]){y, x}, w->value) ||
        join_is(call, v->n_words, (uint64_t[]){x, y}, w->value))
        return false;
    struct input_range left = a_first ? a : b, right = a_first ? b : a;
    *is =
        (struct steps_swapped){left.first, left.last, right.first, right.last};
    return true;
}

void steps_find_swapped(struct steps_view *v, const struct steps_call *call) {
    int op = call->parameters.value[PARAMETER_op];
    if (!v->fault || v->fault == FAULT_NO_WRITE || v->answer_in ||
        op != OP_AFFINE || !signature_takes(call->signature, PARAMETER_op))
        return;
    struct input_range *all = calloc(v->fault_write + 1, sizeof *all);
    for (uint32_t k = 0; all && k <= v->fault_write; k++) {
        all[k] = range_of(v, k, all);
        if (v->frame_of[k] == NO_FRAME ||
            !is_swapped(v, call, k, all, &v->swapped))
            continue;
        v->fault = FAULT_SWAPPED;
        v->fault_write = k;
    }
    free(all);
}
