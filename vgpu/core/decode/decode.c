/* SPDX-License-Identifier: MIT
 *
 * decode.c: from a ptx_function to a function: layout of registers, joins, then
 * one insn per instruction (decode_*.c by family). Parameters and variables are
 * decode_layout.c's.
 */
#include "decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool decode_no_memory(struct decoder *d) {
    if (!d->failed) d->error->no_memory = true;
    return decode_fail(d, "out of memory");
}

bool decode_fail(struct decoder *d, const char *format, ...) {
    if (d->failed) return false;
    d->failed = true;
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    char name[128];
    demangle(d->ptx->name, name, sizeof name);
    struct decode_error *e = d->error;
    if (d->at) {
        e->where = program_source(d->program->ptx, d->at->loc);
        e->form = d->at->form;
        snprintf(e->message, sizeof e->message, "%s (in '%s', PTX line %u: %s)",
                 what, name, d->at->ptx_line, d->at->form);
    } else {
        snprintf(e->message, sizeof e->message, "%s (in '%s')", what, name);
    }
    return false;
}

void *decode_extra(struct decoder *d, struct insn *out, size_t bytes) {
    void *extra = calloc(1, bytes);
    if (!extra) decode_no_memory(d);
    out->extra = extra;
    return extra;
}

static bool decode_guard(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    out->guard = NO_REGISTER;
    if (i->guard < 0) return true;
    out->guard = d->register_at[i->guard];
    out->guard_flip = i->guard_negated ? ~0u : 0;
    return true;
}

static bool decode_hint(struct decoder *d, struct insn *out) {
    (void)d;
    out->kind = KIND_NOTHING;
    return true;
}

bool decode_none(struct decoder *d, struct insn *out) {
    (void)out;
    if (d->at->op == PTX_OP_wgmma)
        return decode_fail(d, "the virtual GPU has the matrix products of one "
                              "warp (mma, wmma), not those of four (wgmma)");
    if (d->at->op == PTX_OP_tcgen05)
        return decode_fail(d, "the virtual GPU has the matrix products of one "
                              "warp (mma, wmma), not tensor memory (tcgen05, "
                              "sm_100 and later)");
    return decode_fail(d, "the virtual GPU does not have this instruction");
}

/* After decoding, so that a family's own words for a refusal come first. */
static bool takes_modifiers(struct decoder *d) {
    size_t length;
    const char *word = ptx_refused(d->at->typed, &length);
    return !word || decode_fail(d, "the virtual GPU does not know '.%.*s' here",
                                (int)length, word);
}

static bool decode_one(struct decoder *d, struct insn *out) {
    typedef bool decode_fn(struct decoder *, struct insn *);
    static decode_fn *const families[] = {
#define X(family, decode, classes, twice) decode,
#include "families.def"
#undef X
    };
    out->source = d->at;
    out->target = out->join = NO_TARGET;
    out->base = NO_REGISTER;
    for (int k = 0; k < ALU_MAX_OPERANDS; k++)
        out->operands.at[k] = NO_REGISTER;
    return decode_guard(d, out) && families[ptx_op_family(d->at->op)](d, out) &&
           !d->failed && takes_modifiers(d);
}

/* An instruction with its counts, and what most families keep beside it; a
 * register's place and, of a constant, its value. */
static bool charge_code(struct function *f) {
    enum { BESIDE = 288 };
    uint64_t bytes = f->n_code * (uint64_t)(sizeof *f->code + BESIDE +
                                            VGPU_N_COUNTERS * sizeof(uint64_t) +
                                            sizeof(struct fill)) +
                     f->ptx->n_registers * (uint64_t)sizeof(uint32_t);
    if (!charges_add(&f->program->memory->charges, bytes,
                     "the instructions of a kernel"))
        return false;
    f->charged = bytes;
    return true;
}

