/* SPDX-License-Identifier: MIT
 *
 * ptx.c: a program's PTX (program.h).
 *
 * %b %t %w %l: block, thread, warp, lane; %me: what is its own in a thread's
 * values; %v0...: what it has read. Before an operation, in line 1: %g, whether
 * the thread executes it; %ad, %sr, %mb, addresses; %x, the value to store.
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static const char *const sems[] = {
    "", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".sc"};
static const char *const scopes[] = {".cta", ".gpu", ".sys", ".cluster"};
static const char *const spaces[] = {".global", ".shared"};

/* Shared memory begins with anything; flags in it have to begin with 0. */
static void clear_shared(const struct program *p, FILE *f) {
    bool flags = false;
    for (uint32_t k = 0; k < p->n_ops; k++)
        flags |= p->ops[k].space == SPACE_shared &&
                 (p->ops[k].kind == OP_poll || op_is_atomic(&p->ops[k]));
    if (!flags) return;
    fprintf(f, " mul.wide.u32 %%p, %%t, 4;\n add.u64 %%p, %%sh, %%p;\n");
    for (uint32_t at = 0; at < WORDS; at += p->n_warps * LANES)
        fprintf(f, " st.shared.u32 [%%p+%u], 0;\n", 4 * at);
    fputs(" fence.proxy.async;\n barrier.sync 0;\n", f);
}

static void head(const struct program *p, FILE *f) {
    fprintf(f,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".file 1 \"races.cu\"\n"
            ".visible .entry k(.param .u64 words, .param .u32 launch%s)\n{\n"
            " .reg .pred %%g, %%q, %%r;\n"
            " .reg .b32 %%v<%u>, %%b, %%t, %%w, %%l, %%me, %%x, %%y, %%n,"
            " %%c, %%i, %%j;\n"
            " .reg .b64 %%ad, %%sr, %%mb, %%wo, %%sh, %%p, %%xd, %%yd, %%ye;\n"
            " .shared .align 16 .b32 s[%u];\n .loc 1 1 0\n",
            p->n_gpus > 1 ? ", .param .u32 gpu" : "", VALUES,
            WORDS + MOST_WARPS * LANES);
    if (p->n_gpus > 1) /* blocks of others */
        fprintf(f,
                " mov.u32 %%i, %%ctaid.x;\n rem.u32 %%i, %%i, %u;\n"
                " ld.param.u32 %%j, [gpu];\n setp.ne.u32 %%q, %%i, %%j;\n"
                " @%%q exit;\n",
                p->n_gpus);
    fprintf(f, " ld.param.u64 %%wo, [words];\n mov.u64 %%sh, s;\n"
               " mov.u32 %%b, %%ctaid.x;\n mov.u32 %%t, %%tid.x;\n"
               " shr.u32 %%w, %%t, 5;\n and.b32 %%l, %%t, 31;\n"
               " ld.param.u32 %%me, [launch];\n shl.b32 %%me, %%me, 26;\n");
    fprintf(f,
            " mad.lo.u32 %%i, %%b, %u, %%t;\n add.u32 %%i, %%i, 1;\n"
            " or.b32 %%me, %%me, %%i;\n",
            p->n_warps * LANES);
    fputs(" mov.u32 %c, 0;\n", f);
    for (unsigned k = 0; k < VALUES; k++) fprintf(f, " mov.u32 %%v%u, 0;\n", k);
    clear_shared(p, f);
}

/* %g */
static void guard(const struct op *o, FILE *f) {
    fprintf(f,
            " shr.u32 %%i, %u, %%b;\n shr.u32 %%j, %u, %%w;\n"
            " and.b32 %%i, %%i, %%j;\n shr.u32 %%j, %u, %%l;\n"
            " and.b32 %%i, %%i, %%j;\n and.b32 %%i, %%i, 1;\n"
            " setp.ne.u32 %%g, %%i, 0;\n",
            o->blocks, o->warps, o->lanes);
    if (o->condition >= 0)
        fprintf(f, " setp.%s.and.u32 %%g, %%v%d, %u, %%g;\n",
                o->is ? "eq" : "ne", o->condition, o->is);
}

static void address(const char *to, const struct place *p, enum space space,
                    FILE *f) {
    fprintf(f, " mov.u32 %%i, %u;\n", p->word);
    if (p->by_thread)
        fprintf(f, " mad.lo.u32 %%i, %%t, %u, %%i;\n", p->by_thread);
    if (p->by_block)
        fprintf(f, " mad.lo.u32 %%i, %%b, %u, %%i;\n", p->by_block);
    if (p->value >= 0)
        fprintf(f, " and.b32 %%j, %%v%d, 7;\n mad.lo.u32 %%i, %%j, %u, %%i;\n",
                p->value, p->by_value);
    fprintf(f,
            " and.b32 %%i, %%i, %u;\n mul.wide.u32 %%p, %%i, 4;\n"
            " add.u64 %s, %s, %%p;\n",
            WORDS - 1, to, space == SPACE_shared ? "%sh" : "%wo");
}

