/* SPDX-License-Identifier: MIT
 *
 * decode_slots.c: where a function's registers lie in a frame.
 *
 * nvcc gives nearly every value a register of its own, so a frame is thousands
 * of bytes, of which a warp needs a few at a time. Where many warps take short
 * turns, as under a clock, their frames are more than this computer's caches
 * hold. There (program.shares_slots) registers that are never live at once
 * share a slot.
 *
 * A register's *live interval* goes from the first to the last instruction at
 * which some thread may need its value. Registers whose intervals do not
 * overlap may share a slot (linear scan: Poletto, Sarkar 1999). An interval is
 * found by walking backwards from each use to the write, block by block. What a
 * thread needs is the same whether its warp is together or not: every
 * instruction writes the lanes of its own group only, and an operand of another
 * lane is read where both stand at one instruction.
 *
 * A register has a slot of its own when a use of it may come before every
 * write, and when an instruction has it of which nobody says here what it reads
 * and writes.
 */
#include <stdlib.h>
#include <string.h>

#include "decode.h"

enum {
    MOST_BYTES = 1 << 28,
    MOST_STEPS = 1 << 24, /* blocks that walks come to, of a function */
    N_CLASSES = 3,
    NONE = UINT32_MAX
};

enum role { ROLE_READ, ROLE_WRITTEN, ROLE_ANY };

/* A register in an instruction. */
struct use {
    uint32_t insn;
    uint8_t role; /* enum role */
};

struct slots {
    struct decoder *d;
    const struct graph *g;
    struct use *uses;       /* register by register, in the text's order */
    uint32_t *begin;        /* of a register's uses; and the end */
    uint32_t *first, *last; /* its live interval */
    bool *own;
    /* of blocks: the register (+ 1) that was last found written there; live in
     * front of it */
    uint32_t *writes, *live;
    uint32_t *stack; /* of blocks */
    uint64_t steps;
    /* registers by where their live intervals begin and end, and free slots by
     * class, are lists: register, next[register], ... */
    uint32_t *begins, *ends, *next_begin, *next_end, *next_free;
    uint32_t free[N_CLASSES];
};

/* ---- what an instruction does with its registers ---- */

bool program_writes_first(const struct ptx_insn *i) {
    switch (ptx_op_family(i->op)) {
    case PTX_FAMILY_ALU:
    case PTX_FAMILY_ARITHMETIC:
    case PTX_FAMILY_ADDRESS:
    case PTX_FAMILY_WARP: return true;
    case PTX_FAMILY_MEMORY: return i->op != PTX_OP_st;
    case PTX_FAMILY_ATOMIC: return i->op != PTX_OP_red;
    case PTX_FAMILY_TEXTURE: return i->op != PTX_OP_sust;
    case PTX_FAMILY_MATRIX:
        return i->op != PTX_OP_stmatrix &&
               strncmp(i->form, "wmma.store", strlen("wmma.store")) != 0;
    default: return false;
    }
}

static enum role role_of(const struct ptx_insn *i, uint32_t operand) {
    switch (ptx_op_family(i->op)) {
    case PTX_FAMILY_CONTROL: return i->op == PTX_OP_call ? ROLE_ANY : ROLE_READ;
    case PTX_FAMILY_MEMORY:
    case PTX_FAMILY_ATOMIC:
    case PTX_FAMILY_ALU:
    case PTX_FAMILY_ARITHMETIC:
    case PTX_FAMILY_ADDRESS:
    case PTX_FAMILY_WARP:
    case PTX_FAMILY_TEXTURE:
    case PTX_FAMILY_MATRIX:
        return !operand && program_writes_first(i) ? ROLE_WRITTEN : ROLE_READ;
    default: return ROLE_ANY;
    }
}

typedef void see_fn(struct slots *, uint32_t reg, struct use);

static void see_operand(struct slots *p, const struct ptx_operand *o,
                        struct use u, see_fn *see) {
    if (o->reg >= 0) see(p, (uint32_t)o->reg, u);
    if (o->second >= 0) see(p, (uint32_t)o->second, u);
    for (uint32_t k = 0; k < o->n_items; k++)
        see_operand(p, &o->items[k], u, see);
}