/* Where each instruction goes, with a JOIN before each meeting point. */
static bool place_code(struct decoder *d, uint32_t *join) {
    uint32_t n = d->ptx->n_insns;
    struct function *f = d->function;
    bool *meets = calloc(n + 2, sizeof *meets);
    if (!meets) return decode_no_memory(d);
    for (uint32_t k = 0; k < n; k++)
        if (join[k] < n) meets[join[k]] = true;
    uint32_t at = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (meets[k]) at++;
        d->code_index[k] = at++;
    }
    d->code_index[n] = at + 1; /* behind the last JOIN: RETURN or EXIT */
    free(meets);
    f->n_code = at + 2;
    if (!charge_code(f)) return decode_no_memory(d);
    struct insn *code =
        aligned_alloc(_Alignof(struct insn), f->n_code * sizeof *code);
    f->code = d->code = code;
    if (!code) return decode_no_memory(d);
    memset(code, 0, f->n_code * sizeof *code);
    for (uint32_t k = 0; k < f->n_code; k++) {
        code[k].kind = KIND_JOIN;
        code[k].guard = NO_REGISTER;
    }
    code[f->n_code - 1].kind = d->ptx->is_entry ? KIND_EXIT : KIND_RETURN;
    return true;
}

/* What racecheck has to know before anything runs. */
static void note_order(struct decoder *d, const struct insn *i) {
    struct program *p = d->program;
    const struct barrier_op *b = i->extra;
    const struct ptx_operand *mask = d->at->operands;
    bool is_access =
        i->kind == KIND_LOAD || i->kind == KIND_STORE || i->kind == KIND_ATOMIC;
    p->has_fences |=
        i->kind == KIND_FENCE || (is_access && i->order >= ORDER_ACQUIRE);
    p->acquires |=
        is_access && i->order >= ORDER_ACQUIRE && i->order != ORDER_RELEASE;
    bool of_block = is_access && i->order != ORDER_WEAK && i->of_block;
    bool is_flag = is_access && i->kind != KIND_ATOMIC && i->order;
    p->block_accesses |= of_block && i->space != PTX_SHARED;
    if (i->kind == KIND_ATOMIC) p->atomic_sizes |= i->bytes * i->n_elements;
    p->has_flags |= p->has_fences || p->block_accesses || is_flag ||
                    p->atomic_sizes & (p->atomic_sizes - 1);
    p->block_scopes |= of_block || (i->kind == KIND_FENCE && i->mode);
    p->parts_blocks |=
        i->kind == KIND_MBARRIER || i->kind == KIND_CLUSTER_BARRIER ||
        (i->kind == KIND_BARRIER &&
         (b->arrive_only || b->count != NO_REGISTER || b->count_value)) ||
        (i->kind == KIND_WARP_SYNC &&
         (mask->kind != PTX_INTEGER || (uint32_t)mask->integer != UINT32_MAX));
}

bool program_is_late(struct program *p, uint64_t steps) {
    enum { AT_ONCE = 1 << 18 }; /* about a millisecond */
    p->unasked += steps;
    if (p->unasked < AT_ONCE || p->stopped) return p->stopped;
    p->unasked = 0;
    return p->stopped = p->should_stop && p->should_stop(p->stop_user);
}

static bool fail_late(struct decoder *d) {
    return decode_fail(d, "the time was over before its code was prepared: the "
                          "image is very large, or very tangled");
}

static bool emit(struct decoder *d, const uint32_t *join) {
    struct function *f = d->function;
    uint32_t n = d->ptx->n_insns;
    /* A name is looked for in all of these. */
    uint64_t searched = 8 + (uint64_t)d->program->n_symbols +
                        d->program->n_functions + d->ptx->n_params +
                        d->ptx->n_variables + d->program->ptx->n_variables;
    for (uint32_t k = 0; k < n; k++) {
        d->at = &d->ptx->insns[k];
        struct insn *out = &d->code[d->code_index[k]];
        if (program_is_late(d->program, searched)) return fail_late(d);
        if (!decode_one(d, out)) return false;
        note_order(d, out);
        /* A branch meets in front of the meeting point's instruction. At a
         * kernel's end there is nothing to wait for. */
        if (join[k] < n)
            out->join = d->code_index[join[k]] - 1;
        else if (join[k] == n && !d->ptx->is_entry)
            out->join = f->n_code - 2;
    }
    d->at = NULL;
    return true;
}

static void find_straight_lines(struct decoder *d) {
    uint8_t n = 0;
    for (uint32_t k = d->function->n_code; k-- > 0;) {
        struct insn *i = &d->code[k];
        bool is_one = i->kind == KIND_ALU && i->guard == NO_REGISTER;
        i->straight = n = !is_one ? 0 : n < UINT8_MAX ? n + 1 : n;
    }
}