static void addresses(const struct op *o, FILE *f) {
    bool loads = o->kind == OP_copy || o->kind == OP_bulkload;
    struct place mb = {.word = o->id, .value = -1};
    if (op_accesses(o)) address("%ad", &o->at, o->space, f);
    if (o->byte) fprintf(f, " add.u64 %%ad, %%ad, %u;\n", o->byte);
    if (loads) address("%sr", &o->from, SPACE_global, f);
    if (o->kind == OP_bulkstore) address("%sr", &o->from, SPACE_shared, f);
    if (o->kind >= OP_mbinit && o->kind <= OP_bulkload)
        address("%mb", &mb, SPACE_shared, f);
}

/* ---- the instruction itself ---- */

static void ordered(const struct op *o, const char *name, FILE *f) {
    bool scoped = o->sem > SEM_volatile;
    fprintf(f, " @%%g %s%s%s%s", name, sems[o->sem],
            scoped ? scopes[o->scope] : "", spaces[o->space]);
}

static void load(const struct op *o, FILE *f) {
    ordered(o, "ld", f);
    if (o->bytes == 16) {
        fputs(".v2.u64 {%yd, %ye}, [%ad];\n", f);
        return;
    }
    fprintf(f, ".u%u %s, [%%ad];\n", 8 * o->bytes,
            o->kind == OP_guess ? "%c"
            : o->bytes == 8     ? "%yd"
                                : "%y");
}

static void store(const struct op *o, FILE *f) {
    const char *value = o->kind == OP_clear ? "0"
                        : o->bytes == 8     ? "%xd"
                                            : "%x";
    ordered(o, "st", f);
    if (o->bytes == 16) {
        fputs(".v2.u64 [%ad], {%xd, %xd};\n", f);
        return;
    }
    fprintf(f, ".u%u [%%ad], %s;\n", 8 * o->bytes, value);
}

static void atomic(const struct op *o, FILE *f) {
    static const char *const forms[][2] = {
        {".add.u32", "%x"},   {".add.u32", "1"},     {".or.b32", "0"},
        {".exch.b32", "%x"},  {".cas.b32", "0, %x"}, {".cas.b32", "%c, %x"},
        {".cas.b32", "0, %x"}};
    static const char *const wide[][2] = {
        {".add.u64", "%xd"},   {".add.u64", "1"},      {".or.b64", "0"},
        {".exch.b64", "%xd"},  {".cas.b64", "0, %xd"}, {".cas.b64", "0, %xd"},
        {".cas.b64", "0, %xd"}};
    size_t k = (size_t)(o->kind - OP_add);
    const char *const *form = o->bytes == 8 ? wide[k] : forms[k];
    ordered(o, "atom", f);
    fprintf(f, "%s %s, [%%ad], %s;\n", form[0], o->bytes == 8 ? "%yd" : "%y",
            form[1]);
}

static void fence(const struct op *o, FILE *f) {
    static const char *const membars[] = {"cta", "gl", "sys", "cta"};
    if (o->sem == SEM_weak)
        fprintf(f, " @%%g membar.%s;\n", membars[o->scope]);
    else
        fprintf(f, " @%%g fence%s%s;\n", sems[o->sem], scopes[o->scope]);
}

static void simple(const struct op *o, FILE *f) {
    fputs(" @%g ", f);
    switch ((enum op_kind)o->kind) {
    case OP_exit: fputs("exit;\n", f); break;
    case OP_bar:
        fprintf(f, "barrier.sync %u", o->id);
        fprintf(f, o->count ? ", %u;\n" : ";\n", o->count);
        break;
    case OP_arrive:
        fprintf(f, "barrier.arrive %u, %u;\n", o->id, o->count);
        break;
    case OP_clusterarrive: fputs("barrier.cluster.arrive;\n", f); break;
    case OP_clusterrelaxed:
        fputs("barrier.cluster.arrive.relaxed;\n", f);
        break;
    case OP_clusterwait: fputs("barrier.cluster.wait;\n", f); break;
    case OP_syncwarp: fprintf(f, "bar.warp.sync %u;\n", o->lanes); break;
    case OP_shuffle:
        fprintf(f, "shfl.sync.bfly.b32 %%y, %%l, 1, 31, %u;\n", o->lanes);
        break;
    case OP_vote:
        fprintf(f, "vote.sync.any.pred %%r, %%g, %u;\n", o->lanes);
        break;
    case OP_copy:
        fprintf(f, "cp.async.ca.shared.global [%%ad], [%%sr], %u;\n", o->bytes);
        break;
    case OP_commit: fputs("cp.async.commit_group;\n", f); break;
    case OP_wait: fprintf(f, "cp.async.wait_group %u;\n", o->count); break;
    default: break;
    }
}

