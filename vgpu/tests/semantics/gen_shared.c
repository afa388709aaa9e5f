/* SPDX-License-Identifier: MIT
 *
 * gen_shared.c: what threads tell one another: warp operations, barriers,
 * exchanges through shared memory, sums by atomics.
 */
#include <string.h>

#include "gen.h"

#define OF(g, list) (list)[gen_below(g, sizeof(list) / sizeof *(list))]

/* ---- warp operations ---- */

static void shuffle_any(struct gen *g, int mask) {
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const uint32_t controls[] = {0x1f,   0,      0x1c1f, 0x181f,
                                        0x101f, 0x1e1f, 0x1c00, 0x1800,
                                        0x1000, 0x0f0f, 0x1f1f, 0x0010};
    unsigned to = gen_pick(g, 'w'), p = gen_pick(g, 'p');
    char by[16], control[16];
    if (gen_one_in(g, 2))
        snprintf(by, sizeof by, "%u", gen_below(g, 32));
    else
        snprintf(by, sizeof by, "%%w%u", gen_pick(g, 'w'));
    if (gen_one_in(g, 4)) { /* what is not clamp or segment is ignored */
        gen_emit(g, " and.b32 %%tw1, %%w%u, 0x1f1f;\n", gen_pick(g, 'w'));
        snprintf(control, sizeof control, "%%tw1");
    } else {
        snprintf(control, sizeof control, "0x%x", (unsigned)OF(g, controls));
    }
    char second[16] = "";
    bool both = gen_one_in(g, 2);
    if (both) snprintf(second, sizeof second, "|%%p%u", p);
    unsigned from = gen_pick(g, 'w');
    gen_emit(g, " shfl.sync.%s.b32 %%w%u%s, %%w%u, %s, %s, %%m%d;\n",
             OF(g, modes), to, second, from, by, control, mask);
    gen_trace(g, 'w', to);
    if (both) gen_trace(g, 'p', p);
}

/* From a lane that the mask names. */
static void shuffle_within(struct gen *g, int mask) {
    unsigned to = gen_pick(g, 'w'), from = gen_pick(g, 'w');
    gen_emit(g,
             " popc.b32 %%tw1, %%m%d;\n"
             " rem.u32 %%tw2, %%w%u, %%tw1;\n"
             " add.u32 %%tw2, %%tw2, 1;\n"
             " fns.b32 %%tw3, %%m%d, 0, %%tw2;\n"
             " shfl.sync.idx.b32 %%w%u, %%w%u, %%tw3, 0x1f, %%m%d;\n",
             mask, gen_pick(g, 'w'), mask, to, from, mask);
    gen_trace(g, 'w', to);
}

static void vote(struct gen *g, int mask) {
    static const char *const modes[] = {"all", "any", "uni"};
    const char *not = gen_one_in(g, 2) ? "!" : "";
    if (gen_one_in(g, 2)) {
        unsigned to = gen_pick(g, 'w');
        gen_emit(g, " vote.sync.ballot.b32 %%w%u, %s%%p%u, %%m%d;\n", to, not,
                 gen_pick(g, 'p'), mask);
        gen_trace(g, 'w', to);
    } else {
        unsigned to = gen_pick(g, 'p'), p = gen_pick(g, 'p');
        gen_emit(g, " vote.sync.%s.pred %%p%u, %s%%p%u, %%m%d;\n", OF(g, modes),
                 to, not, p, mask);
        gen_trace(g, 'p', to);
    }
}

static void match(struct gen *g, int mask) {
    bool wide = gen_one_in(g, 2), all = gen_one_in(g, 2);
    unsigned to = gen_pick(g, 'w'), p = gen_pick(g, 'p');
    /* few different values, so that some match */
    unsigned bits = gen_below(g, 8);
    if (wide)
        gen_emit(g, " and.b64 %%td1, %%d%u, %u;\n", gen_pick(g, 'd'), bits);
    else
        gen_emit(g, " and.b32 %%tw1, %%w%u, %u;\n", gen_pick(g, 'w'), bits);
    bool second = all && gen_one_in(g, 2);
    char name[16] = "";
    if (second) snprintf(name, sizeof name, "|%%p%u", p);
    gen_emit(g, " match.%s.sync.b%s %%w%u%s, %s, %%m%d;\n", all ? "all" : "any",
             wide ? "64" : "32", to, name, wide ? "%td1" : "%tw1", mask);
    gen_trace(g, 'w', to);
    if (second) gen_trace(g, 'p', p);
}