/* What is read comes before what is written. */
static void see_all(struct slots *p, see_fn *see) {
    const struct ptx_function *f = p->d->ptx;
    for (uint32_t n = 0; n < f->n_insns; n++) {
        const struct ptx_insn *i = &f->insns[n];
        struct use u = {n, ROLE_READ};
        if (i->guard >= 0) see(p, (uint32_t)i->guard, u);
        for (uint32_t k = i->n_operands; k-- > 0;) {
            u.role = (uint8_t)role_of(i, k);
            see_operand(p, &i->operands[k], u, see);
        }
    }
}

static void decode_slots_count(struct slots *p, uint32_t reg, struct use u) {
    (void)u;
    p->begin[reg]++;
}

static void decode_slots_keep(struct slots *p, uint32_t reg, struct use u) {
    p->uses[p->begin[reg]++] = u;
}

/* ---- live intervals ---- */

static void reach(struct slots *p, uint32_t r, uint32_t insn) {
    if (insn < p->first[r]) p->first[r] = insn;
    if (p->last[r] == NONE || insn > p->last[r]) p->last[r] = insn;
}

/* The blocks that r is needed in front of, because of what they do themselves,
 * go on the stack: how many. */
static uint32_t needs(struct slots *p, uint32_t r) {
    const struct ptx_insn *code = p->d->ptx->insns;
    uint32_t n = 0;
    for (uint32_t k = p->begin[r]; k < p->begin[r + 1]; k++) {
        const struct use *u = &p->uses[k];
        uint32_t b = p->g->block_of[u->insn];
        reach(p, r, u->insn);
        if (u->role == ROLE_ANY) p->own[r] = true;
        if (u->role == ROLE_WRITTEN && code[u->insn].guard < 0)
            p->writes[b] = r + 1;
        if (u->role != ROLE_READ || p->writes[b] == r + 1 ||
            p->live[b] == r + 1)
            continue;
        p->live[b] = r + 1;
        p->stack[n++] = b;
    }
    return n;
}

static void find_interval(struct slots *p, uint32_t r) {
    uint32_t n = needs(p, r);
    const struct graph *g = p->g;
    while (n && !p->own[r]) {
        uint32_t b = p->stack[--n];
        reach(p, r, g->first[b]);
        if (!b) p->own[r] = true; /* used before it is written */
        for (uint32_t k = g->pred_start[b]; k < g->pred_start[b + 1]; k++) {
            uint32_t from = g->pred[k];
            p->steps++;
            reach(p, r, g->last[from]);
            if (p->writes[from] == r + 1 || p->live[from] == r + 1) continue;
            p->live[from] = r + 1;
            p->stack[n++] = from;
        }
    }
}

/* False: it would take too long. */
static bool find_intervals(struct slots *p) {
    uint32_t n = p->d->ptx->n_registers;
    for (uint32_t r = 0; r < n; r++) {
        uint64_t then = p->steps;
        if (p->d->ptx->registers[r].type == PTX_B128) p->own[r] = true;
        find_interval(p, r);
        if (p->steps > MOST_STEPS ||
            program_is_late(p->d->program, 1 + p->steps - then))
            return false;
    }
    return true;
}

/* ---- slots ---- */

static int decode_slots_class_of(const struct decoder *d, uint32_t r) {
    char class = decode_class(d->ptx->registers[r].type);
    return class == 'w' ? 0 : class == 'd' ? 1 : 2;
}

static uint32_t new_slot(struct decoder *d, uint32_t r) {
    static const uint32_t bytes[N_CLASSES] = {128, 256, 64};
    uint32_t at = d->next_register;
    bool twice = d->ptx->registers[r].type == PTX_B128;
    if (at <= MOST_BYTES)
        d->next_register += twice ? 512 : bytes[decode_slots_class_of(d, r)];
    else
        decode_fail(d, "too many registers");
    return at;
}

static void list_intervals(struct slots *p) {
    struct decoder *d = p->d;
    for (uint32_t r = d->ptx->n_registers; r-- > 0;) {
        if (p->own[r]) {
            d->register_at[r] = new_slot(d, r);
        } else if (p->last[r] != NONE) {
            p->next_begin[r] = p->begins[p->first[r]];
            p->begins[p->first[r]] = r;
            p->next_end[r] = p->ends[p->last[r]];
            p->ends[p->last[r]] = r;
        } /* else no instruction has it */
    }
}

/* Its handler may be given one slot for what it reads and writes (alu.h). A
 * vector of atomics, say, may not: it gives one element back before it reads
 * the next one's addend. */