static void bulk(const struct op *o, FILE *f) {
    fputs(" @%g ", f);
    switch ((enum op_kind)o->kind) {
    case OP_mbinit:
        fprintf(f, "mbarrier.init.shared.b64 [%%mb], %u;\n", o->count);
        break;
    case OP_mbarrive:
        fputs("mbarrier.arrive.shared.b64 %yd, [%mb];\n", f);
        break;
    case OP_mbexpect:
        fprintf(f, "mbarrier.arrive.expect_tx.shared.b64 %%yd, [%%mb], %u;\n",
                o->bytes);
        break;
    case OP_mbwait:
        fprintf(f, "mbarrier.try_wait.parity.shared.b64 %%r, [%%mb], %u;\n",
                o->count);
        break;
    case OP_mbcopy:
        fputs("cp.async.mbarrier.arrive.noinc.shared.b64 [%mb];\n", f);
        break;
    case OP_bulkload:
        fprintf(f,
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                "::bytes [%%ad], [%%sr], %u, [%%mb];\n",
                o->bytes);
        break;
    case OP_bulkstore:
        fprintf(f,
                "cp.async.bulk.global.shared::cta.bulk_group [%%ad], [%%sr], "
                "%u;\n",
                o->bytes);
        break;
    case OP_bulkcommit: fputs("cp.async.bulk.commit_group;\n", f); break;
    case OP_bulkwait:
        fprintf(f, "cp.async.bulk.wait_group %u;\n", o->count);
        break;
    case OP_bulkread:
        fprintf(f, "cp.async.bulk.wait_group.read %u;\n", o->count);
        break;
    default: fputs("fence.proxy.async;\n", f); break;
    }
}

static void instruction(const struct op *o, FILE *f) {
    if (o->kind <= OP_guess)
        load(o, f);
    else if (o->kind == OP_st || o->kind == OP_clear)
        store(o, f);
    else if (op_is_atomic(o))
        atomic(o, f);
    else if (o->kind == OP_fence)
        fence(o, f);
    else if (o->kind <= OP_wait)
        simple(o, f);
    else
        bulk(o, f);
}

/* ---- an operation ---- */

static bool loops(const struct op *o) {
    return o->kind == OP_poll || o->kind == OP_mbwait || o->kind == OP_lock ||
           (o->kind == OP_look && o->count != 1);
}

/* Behind the instruction, in line 1: again unless it saw what it waits for. */
static void again(const struct op *o, uint32_t k, FILE *f) {
    if (o->kind == OP_mbwait) {
        fprintf(f, " @!%%r bra AGAIN%u;\n", k);
        return;
    }
    if (o->bytes >= 8) fputs(" cvt.u32.u64 %y, %yd;\n", f);
    fprintf(f, " setp.%s.u32 %%q, %%y, 0;\n", o->kind == OP_lock ? "ne" : "eq");
    if (o->count)
        fprintf(f,
                " add.u32 %%n, %%n, 1;\n setp.lt.and.u32 %%q, %%n, %u, %%q;\n",
                o->count);
    fprintf(f, " @%%q bra AGAIN%u;\n", k);
}

static void write_op(const struct op *o, uint32_t k, FILE *f) {
    bool reads = o->kind < OP_clear && o->kind != OP_st;
    guard(o, f);
    addresses(o, f);
    fprintf(f, " or.b32 %%x, %%me, %u;\n mov.b64 %%xd, {%%x, %%x};\n",
            (k + 1) << 16);
    if (o->kind == OP_st && o->bytes < 4)
        fprintf(f,
                " shr.u32 %%x, %%me, 26;\n shl.b32 %%x, %%x, %u;\n"
                " or.b32 %%x, %%x, %u;\n",
                BYTE_LAUNCH, k + 1);
    if (loops(o))
        fprintf(f,
                " mov.u32 %%n, 0;\n @!%%g bra DONE%u;\nAGAIN%u:\n"
                " setp.ne.u32 %%r, 0, 0;\n",
                k, k);
    fprintf(f, " .loc 1 %u 0\n", FIRST_LINE + k);
    instruction(o, f);
    fputs(" .loc 1 1 0\n", f);
    if (loops(o)) again(o, k, f);
    if (reads && o->to >= 0 && o->bytes >= 8)
        fputs(" @%g cvt.u32.u64 %y, %yd;\n", f);
    if (o->kind == OP_guess) fputs(" @%g mov.u32 %y, %c;\n", f);
    if (reads && o->to >= 0) fprintf(f, " @%%g mov.u32 %%v%d, %%y;\n", o->to);
    if (loops(o)) fprintf(f, "DONE%u:\n", k);
}

char *program_ptx(const struct program *p) {
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return NULL;
    head(p, f);
    for (uint32_t k = 0; k < p->n_ops; k++) write_op(&p->ops[k], k, f);
    fputs(" ret;\n}\n", f);
    fclose(f);
    return text;
}