void gen_warp(struct gen *g, const struct place *at) {
    unsigned to;
    gen_begin(g);
    switch (gen_below(g, 8)) {
    case 0:
    case 1:
        if (at->mask == 0 && g->whole_warps) {
            shuffle_any(g, at->mask);
            break;
        }
        /* fall through */
    case 2: shuffle_within(g, at->mask); break;
    case 3:
    case 4: vote(g, at->mask); break;
    case 5:
    case 6: match(g, at->mask); break;
    default:
        gen_emit(g, " bar.warp.sync %%m%d;\n", at->mask);
        if (at->mask) break;
        to = gen_pick(g, 'w');
        /* who else is active is not promised, even here */
        gen_emit(g,
                 " activemask.b32 %%tw1;\n mov.u32 %%tw2, %%lanemask_eq;\n"
                 " and.b32 %%w%u, %%tw1, %%tw2;\n",
                 to);
        gen_trace(g, 'w', to);
    }
    gen_end(g);
}

/* ---- barriers ---- */

static void barrier(struct gen *g) {
    static const char *const all[] = {"bar.sync", "barrier.sync",
                                      "barrier.sync.aligned", "bar.cta.sync",
                                      "barrier.cta.sync"};
    if (g->block_threads % 32 == 0 && gen_one_in(g, 3)) {
        unsigned id = gen_below(g, 16);
        gen_emit(g, " %s %u, %u;\n", OF(g, all), id,
                 (unsigned)g->block_threads);
    } else {
        unsigned id = gen_one_in(g, 2) ? 0 : gen_below(g, 16);
        gen_emit(g, " %s %u;\n", OF(g, all), id);
    }
}

void gen_barrier(struct gen *g, const struct place *at) {
    static const char *const fences[] = {
        "membar.cta",        "membar.gl",        "membar.sys",
        "fence.sc.cta",      "fence.sc.gpu",     "fence.acq_rel.cta",
        "fence.acq_rel.gpu", "fence.acq_rel.sys"};
    static const char *const ops[] = {"bar.red", "barrier.red",
                                      "barrier.red.aligned", "bar.cta.red"};
    char count[16] = "";
    const char *not = gen_one_in(g, 2) ? "!" : "";
    gen_begin(g);
    unsigned which = at->uniform ? gen_below(g, 4) : 0;
    if (g->block_threads % 32 == 0 && gen_one_in(g, 3))
        snprintf(count, sizeof count, ", %u", (unsigned)g->block_threads);
    if (which == 0) {
        gen_emit(g, " %s;\n", OF(g, fences));
    } else if (which == 1) {
        unsigned to = gen_pick(g, 'w'), p = gen_pick(g, 'p');
        unsigned id = gen_below(g, 16);
        gen_emit(g, " %s.popc.u32 %%w%u, %u%s, %s%%p%u;\n", OF(g, ops), to, id,
                 count, not, p);
        gen_trace(g, 'w', to);
    } else {
        unsigned to = gen_pick(g, 'p'), p = gen_pick(g, 'p');
        unsigned id = gen_below(g, 16);
        gen_emit(g, " %s.%s.pred %%p%u, %u%s, %s%%p%u;\n", OF(g, ops),
                 which == 2 ? "and" : "or", to, id, count, not, p);
        gen_trace(g, 'p', to);
    }
    gen_end(g);
}

/* ---- a word of 16 bytes per thread in shared memory ---- */

/* Half of the warps write, arrive, and go on; the other half waits and reads
 * what the warp before it wrote. */
