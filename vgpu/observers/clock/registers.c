/* SPDX-License-Identifier: MIT
 *
 * registers.c: about how many registers a thread of a kernel needs, which
 * limits how many blocks a multiprocessor holds.
 *
 * An estimate: the most 32-bit values that are live at one place of the PTX,
 * and some. Machine code has its own order. What costs no instruction
 * (clock_ops.c) and comes from constants and parameters alone takes no
 * register; predicates have their own. Iterated to a fixed point over straight
 * pieces (Kildall 1973); a kernel so large that this would take long gets no
 * estimate.
 */
#include "clock_inside.h"

#include <string.h>

enum {
    SPARE = 8, /* addresses, what is loaded early */
    LEAST = 16,
    MOST = 255,
    STEP = 8,              /* a warp gets registers in such pieces */
    MOST_WORDS = 1 << 20,  /* of all sets */
    MOST_VISITED = 1 << 26 /* words, in all rounds */
};

struct live {
    const struct function *f;
    struct clock_op *ops; /* with PTX registers' numbers instead of places */
    uint8_t *weight;      /* by register: 32-bit values */
    uint32_t n_registers, n_words, n_pieces;
    uint32_t *piece_of, *first; /* of instructions; of pieces, and the end */
    uint64_t *in;               /* a set for each piece: live in front of it */
    uint64_t *set;
};

/* ---- which registers count ---- */

/* The operand's register that lies there; NO_REGISTER: none does. */
static uint32_t lies_at(const struct function *f, const struct ptx_operand *o,
                        uint32_t place) {
    int32_t all[] = {o->reg, o->second};
    for (int k = 0; k < 2; k++)
        if (all[k] >= 0 && f->register_at[all[k]] >> 6 == place)
            return (uint32_t)all[k];
    for (uint32_t k = 0; k < o->n_items; k++) {
        uint32_t r = lies_at(f, &o->items[k], place);
        if (r != NO_REGISTER) return r;
    }
    return NO_REGISTER;
}

/* Several registers may share a place, but not of what an instruction reads. */
static uint32_t number_of(const struct function *f, const struct insn *i,
                          uint32_t place, bool written) {
    const struct ptx_insn *p = i->source;
    uint32_t n_written = p && program_writes_first(p), r = NO_REGISTER;
    for (uint32_t k = 0; p && k < p->n_operands && r == NO_REGISTER; k++)
        if ((k < n_written) == written) r = lies_at(f, &p->operands[k], place);
    if (r == NO_REGISTER && p && p->guard >= 0 && !written &&
        f->register_at[p->guard] >> 6 == place)
        r = (uint32_t)p->guard;
    return r;
}

/* Constants and the like have no number. */
static uint8_t number_list(const struct function *f, const struct insn *i,
                           uint32_t *list, uint32_t n, bool written) {
    uint8_t left = 0;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t r = number_of(f, i, list[k], written);
        if (r != NO_REGISTER) list[left++] = r;
    }
    return left;
}

static void number_all(struct live *v) {
    for (uint32_t n = 0; n < v->f->n_code; n++) {
        const struct insn *i = &v->f->code[n];
        struct clock_op *o = &v->ops[n];
        o->n_from = number_list(v->f, i, o->from, o->n_from, false);
        o->n_to = number_list(v->f, i, o->to, o->n_to, true);
    }
}

static void weigh_all(struct live *v) {
    const struct ptx_function *p = v->f->ptx;
    for (uint32_t r = 0; r < p->n_registers; r++) {
        enum ptx_type t = p->registers[r].type;
        uint32_t bytes = t == PTX_PRED ? 0 : ptx_type_bytes(t);
        v->weight[r] = (uint8_t)(bytes > 4 ? bytes / 4 : bytes ? 1 : 0);
    }
}

static bool reads_weight(const struct live *v, const struct clock_op *o) {
    for (uint32_t k = 0; k < o->n_from; k++)
        if (v->weight[o->from[k]]) return true;
    return false;
}

