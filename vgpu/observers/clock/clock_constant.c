/* SPDX-License-Identifier: MIT
 *
 * clock_constant.c: what a load from constant memory takes. A small cache of
 * each multiprocessor serves one word after another: lanes that want the same
 * one share it. A word whose address the instruction holds costs nothing, since
 * machine code has it as an operand of the instruction that uses it.
 */
#include "clock_inside.h"
#include "counts.h"
#include "why.h"

#include <string.h>

bool clock_is_operand(const struct insn *i) {
    return i->kind == KIND_LOAD && i->space == PTX_CONST && i->source &&
           i->source->operands[1].symbol;
}

enum miss { MISS_NONE, MISS_CACHE, MISS_FIRST };

/* Reads a line. */
static enum miss constant_line(struct constant_cache *k, uint64_t line) {
    uint64_t *word = &k->seen[line % CONSTANT_SEEN / 64];
    uint64_t bit = 1ull << (line % 64);
    enum miss miss = *word & bit ? MISS_CACHE : MISS_FIRST;
    uint32_t at = 0;
    *word |= bit;
    while (at < k->n && k->line[at] != line) at++;
    if (at < k->n)
        miss = MISS_NONE;
    else if (k->n < CONSTANT_LINES)
        k->n++;
    else
        at--;
    memmove(k->line + 1, k->line, at * sizeof *k->line);
    k->line[0] = line;
    return miss;
}

static enum miss constant_lines(struct clock *k, const struct access *x) {
    struct constant_cache *c = &k->warp->sm->constants;
    enum miss worst = MISS_NONE;
    uint64_t last = ~0ull;
    if (c->generation != k->generation) {
        memset(c, 0, sizeof *c);
        c->generation = k->generation;
    }
    for (uint32_t m = x->mask; m; m &= m - 1) {
        uint64_t line = x->address[__builtin_ctz(m)] >> CONSTANT_SHIFT;
        enum miss miss = line == last ? MISS_NONE : constant_line(c, line);
        worst = miss > worst ? miss : worst;
        last = line;
    }
    return worst;
}

void clock_constant(struct context *c, struct access *x) {
    struct clock *k = clock_in(c->machine);
    const struct insn *i = c->insn;
    if (clock_is_operand(i)) {
        clock_result(k, i, k->issued, VGPU_CAUSE_ISSUE);
        return;
    }
    access_spread(x);
    uint64_t words = counts_constant(x);
    enum miss miss = constant_lines(k, x);
    uint64_t start = slots_take(&k->warp->sm->constant, k->issued,
                                words * k->at.constant_word);
    uint64_t more = miss == MISS_FIRST   ? k->at.constant_first
                    : miss == MISS_CACHE ? k->at.constant_miss
                                         : 0;
    clock_limit_queue(k, start, CLOCK_QUEUE_PS);
    clock_result(
        k, i, start + k->at.constant + more + (words - 1) * k->at.constant_way,
        VGPU_CAUSE_L1);
}