static void hand_over(struct gen *g) {
    unsigned to = gen_pick(g, 'w'), id = 1 + gen_below(g, 15);
    unsigned end = g->labels++;
    gen_emit(g,
             " bar.sync 0;\n"
             " shr.u32 %%tw1, %%rtid, 5;\n and.b32 %%tw1, %%tw1, 1;\n"
             " setp.eq.u32 %%tp1, %%tw1, 1;\n"
             " @%%tp1 bra READ%u;\n"
             " st.shared.b32 [%%rexchange], %%w%u;\n"
             " bar.arrive %u, %u;\n bra DONE%u;\n"
             "READ%u:\n bar.sync %u, %u;\n"
             " ld.shared.b32 %%w%u, [%%rexchange+-512];\n"
             "DONE%u:\n bar.sync 0;\n",
             end, gen_pick(g, 'w'), id, (unsigned)g->block_threads, end, end,
             id, (unsigned)g->block_threads, to, end);
    gen_trace(g, 'w', to);
}

void gen_exchange(struct gen *g, const struct place *at) {
    (void)at;
    static const struct {
        const char *name;
        char class;
    } kinds[] = {{"b32", 'w'}, {"b64", 'd'}, {"b16", 'h'}, {"u8", 'w'},
                 {"s8", 'd'},  {"s16", 'w'}, {"v4", 'w'},  {"v2", 'd'}};
    gen_begin(g);
    if (g->block_threads % 64 == 0 && gen_one_in(g, 6)) {
        hand_over(g);
        gen_end(g);
        return;
    }
    unsigned k = gen_below(g, 8), n = k == 6 ? 4 : k == 7 ? 2 : 1;
    const char *type = n == 4 ? "v4.b32" : n == 2 ? "v2.u64" : kinds[k].name;
    char regs[64], class = kinds[k].class;
    gen_list(g, class, n, regs);
    gen_emit(g,
             n > 1 ? " st.shared.%s [%%rexchange], {%s};\n"
                   : " st.shared.%s [%%rexchange], %s;\n",
             type, regs);
    if (g->whole_warps && gen_one_in(g, 4)) { /* within the warp */
        gen_emit(g,
                 " bar.warp.sync %%m0;\n"
                 " mov.u32 %%tw1, %%laneid;\n"
                 " xor.b32 %%tw2, %%tw1, %u;\n sub.u32 %%tw1, %%tw2, %%tw1;\n"
                 " shl.b32 %%tw1, %%tw1, 4;\n"
                 " add.u32 %%tw1, %%rexchange, %%tw1;\n",
                 gen_below(g, 32));
    } else { /* any thread's */
        barrier(g);
        unsigned by = gen_below(g, gen_pool('w'));
        gen_emit(g,
                 " add.u32 %%tw1, %%rtid, %s%u;\n"
                 " rem.u32 %%tw1, %%tw1, %u;\n"
                 " shl.b32 %%tw1, %%tw1, 4;\n"
                 " add.u32 %%tw1, %%rshared, %%tw1;\n"
                 " add.u32 %%tw1, %%tw1, %u;\n",
                 gen_one_in(g, 2) ? "%w" : "", by, (unsigned)g->block_threads,
                 (unsigned)g->exchange_at);
    }
    unsigned first = gen_list(g, class, n, regs);
    gen_emit(g,
             n > 1 ? " ld.shared.%s {%s}, [%%tw1];\n"
                   : " ld.shared.%s %s, [%%tw1];\n",
             type, regs);
    barrier(g);
    for (unsigned r = 0; r < n; r++)
        gen_trace(g, class, (first + r) % gen_pool(class));
    gen_end(g);
}

/* ---- sums: word k of an area changes by one operation only ---- */

static const struct {
    const char *op;
    char class; /* i: small f32, j: small f64, k: two small f16 */
} sums[] = {{"add.u32", 'w'}, {"min.s32", 'w'},         {"max.u32", 'w'},
            {"and.b32", 'w'}, {"or.b32", 'w'},          {"xor.b32", 'w'},
            {"add.u64", 'd'}, {"max.u64", 'd'},         {"min.s64", 'd'},
            {"inc.u32", '9'}, {"dec.u32", '5'},         {"add.f32", 'i'},
            {"add.f64", 'j'}, {"add.noftz.f16x2", 'k'}, {"and.b64", 'd'},
            {"min.u32", 'w'}, {"max.s64", 'd'},         {"min.u64", 'd'},
            {"or.b64", 'd'},  {"xor.b64", 'd'},         {"add.s32", 'w'},
            {"max.s32", 'w'}};