static uint32_t lowest_target(const struct insn *i) {
    if (i->kind == KIND_BRANCH) return i->target;
    if (i->kind != KIND_BRANCH_INDEX) return NO_TARGET;
    const struct branch_table *t = i->extra;
    uint32_t lowest = NO_TARGET;
    for (uint32_t k = 0; k < t->n; k++)
        if (t->targets[k] < lowest) lowest = t->targets[k];
    return lowest;
}

/* Every way from an instruction back to it has a branch that leads over it. */
static void find_loops(struct decoder *d) {
    uint32_t lowest = NO_TARGET;
    for (uint32_t k = d->function->n_code; k-- > 0;) {
        uint32_t target = lowest_target(&d->code[k]);
        if (target < lowest) lowest = target;
        d->code[k].in_loop = lowest <= k;
    }
}

/* Loads whose value comes, through moves, into the register. */
static void mark_sources(struct decoder *d, const struct ptx_operand *o,
                         uint8_t bytes, int moves) {
    uint32_t n_code = d->function->n_code;
    if (o->kind != PTX_REGISTER || program_is_late(d->program, n_code)) return;
    for (uint32_t k = 0; k < n_code; k++) {
        struct insn *i = &d->code[k];
        if (!i->source || i->source->operands[0].kind != PTX_REGISTER ||
            i->source->operands[0].reg != o->reg)
            continue;
        if (i->kind == KIND_LOAD && i->order == ORDER_WEAK &&
            i->bytes == bytes && i->n_elements == 1)
            i->before_cas = true;
        if (i->kind == KIND_ALU && i->source->op == PTX_OP_mov && moves)
            mark_sources(d, &i->source->operands[1], bytes, moves - 1);
    }
}

/* Atomics by comparison begin with a plain load of the word (CUDA C++
 * Programming Guide, "Atomic Functions"). Whatever it sees, the comparison
 * decides, so it races with no other atomic. */
static void find_cas_loads(struct decoder *d) {
    enum { MOVES = 3 };
    for (uint32_t k = 0; k < d->function->n_code; k++) {
        const struct insn *i = &d->code[k];
        if (i->kind == KIND_ATOMIC && i->atomic == ATOMIC_CAS)
            mark_sources(d, &i->source->operands[2], i->bytes, MOVES);
    }
}

/* The numbers of a function that is freed are free again, if it had the last
 * ones: what cannot be decoded may be tried for ever. */
static void number_code(struct decoder *d) {
    struct function *f = d->function;
    f->first_number = d->program->n_numbers;
    for (uint32_t k = 0; k < f->n_code; k++)
        d->code[k].number = f->first_number + k;
    d->program->n_numbers += f->n_code;
}

bool program_give(struct program *p, unsigned slot, size_t bytes) {
    enum { LINE = 64 };
    uint32_t n = p->n_numbers;
    if (p->n_given[slot] >= n) return true;
    size_t all = (n * bytes + LINE - 1) / LINE * LINE;
    size_t old = p->n_given[slot] * bytes;
    uint8_t *given = aligned_alloc(LINE, all);
    if (!given) return false;
    if (old) memcpy(given, p->insn_slots[slot], old);
    memset(given + old, 0, all - old);
    free(p->insn_slots[slot]);
    p->insn_slots[slot] = given;
    p->n_given[slot] = n;
    return true;
}

void program_take_back(struct program *p) {
    for (unsigned k = 0; k < OBSERVER_SLOTS; k++) free(p->insn_slots[k]);
    memset(p->insn_slots, 0, sizeof p->insn_slots);
    memset(p->n_given, 0, sizeof p->n_given);
}

const struct insn *program_insn(const struct program *p, uint32_t number) {
    for (uint32_t k = 0; k < p->n_functions; k++) {
        const struct function *f = &p->functions[k];
        if (f->decoded && number - f->first_number < f->n_code)
            return &f->code[number - f->first_number];
    }
    return NULL;
}

void function_free(struct function *f) {
    for (uint32_t k = 0; f->code && k < f->n_code; k++)
        free((void *)f->code[k].extra);
    struct program *p = f->program;
    if (f->code && f->code[f->n_code - 1].number && /* it has numbers */
        f->code[f->n_code - 1].number + 1 == p->n_numbers)
        p->n_numbers = f->first_number;
    free((void *)f->code);
    free(f->register_at);
    free(f->fills);
    free(f->params);
    free(f->returns);
    free(f->locals);
    const struct ptx_function *ptx = f->ptx;
    if (f->charged) charges_drop(&p->memory->charges, f->charged);
    memset(f, 0, sizeof *f);
    f->ptx = ptx;
    f->program = p;
}

