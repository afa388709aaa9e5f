/* SPDX-License-Identifier: MIT
 *
 * clock_matrix.c: matrix instructions have more registers than a clock_op.
 *
 * A product of twice the size takes the unit twice as long and is there as much
 * later as that is (not measured).
 */
#include "clock_inside.h"
#include "matrix_op.h"

static uint64_t part_waits(const struct clock *k, const struct matrix_part *p,
                           uint64_t time) {
    for (uint32_t r = 0; r < p->n; r++) {
        uint32_t number = clock_number_at(k, p->at[r]);
        if (number) time = later(time, k->warp->ready[number]);
    }
    return time;
}

uint64_t clock_matrix_waits(const struct clock *k, const struct insn *i,
                            uint64_t time) {
    const struct matrix_op *op = i->extra;
    time = part_waits(k, &op->a, time);
    time = part_waits(k, &op->b, time);
    return part_waits(k, &op->c, time);
}

void clock_matrix_result(struct clock *k, const struct insn *i, uint64_t time) {
    const struct matrix_op *op = i->extra;
    for (uint32_t r = 0; r < op->d.n; r++)
        k->warp->ready[clock_number_at(k, op->d.at[r])] = time;
}

void clock_matrix_number(const struct insn *i, uint32_t *number, uint32_t *n) {
    const struct matrix_op *op = i->extra;
    for (uint32_t r = 0; r < op->d.n; r++)
        if (!number[op->d.at[r] >> 6]) number[op->d.at[r] >> 6] = ++*n;
}

void clock_matrix_cost(const struct insn *i, struct clock_op *o) {
    enum { USUAL = 16 * 8 * 16 * 16 }; /* bits of factors */
    const struct matrix_op *op = i->extra;
    uint32_t bits = matrix_bits((enum matrix_type)op->a.type);
    uint64_t size = (uint64_t)op->m * op->n * op->k * bits;
    uint32_t usual = o->interval;
    o->interval = (uint32_t)(usual * size / USUAL);
    if (o->interval > usual) o->latency += o->interval - usual;
}
