/* SPDX-License-Identifier: MIT
 *
 * race_report.c: the words of a finding about a race.
 */
#include "race_inside.h"

#include "copies.h"
#include "fault.h"

#include <stdio.h>

const struct insn *race_insn(const struct machine *m, uint32_t number) {
    uint32_t f = m->program->n_functions - 1;
    while (m->race->first_insn[f] > number) f--;
    return &m->program->functions[f].code[number - m->race->first_insn[f]];
}

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
                             .bytes = 4};
    const struct machine *m = c->machine;
    const struct insn *by = race_insn(m, before->insn), *issued;
    char where[256];
    f.has_thread = true;
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    f.has_other =
        async_issuer(m, before->stamp, &issued, f.other_block, f.other_thread);
    f.where = program_source(m->program->ptx, c->insn->source->loc);
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

void race_report(struct context *c, uint32_t lane, uint64_t address,
                 bool shared, const struct race_by *before, bool wrote,
                 bool writes) {
    if (exec_repeats(c, shared ? VGPU_FINDING_SHARED_RACE
                               : VGPU_FINDING_GLOBAL_RACE))
        return;
    if (block_of(before->who) == COPY_BLOCK) {
        report_copy(c, lane, address, shared, before, wrote, writes);
        return;
    }
    struct vgpu_finding f = {.kind = shared ? VGPU_FINDING_SHARED_RACE
                                            : VGPU_FINDING_GLOBAL_RACE,
                             .address = address,
                             .bytes = 4};
    const struct machine *m = c->machine;
    f.has_thread = f.has_other = true;
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    race_describe_thread(m, before->who, f.other_block, f.other_thread);
    f.where = program_source(m->program->ptx, c->insn->source->loc);
    f.other_where = program_source(m->program->ptx,
                                   race_insn(m, before->insn)->source->loc);
    char where[256];
    if (shared)
        snprintf(where, sizeof where, "byte %llu of shared memory",
                 (unsigned long long)address);
    else
        exec_describe_address(c, address, 4, where, sizeof where);
    bool same = block_of(before->who) == context_block(c)->linear;
    const char *mend =
        same
            ? "put a __syncthreads() (or, within a warp, a __syncwarp()) "
              "between them"
            : "blocks run in any order: use another launch, another buffer, or "
              "a flag with __threadfence() on both sides";
    /* The two accesses are one statement of the source, executed by both
     * threads. */
    if (f.where.line && f.where.line == f.other_where.line && wrote != writes)
        mend =
            "when all threads are to change it, as a counter, use atomicAdd "
            "or another atomic; else let each have a word of its own, or put "
            "a barrier between reading and writing";
    snprintf(
        f.message, sizeof f.message,
        "race: this thread %s %s, which block (%u,%u,%u) thread (%u,%u,%u) "
        "%s at line %u, and nothing orders the two: %s",
        writes ? "writes" : "reads", where, f.other_block[0], f.other_block[1],
        f.other_block[2], f.other_thread[0], f.other_thread[1],
        f.other_thread[2], wrote ? "wrote" : "read", f.other_where.line, mend);
    exec_report_finding(c, &f);
}

/* A strong read of n words whose words were written one by one: a status word
 * in two halves. */
void race_check_torn(struct context *c, const struct race_now *q,
                     const struct race_plane *w, uint64_t at, uint32_t n,
                     uint32_t lane, uint64_t address) {
    for (uint64_t k = at; k + 1 < at + n; k++) {
        struct race_by first, second, *a = &first, *b = &second;
        if (!unpack(q, race_entry(q, w, k), a) ||
            !unpack(q, race_entry(q, w, k + 1), b) || !a->strong ||
            !b->strong || a->who != b->who || a->stamp != b->stamp ||
            a->insn == b->insn || a->width + b->width > 4 * n ||
            block_of(a->who) == context_block(c)->linear)
            continue;
        if (exec_repeats(c, VGPU_FINDING_GLOBAL_RACE)) return;
        struct vgpu_finding f = {.kind = VGPU_FINDING_GLOBAL_RACE,
                                 .address = address,
                                 .bytes = 4 * n};
        const struct ptx_module *ptx = c->machine->program->ptx;
        char where[256];
        f.has_thread = f.has_other = true;
        race_describe_thread(c->machine, who(c, lane), f.block, f.thread);
        race_describe_thread(c->machine, b->who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where =
            program_source(ptx, race_insn(c->machine, b->insn)->source->loc);
        uint32_t line =
            program_source(ptx, race_insn(c->machine, a->insn)->source->loc)
                .line;
        exec_describe_address(c, address, 4 * n, where, sizeof where);
        snprintf(f.message, sizeof f.message,
                 "race: this thread reads %u bytes at once, %s, but block "
                 "(%u,%u,%u) thread (%u,%u,%u) wrote them in two halves, at "
                 "lines %u and %u, with no fence between: the read may see one "
                 "half new and the other old. Write both with one store (a "
                 "packed 64-bit word), or put a __threadfence() between them",
                 4 * n, where, f.other_block[0], f.other_block[1],
                 f.other_block[2], f.other_thread[0], f.other_thread[1],
                 f.other_thread[2], line, f.other_where.line);
        exec_report_finding(c, &f);
        return;
    }
}