static bool writes_where_it_reads(const struct ptx_insn *i) {
    enum ptx_family f = ptx_op_family(i->op);
    return (f == PTX_FAMILY_ALU || f == PTX_FAMILY_ARITHMETIC) &&
           i->operands[0].kind == PTX_REGISTER && i->operands[0].second < 0;
}

/* The slots of registers that end here, those that begin here or others. */
static void decode_slots_give_back(struct slots *p, uint32_t n,
                                   bool begin_here) {
    for (uint32_t r = p->ends[n]; r != NONE; r = p->next_end[r]) {
        if ((p->first[r] == n) != begin_here) continue;
        uint32_t *free = &p->free[decode_slots_class_of(p->d, r)];
        p->next_free[r] = *free;
        *free = r;
    }
}

static void decode_slots_share(struct slots *p) {
    struct decoder *d = p->d;
    for (uint32_t n = 0; n < d->ptx->n_insns; n++) {
        bool early = writes_where_it_reads(&d->ptx->insns[n]);
        if (early) decode_slots_give_back(p, n, false);
        for (uint32_t r = p->begins[n]; r != NONE; r = p->next_begin[r]) {
            uint32_t *free = &p->free[decode_slots_class_of(d, r)];
            if (*free == NONE) {
                d->register_at[r] = new_slot(d, r);
            } else {
                d->register_at[r] = d->register_at[*free];
                *free = p->next_free[*free];
            }
        }
        if (!early) decode_slots_give_back(p, n, false);
        decode_slots_give_back(p, n, true);
    }
}

/* ---- the whole ---- */

/* All arrays of words, one after another; NULL: no memory. */
static uint32_t *decode_slots_make(struct slots *p, struct charges *charges) {
    uint32_t n = p->d->ptx->n_registers, code = p->d->ptx->n_insns;
    uint32_t **arrays[] = {&p->begin,      &p->first,    &p->last,
                           &p->next_end,   &p->begins,   &p->ends,
                           &p->live,       &p->writes,   &p->stack,
                           &p->next_begin, &p->next_free};
    enum { N = sizeof arrays / sizeof *arrays };
    uint32_t most = (n > code ? n : code) + 2;
    size_t words = (size_t)N * most;
    uint32_t *block = charges_zeroed(charges, words * sizeof *block, NULL);
    for (size_t k = 0; block && k < N; k++) *arrays[k] = block + k * most;
    for (uint32_t k = 0; block && k < most; k++)
        p->first[k] = p->last[k] = p->begins[k] = p->ends[k] = NONE;
    for (size_t k = 0; k < N_CLASSES; k++) p->free[k] = NONE;
    return block;
}

/* Counts become where each register's uses begin, and are that again when they
 * have been filled in. */
static bool list_uses(struct slots *p, struct charges *charges) {
    uint32_t n = p->d->ptx->n_registers, sum = 0;
    see_all(p, decode_slots_count);
    for (uint32_t r = 0; r <= n; r++) {
        uint32_t here = p->begin[r];
        p->begin[r] = sum;
        sum += here;
    }
    p->uses = charges_bytes(charges, (sum + 1ull) * sizeof *p->uses, NULL);
    p->own = charges_zeroed(charges, n + 1ull, NULL);
    if (!p->uses || !p->own) return false;
    see_all(p, decode_slots_keep);
    memmove(p->begin + 1, p->begin, n * sizeof *p->begin);
    p->begin[0] = 0;
    return true;
}

/* False: there is no memory or no time to find out who may. */
static bool share_slots(struct decoder *d, const struct graph *g) {
    struct charges *charges = &d->program->memory->charges;
    struct slots p = {.d = d, .g = g};
    uint32_t *block = decode_slots_make(&p, charges);
    bool ok = block && list_uses(&p, charges) && find_intervals(&p);
    if (ok) list_intervals(&p);
    if (ok) decode_slots_share(&p);
    charges_free(charges, block);
    charges_free(charges, p.uses);
    charges_free(charges, p.own);
    return ok;
}

bool decode_slots(struct decoder *d, const struct graph *g) {
    uint32_t n = d->ptx->n_registers;
    d->register_at = calloc(n + 1, sizeof(uint32_t));
    if (!d->register_at) return decode_no_memory(d);
    if (!d->program->shares_slots || !d->ptx->n_insns || !share_slots(d, g))
        for (uint32_t r = 0; r < n; r++) d->register_at[r] = new_slot(d, r);
    return !d->failed;
}