static bool clusters_are_known(struct decoder *d) {
    return !d->ptx->blocks_are_clusters ||
           decode_fail(d, "the virtual GPU has no .blocksareclusters");
}

static bool fail_joins(struct decoder *d, const struct graph *g) {
    if (d->program->stopped) return fail_late(d);
    if (!g->has_too_many) return decode_no_memory(d);
    return decode_fail(d, "its indirect branches have too many ways");
}

/* What an instruction takes only while its function is decoded: two words here,
 * up to fifteen for the graph. */
enum { BESIDE_BYTES = 17 * sizeof(uint32_t) };

static bool decode_body(struct program *p, struct function *f,
                        struct decode_error *e) {
    struct decoder d = {.program = p, .function = f, .ptx = f->ptx, .error = e};
    for (int k = 0; k < 3; k++) d.sink[k] = NO_REGISTER;
    for (int k = 0; k < PTX_N_SREGS; k++) f->specials[k] = NO_REGISTER;
    f->carry = NO_REGISTER;
    uint64_t beside = f->ptx->n_insns * (uint64_t)BESIDE_BYTES;
    struct charges *charges = &p->memory->charges;
    if (!charges_add(charges, beside, "the instructions of a kernel"))
        return decode_no_memory(&d);
    struct graph g = {.program = p, .module = p->ptx, .f = f->ptx};
    uint32_t *join = calloc(f->ptx->n_insns + 1, sizeof *join);
    d.code_index = calloc(f->ptx->n_insns + 1, sizeof(uint32_t));
    bool ok = join && d.code_index;
    if (!ok) decode_no_memory(&d);
    ok = ok && clusters_are_known(&d) && decode_layout_params(&d) &&
         decode_layout_variables(&d) &&
         ((cfg_make(&g) && cfg_joins(&g, join)) || fail_joins(&d, &g)) &&
         decode_slots(&d, &g) && place_code(&d, join) && emit(&d, join);
    cfg_free(&g);
    f->register_bytes = d.next_register ? d.next_register : 64;
    if (ok) find_straight_lines(&d);
    if (ok) find_loops(&d);
    if (ok) find_cas_loads(&d);
    if (ok) decode_copies(&d);
    if (ok) number_code(&d);
    free(join);
    free(d.code_index);
    charges_drop(charges, beside);
    f->register_at = d.register_at;
    if (ok && p->stopped) ok = fail_late(&d);
    if (!ok) function_free(f);
    return ok;
}

/* Calls of calls take stack of ours. */
enum { MOST_DEPTH = 512 };

static bool decode_callees(struct program *p, struct function *f,
                           struct decode_error *e) {
    for (uint32_t k = 0; k < f->n_code; k++) {
        if (f->code[k].kind != KIND_CALL) continue;
        const struct call *c = f->code[k].extra;
        f->needs_stack = f->needs_stack || !c->builtin;
        if (c->callee && !program_decode(p, c->callee, e)) return false;
        /* An indirect call may reach any function of the module. */
        for (uint32_t i = 0; !c->callee && !c->builtin && i < p->n_functions;
             i++) {
            struct function *g = &p->functions[i];
            struct decode_error ignored;
            if (program_is_late(p, 1)) break;
            if (!g->ptx->is_entry) program_decode(p, g, &ignored);
        }
    }
    return true;
}

bool program_decode(struct program *p, struct function *f,
                    struct decode_error *e) {
    if (f->decoded) return true;
    if (p->depth == MOST_DEPTH) {
        snprintf(e->message, sizeof e->message,
                 "more than %d functions that call one another", MOST_DEPTH);
        return false;
    }
    if (!decode_body(p, f, e)) return false;
    f->decoded = true; /* before callees: recursion ends here */
    p->depth++;
    bool ok = decode_callees(p, f, e);
    p->depth--;
    if (ok) return true;
    f->decoded = false;
    function_free(f);
    return false;
}

struct function *program_function(struct program *p, const char *name) {
    for (uint32_t i = 0; i < p->n_functions; i++)
        if (p->functions[i].ptx->name == name) return &p->functions[i];
    return NULL;
}

const struct symbol *program_symbol(const struct program *p, const char *name) {
    for (uint32_t i = 0; i < p->n_symbols; i++)
        if (p->symbols[i].name == name) return &p->symbols[i];
    return NULL;
}
