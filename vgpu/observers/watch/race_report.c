/* SPDX-License-Identifier: MIT
 *
 * race_report.c: the words of a finding about a race.
 */
#include "race_inside.h"

#include "copies.h"
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>

void race_describe_thread(const struct machine *m, uint64_t w, uint32_t *block,
                          uint32_t *thread) {
    uint64_t b = block_of(w);
    uint32_t t = thread_of(w);
    block[0] = (uint32_t)(b % m->grid[0]);
    block[1] = (uint32_t)(b / m->grid[0] % m->grid[1]);
    block[2] = (uint32_t)(b / m->grid[0] / m->grid[1]);
    thread[0] = t % m->block[0];
    thread[1] = t / m->block[0] % m->block[1];
    thread[2] = t / m->block[0] / m->block[1];
}

/* Somebody accesses a word that an asynchronous copy still reads or writes. */
static void report_copy(struct context *c, uint32_t lane, uint64_t address,
                        bool shared, const struct race_by *before, bool wrote,
                        bool writes) {
    struct vgpu_finding f = {.kind = shared ? VGPU_FINDING_SHARED_RACE
                                            : VGPU_FINDING_GLOBAL_RACE,
                             .address = address,
                             .bytes = 4,
                             .has_thread = true,
                             .has_other = true};
    const struct machine *m = c->machine;
    const struct insn *by = program_insn(m->program, before->insn);
    char where[256];
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    race_describe_thread(m, race_issuer(m, before->who), f.other_block,
                         f.other_thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    f.other_where = program_source(m->program->ptx, by->source->loc);
    if (shared)
        snprintf(where, sizeof where, "byte %llu of shared memory",
                 (unsigned long long)address);
    else
        exec_describe_address(c, address, 4, where, sizeof where);
    const struct async_op *op = by->extra;
    const char *mend =
        op->verb == ASYNC_BULK_LOAD
            ? "wait for the phase of its mbarrier (mbarrier.try_wait, in a "
              "loop) first"
        : op->verb == ASYNC_SMALL
            ? "wait for it (cp.async.wait_group, then a barrier when another "
              "thread issued it) first"
        : wrote ? "the thread that issued it has to wait for it "
                  "(cp.async.bulk.wait_group, not .read) and then to publish"
                : "the thread that issued it has to wait until it has been "
                  "read (cp.async.bulk.wait_group.read), and then a barrier "
                  "is due";
    snprintf(f.message, sizeof f.message,
             "race: this thread %s %s, which the asynchronous copy issued at "
             "line %u still %s, or nothing tells that it is done: %s",
             writes ? "writes" : "reads", where, f.other_where.line,
             wrote ? "writes" : "reads", mend);
    exec_report_finding(c, &f);
}

static const char *mend_of(bool same_block, bool same_line) {
    /* The two accesses are one statement of the source, executed by both
     * threads. */
    if (same_line)
        return same_block
                   ? "one statement reads and writes, so that some threads "
                     "read what others have changed: put a barrier between "
                     "reading and writing, or write to another array (a "
                     "counter that all change wants atomicAdd)"
                   : "one statement reads and writes, so that some threads "
                     "read what others have changed, and blocks run in any "
                     "order: write to another array, or in another launch (a "
                     "counter that all change wants atomicAdd)";
    return same_block
               ? "put a __syncthreads() (or, within a warp, a __syncwarp()) "
                 "between them"
               : "blocks run in any order. If each is to use a word of its "
                 "own, "
                 "the index is wrong; if not, put the two in two launches, or "
                 "let a flag with __threadfence() on both sides say which "
                 "comes first";
}

/* Several threads read the word, and who they were is not kept. */
static void keep_unnamed(struct context *c, struct vgpu_finding *f,
                         const char *where) {
    struct race_state *r = race_of(c->machine);
    for (uint32_t k = 0; k < r->n_unnamed; k++)
        if (r->unnamed[k].insn == c->insn &&
            r->unnamed[k].finding.kind == f->kind) {
            r->unnamed[k].times++;
            return;
        }
    snprintf(f->message, sizeof f->message,
             "race: this thread writes %s, which other threads have read "
             "since, and nothing orders the two: %s",
             where, mend_of(true, false));
    if (!r->unnamed) r->unnamed = calloc(MOST_UNNAMED, sizeof *r->unnamed);
    if (!r->unnamed || r->n_unnamed == MOST_UNNAMED)
        exec_report_finding(c, f);
    else
        r->unnamed[r->n_unnamed++] = (struct race_unnamed){c->insn, 0, *f};
}

/* Somebody known raced with the same instruction. */
static void forget_unnamed(struct context *c, vgpu_finding_kind kind) {
    struct race_state *r = race_of(c->machine);
    for (uint32_t k = 0; k < r->n_unnamed; k++)
        if (r->unnamed[k].insn == c->insn && r->unnamed[k].finding.kind == kind)
            r->unnamed[k] = r->unnamed[--r->n_unnamed];
}

void race_report_unnamed(struct machine *m) {
    struct race_state *r = race_of(m);
    for (uint32_t k = 0; k < r->n_unnamed; k++) {
        struct race_unnamed *u = &r->unnamed[k];
        u->finding.repeats = u->times;
        m->report(m->user, &u->finding);
    }
    free(r->unnamed);
}

void race_report(struct context *c, const struct race_now *q,
                 const struct race_word *w, const struct race_by *before,
                 bool wrote) {
    vgpu_finding_kind kind =
        q->shared ? VGPU_FINDING_SHARED_RACE : VGPU_FINDING_GLOBAL_RACE;
    if (exec_repeats(c, kind)) return;
    if (before && is_copy(c->machine, before->who)) {
        report_copy(c, w->lane, w->address, q->shared, before, wrote,
                    w->writes);
        return;
    }
    struct vgpu_finding f = {.kind = kind,
                             .address = w->address,
                             .bytes = 4,
                             .has_thread = true,
                             .writes = w->writes,
                             .other_wrote = wrote};
    const struct machine *m = c->machine;
    char where[256];
    race_describe_thread(m, who(c, w->lane), f.block, f.thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    if (q->shared)
        snprintf(where, sizeof where, "byte %llu of shared memory",
                 (unsigned long long)w->address);
    else
        exec_describe_address(c, w->address, 4, where, sizeof where);
    if (!before) {
        keep_unnamed(c, &f, where);
        return;
    }
    forget_unnamed(c, kind);
    f.has_other = true;
    race_describe_thread(m, before->who, f.other_block, f.other_thread);
    f.other_where = exec_access_source(
        c->machine, program_insn(m->program, before->insn)->source);
    bool one = f.where.line && f.where.line == f.other_where.line &&
               wrote != w->writes;
    snprintf(f.message, sizeof f.message,
             "race: this thread %s %s, which block (%u,%u,%u) thread "
             "(%u,%u,%u) %s at line %u, and nothing orders the two: %s",
             w->writes ? "writes" : "reads", where, f.other_block[0],
             f.other_block[1], f.other_block[2], f.other_thread[0],
             f.other_thread[1], f.other_thread[2], wrote ? "wrote" : "read",
             f.other_where.line,
             mend_of(block_of(before->who) == context_block(c)->linear, one));
    exec_report_finding(c, &f);
}

static uint32_t width_of(const struct context *c, const struct race_by *by) {
    const struct insn *i = program_insn(c->machine->program, by->insn);
    return (uint32_t)i->bytes * i->n_elements;
}

/* The lane has learnt of both halves. */
static bool knows_both(const struct context *c, const struct race_now *q,
                       struct race_word w, const struct race_by *a,
                       const struct race_by *b) {
    if (!race_was_before(c, q, &w, a, a->bytes)) return false;
    w.address += 4;
    return race_was_before(c, q, &w, b, b->bytes);
}

/* A strong read of n words whose words were written one by one: a status word
 * in two halves. */
void race_check_torn(struct context *c, const struct race_now *q,
                     const struct race_plane *w, uint64_t at, uint32_t n,
                     uint32_t lane, uint64_t address) {
    for (uint64_t k = at; k + 1 < at + n; k++) {
        struct race_by first, second, *a = &first, *b = &second;
        struct race_word word = {.address = address + 4 * (k - at),
                                 .lane = lane};
        if (!unpack(q, race_entry(q, w, k), a) ||
            !unpack(q, race_entry(q, w, k + 1), b) || !a->strong ||
            !b->strong || a->who != b->who || a->stamp != b->stamp ||
            a->insn == b->insn || width_of(c, a) + width_of(c, b) > 4 * n ||
            block_of(a->who) == context_block(c)->linear ||
            knows_both(c, q, word, a, b))
            continue;
        if (exec_repeats(c, VGPU_FINDING_GLOBAL_RACE)) return;
        struct vgpu_finding f = {.kind = VGPU_FINDING_GLOBAL_RACE,
                                 .address = address,
                                 .bytes = 4 * n,
                                 .torn = true};
        const struct ptx_module *ptx = c->machine->program->ptx;
        char where[256];
        f.has_thread = f.has_other = true;
        race_describe_thread(c->machine, who(c, lane), f.block, f.thread);
        race_describe_thread(c->machine, b->who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where = program_source(
            ptx, program_insn(c->machine->program, b->insn)->source->loc);
        uint32_t line =
            program_source(
                ptx, program_insn(c->machine->program, a->insn)->source->loc)
                .line;
        exec_describe_address(c, address, 4 * n, where, sizeof where);
        snprintf(f.message, sizeof f.message,
                 "race: this thread reads %u bytes at once, %s, but block "
                 "(%u,%u,%u) thread (%u,%u,%u) wrote them in two halves, at "
                 "lines %u and %u, with no fence between: the read may see one "
                 "half new and the other old. Write both with one store (a "
                 "packed 64-bit word): with a __threadfence() between them, a "
                 "word that changes twice may still be read with one half of "
                 "each",
                 4 * n, where, f.other_block[0], f.other_block[1],
                 f.other_block[2], f.other_thread[0], f.other_thread[1],
                 f.other_thread[2], line, f.other_where.line);
        exec_report_finding(c, &f);
        return;
    }
}