enum { N_SUMS = sizeof sums / sizeof *sums, TICKETS = 30 };

/* Base and space of an area. The grid's is never read by the kernel. */
static const char *area(struct gen *g, unsigned which, char base[16]) {
    switch (which) {
    case 0:
        strcpy(base, "%tw1");
        gen_emit(g, " add.u32 %%tw1, %%rshared, %u;\n",
                 (unsigned)g->atomics_at);
        return ".shared";
    case 1: strcpy(base, "%ratomics"); return ".global";
    case 2: strcpy(base, "%ratomics"); return "";
    default: strcpy(base, "%rgrid"); return ".global";
    }
}

static void operand(struct gen *g, char class, char text[16]) {
    unsigned w = gen_pick(g, 'w');
    switch (class) {
    case 'i':
        gen_emit(g,
                 " and.b32 %%tw2, %%w%u, 7;\n"
                 " cvt.rn.f32.u32 %%tf1, %%tw2;\n",
                 w);
        strcpy(text, "%tf1");
        break;
    case 'j':
        gen_emit(g,
                 " and.b32 %%tw2, %%w%u, 0xffff;\n"
                 " cvt.rn.f64.s32 %%tg1, %%tw2;\n",
                 w);
        strcpy(text, "%tg1");
        break;
    case 'k': /* 1.0 or 0 in each half: the sum stops at 2048 in any order */
        gen_emit(g,
                 " and.b32 %%tw2, %%w%u, 0x00010001;\n"
                 " mul.lo.u32 %%tw2, %%tw2, 0x3c00;\n"
                 " mov.b32 %%tx1, %%tw2;\n",
                 w);
        strcpy(text, "%tx1");
        break;
    case '9':
    case '5': snprintf(text, 16, "%c", class); break;
    default: snprintf(text, 16, "%%%c%u", class, gen_pick(g, class));
    }
}

void gen_shared_atomic(struct gen *g) {
    static const char *const scopes[] = {
        "", ".cta", ".gpu", ".relaxed.cta", ".release.gpu", ".relaxed.sys"};
    char base[16], value[16], guard[16];
    unsigned k = gen_below(g, N_SUMS), which = gen_below(g, 4);
    gen_begin(g);
    const char *space = area(g, which, base), *scope = OF(g, scopes);
    if (which == 3 && strstr(scope, "cta")) scope = "";
    if (gen_one_in(g, 8) && !which) { /* tickets: who gets which is open */
        gen_emit(g,
                 " atom.shared.add.u32 %%tw2, [%%tw1+%u], 1;\n"
                 " mad.lo.u32 %%tw2, %%tw2, %%tw2, %u;\n"
                 " red.shared.add.u32 [%%tw1+%u], %%tw2;\n",
                 TICKETS * 8, gen_below(g, 1000), TICKETS * 8 + 8);
        gen_end(g);
        return;
    }
    operand(g, sums[k].class, value);
    gen_guard(g, guard);
    if (gen_one_in(g, 4))
        gen_emit(g, " %satom%s%s.%s %%t%c7, [%s+%u], %s;\n", guard, scope,
                 space, sums[k].op,
                 sums[k].class == 'i'   ? 'f'
                 : sums[k].class == 'j' ? 'g'
                 : sums[k].class == 'k' ? 'x'
                 : sums[k].class == 'd' ? 'd'
                                        : 'w',
                 base, k * 8, value);
    else
        gen_emit(g, " %sred%s%s.%s [%s+%u], %s;\n", guard, scope, space,
                 sums[k].op, base, k * 8, value);
    gen_end(g);
}

void gen_read_atomics(struct gen *g, const struct place *at) {
    (void)at;
    char base[16];
    unsigned k = gen_below(g, N_SUMS), to = gen_pick(g, 'd');
    gen_begin(g);
    barrier(g);
    const char *space = area(g, gen_below(g, 3), base);
    gen_emit(g, " ld%s.b64 %%d%u, [%s+%u];\n", space, to, base, k * 8);
    barrier(g);
    gen_trace(g, 'd', to);
    gen_end(g);
}