/* Copies of constants and parameters, and of these again. */
static void drop_constants(struct live *v, uint8_t *writes) {
    for (uint32_t n = 0; n < v->f->n_code; n++)
        for (uint32_t k = 0; k < v->ops[n].n_to; k++)
            if (writes[v->ops[n].to[k]] < 2) writes[v->ops[n].to[k]]++;
    for (uint32_t n = 0; n < v->f->n_code; n++) {
        const struct clock_op *o = &v->ops[n];
        if (o->class != COST_FREE || o->n_to != 1 || writes[o->to[0]] != 1 ||
            v->f->code[n].kind != KIND_ALU || reads_weight(v, o))
            continue;
        v->weight[o->to[0]] = 0;
    }
}

/* ---- pieces of code that run through ---- */

static bool ends_piece(const struct insn *i) {
    return i->kind == KIND_BRANCH || i->kind == KIND_BRANCH_INDEX ||
           i->kind == KIND_EXIT || i->kind == KIND_RETURN;
}

static void mark_targets(const struct insn *i, uint32_t n, uint32_t *marks) {
    if (i->kind == KIND_BRANCH && i->target < n) marks[i->target] = 1;
    const struct branch_table *t = i->extra;
    for (uint32_t k = 0; i->kind == KIND_BRANCH_INDEX && k < t->n; k++)
        if (t->targets[k] < n) marks[t->targets[k]] = 1;
}

static void find_pieces(struct live *v) {
    const struct insn *code = v->f->code;
    uint32_t n = v->f->n_code;
    for (uint32_t k = 0; k < n; k++) mark_targets(&code[k], n, v->piece_of);
    for (uint32_t k = 0, piece = 0; k < n; k++) {
        if (!k || v->piece_of[k] || ends_piece(&code[k - 1]))
            v->first[piece++] = k;
        v->piece_of[k] = piece - 1;
        v->n_pieces = piece;
    }
    v->first[v->n_pieces] = n;
}

/* ---- sets ---- */

static uint64_t *in_of(const struct live *v, uint32_t piece) {
    return v->in + (size_t)piece * v->n_words;
}

static void joins(struct live *v, uint32_t at) {
    if (at >= v->f->n_code) return;
    const uint64_t *from = in_of(v, v->piece_of[at]);
    for (uint32_t w = 0; w < v->n_words; w++) v->set[w] |= from[w];
}

/* What is live behind a piece's last instruction. */
static void live_behind(struct live *v, uint32_t last) {
    const struct insn *i = &v->f->code[last];
    memset(v->set, 0, v->n_words * sizeof *v->set);
    if (i->kind == KIND_BRANCH) joins(v, i->target);
    const struct branch_table *t = i->extra;
    for (uint32_t k = 0; i->kind == KIND_BRANCH_INDEX && k < t->n; k++)
        joins(v, t->targets[k]);
    if (!ends_piece(i) || i->guard != NO_REGISTER) joins(v, last + 1);
}

/* The registers of a matrix instruction are not in the clock's lists. */
static void matrix_in_front(struct live *v, const struct ptx_insn *p) {
    uint32_t n_written = program_writes_first(p);
    for (uint32_t k = 0; k < p->n_operands; k++)
        for (uint32_t e = 0; e < p->operands[k].n_items; e++) {
            int32_t r = p->operands[k].items[e].reg;
            if (r < 0 || !v->weight[r]) continue;
            uint64_t bit = 1ull << (r & 63);
            if (k >= n_written)
                v->set[r >> 6] |= bit;
            else if (p->guard < 0)
                v->set[r >> 6] &= ~bit;
        }
}

static void in_front(struct live *v, const struct insn *i,
                     const struct clock_op *o) {
    if (i->kind == KIND_MATRIX) matrix_in_front(v, i->source);
    for (uint32_t k = 0; k < o->n_to && i->guard == NO_REGISTER; k++)
        v->set[o->to[k] >> 6] &= ~(1ull << (o->to[k] & 63));
    for (uint32_t k = 0; k < o->n_from; k++)
        if (v->weight[o->from[k]])
            v->set[o->from[k] >> 6] |= 1ull << (o->from[k] & 63);
}

static bool visit(struct live *v, uint32_t piece) {
    live_behind(v, v->first[piece + 1] - 1);
    for (uint32_t n = v->first[piece + 1]; n-- > v->first[piece];)
        in_front(v, &v->f->code[n], &v->ops[n]);
    uint64_t *in = in_of(v, piece);
    if (!memcmp(in, v->set, v->n_words * sizeof *in)) return false;
    memcpy(in, v->set, v->n_words * sizeof *in);
    return true;
}

/* False: it would take too long. */
static bool settle(struct live *v) {
    uint64_t visited = 0;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t p = v->n_pieces; p-- > 0;) again |= visit(v, p);
        visited += (uint64_t)v->n_pieces * v->n_words + v->f->n_code;
        if (visited > MOST_VISITED) return false;
    }
    return true;
}

static uint32_t weight_of(const struct live *v) {
    uint32_t sum = 0;
    for (uint32_t w = 0; w < v->n_words; w++)
        for (uint64_t m = v->set[w]; m; m &= m - 1)
            sum += v->weight[w * 64 + (uint32_t)__builtin_ctzll(m)];
    return sum;
}

/* Looked at in front of each instruction that writes: there it is most. */
static uint32_t most_live(struct live *v) {
    uint32_t most = 0;
    for (uint32_t p = 0; p < v->n_pieces; p++) {
        live_behind(v, v->first[p + 1] - 1);
        uint32_t sum = weight_of(v), in = sum;
        for (uint32_t n = v->first[p + 1]; n-- > v->first[p];) {
            in_front(v, &v->f->code[n], &v->ops[n]);
            in = weight_of(v);
            if (in > sum) sum = in;
        }
        if (sum > most) most = sum;
    }
    return most;
}

/* ---- the whole ---- */

/* What the program says itself, or LEAST to MOST. */
static uint32_t within_bounds(const struct ptx_function *p, uint32_t n,
                              uint32_t registers_per_sm) {
    uint32_t most = p->max_registers ? p->max_registers : MOST;
    const uint32_t *t =
        p->required_threads[0] ? p->required_threads : p->max_threads;
    uint64_t threads = (uint64_t)t[0] * (t[1] ? t[1] : 1) * (t[2] ? t[2] : 1);
    if (threads && p->min_blocks) threads *= p->min_blocks;
    if (threads && registers_per_sm / threads < most)
        most = (uint32_t)(registers_per_sm / threads / STEP * STEP);
    if (n < LEAST) n = LEAST;
    n = (n + STEP - 1) / STEP * STEP;
    return n > most ? most : n;
}

/* One block of memory for all arrays; false: too much. */
static bool registers_make(struct live *v, struct charges *charges,
                           void **block) {
    uint64_t code = v->f->n_code, registers = v->n_registers;
    v->n_words = (uint32_t)(registers / 64 + 1);
    uint64_t words = code * v->n_words;
    if (words > MOST_VISITED) return false;
    v->piece_of = *block =
        charges_zeroed(charges, (2 * code + 1) * sizeof *v->piece_of, NULL);
    if (!*block) return false;
    v->first = v->piece_of + code;
    find_pieces(v);
    return (uint64_t)v->n_pieces * v->n_words <= MOST_WORDS;
}

static uint32_t registers_count(struct live *v, struct charges *charges) {
    size_t sets = ((size_t)v->n_pieces + 1) * v->n_words;
    v->in = charges_zeroed(charges, sets * sizeof *v->in, NULL);
    v->weight = charges_zeroed(charges, 2 * (size_t)v->n_registers, NULL);
    uint32_t most = 0;
    if (v->in && v->weight) {
        v->set = v->in + (size_t)v->n_pieces * v->n_words;
        number_all(v);
        weigh_all(v);
        drop_constants(v, v->weight + v->n_registers);
        if (settle(v)) most = most_live(v) + SPARE;
    }
    charges_free(charges, v->in);
    charges_free(charges, v->weight);
    return most;
}

uint32_t clock_registers(struct clock *k, const struct function *f,
                         uint32_t registers_per_sm) {
    struct live v = {.f = f, .n_registers = f->ptx->n_registers + 1};
    void *block = NULL;
    struct clock_op *ops = clock_decode(k, f);
    uint32_t most = 0;
    v.ops = ops;
    if (ops && registers_make(&v, k->charges, &block))
        most = registers_count(&v, k->charges);
    charges_free(k->charges, block);
    charges_free(k->charges, ops);
    return most ? within_bounds(f->ptx, most, registers_per_sm) : 0;
}
