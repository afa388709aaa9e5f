/* SPDX-License-Identifier: MIT
 *
 * race_report.c: findings about races.
 */
#include "race_inside.h"

#include "copies.h"
#include "fault.h"

#include <stdlib.h>
#include <string.h>

void race_describe_thread(const struct machine *m, uint64_t w, uint32_t *block,
                          uint32_t *thread) {
    const struct race_grid *g = race_grid_of(m, w);
    const uint32_t *grid = g ? g->grid : m->grid;
    const uint32_t *threads = g ? g->block : m->block;
    uint64_t b = block_of(w) - (g ? g->first : 0);
    uint32_t t = thread_of(w);
    block[0] = (uint32_t)(b % grid[0]);
    block[1] = (uint32_t)(b / grid[0] % grid[1]);
    block[2] = (uint32_t)(b / grid[0] / grid[1]);
    thread[0] = t % threads[0];
    thread[1] = t / threads[0] % threads[1];
    thread[2] = t / threads[0] / threads[1];
}

static void say_place(struct context *c, bool shared, uint64_t address,
                      uint32_t bytes, struct vgpu_message *where) {
    if (shared) {
        const struct block *b = cluster_owner(context_block(c), &address);
        exec_say_shared_of(c, b, address, where);
    } else { /* a race is one of 4 bytes, and an allocation may have fewer */
        bool fits = memory_range(c->machine->memory, address, bytes) != NULL;
        exec_say_place(c, address, fits ? bytes : 1, where);
    }
}

static void say_copy_mend(const struct async_op *op, bool wrote,
                          struct vgpu_message *mend) {
    if (op->verb == ASYNC_BULK_LOAD)
        VGPU_SAY_PLAIN(mend, MEND_PHASE);
    else if (op->verb == ASYNC_SMALL)
        VGPU_SAY_PLAIN(mend, MEND_GROUP);
    else if (wrote)
        VGPU_SAY_PLAIN(mend, MEND_BULK_WRITE);
    else
        VGPU_SAY_PLAIN(mend, MEND_BULK_READ);
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
    struct program *program = race_program_of(m, before->who);
    const struct insn *by = program_insn(program, before->insn);
    struct vgpu_message where, mend;
    race_describe_thread(m, who(c, lane), f.block, f.thread);
    race_describe_thread(m, race_issuer(m, before->who), f.other_block,
                         f.other_thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    f.other_where = program_source(program->ptx, by->source->loc);
    say_place(c, shared, address, 4, &where);
    say_copy_mend(by->extra, wrote, &mend);
    VGPU_SAY(&f.message, RACE_COPY, .writes = writes, .where = &where,
             .line = f.other_where.line, .wrote = wrote, .mend = &mend);
    exec_report_finding(c, &f);
}

/* What a race is like, besides where. */
struct likeness {
    bool same_block;
    bool same_line; /* the two accesses are one statement of the source,
                       executed by both threads, that reads and writes */
    bool stores;    /* or stores only */
    bool same_array;
    bool in_cluster;         /* shared memory, and different blocks */
    bool half_weak, is_weak; /* one of the two is strong; this one is not */
    bool narrow, is_narrow;  /* one has the scope of its block; this one has */
    bool not_acquired;
};

static void say_mend(struct likeness l, struct vgpu_message *mend) {
    bool same_line = l.same_line, same_block = l.same_block;
    if (l.narrow)
        VGPU_SAY(mend, MEND_SCOPE, .here = l.is_narrow);
    else if (l.half_weak)
        VGPU_SAY(mend, MEND_WEAK, .here = l.is_weak);
    else if (l.not_acquired)
        VGPU_SAY_PLAIN(mend, MEND_ACQUIRE);
    else if (l.in_cluster)
        VGPU_SAY_PLAIN(mend, MEND_CLUSTER);
    else if (l.stores && same_block)
        VGPU_SAY_PLAIN(mend, MEND_ONE_STORE);
    else if (l.same_array)
        VGPU_SAY_PLAIN(mend, MEND_SAME_ARRAY);
    else if (same_line && same_block)
        VGPU_SAY_PLAIN(mend, MEND_STATEMENT);
    else if (same_line)
        VGPU_SAY_PLAIN(mend, MEND_STATEMENT_OF_BLOCKS);
    else if (same_block)
        VGPU_SAY_PLAIN(mend, MEND_BARRIER);
    else
        VGPU_SAY_PLAIN(mend, MEND_BLOCKS);
}

/* Several threads read the word, and who they were is not kept. */
static void keep_unnamed(struct context *c, struct vgpu_finding *f,
                         const struct vgpu_message *where) {
    struct vgpu_message mend;
    struct race_state *r = race_of(c->machine);
    for (uint32_t k = 0; k < r->n_unnamed; k++)
        if (r->unnamed[k].insn == c->insn &&
            r->unnamed[k].finding.kind == f->kind) {
            r->unnamed[k].times++;
            return;
        }
    const uint32_t *grid = c->machine->grid;
    if (f->kind == VGPU_FINDING_GLOBAL_RACE &&
        (uint64_t)grid[0] * grid[1] * grid[2] > 1)
        VGPU_SAY_PLAIN(&mend, MEND_READERS);
    else
        say_mend((struct likeness){.same_block = true}, &mend);
    VGPU_SAY(&f->message, RACE_READERS, .where = where, .mend = &mend);
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

/* An access by which threads of one block talk, and no others. */
static bool is_narrow(const struct insn *i) {
    return i->order != ORDER_WEAK && i->of_block != WIDER_SCOPE;
}

static struct likeness likeness_of(const struct context *c,
                                   const struct race_now *q,
                                   const struct race_word *w,
                                   const struct race_by *before, bool wrote) {
    bool strong = q->what & WHAT_STRONG;
    bool same = block_of(before->who) == context_block(c)->linear;
    struct likeness l = {.same_block = same,
                         .is_weak = !strong,
                         .in_cluster = q->shared && !same,
                         .half_weak = strong != before->strong && !same &&
                                      (wrote || w->writes)};
    const struct insn *other =
        program_insn(race_program_of(c->machine, before->who), before->insn);
    l.is_narrow = is_narrow(c->insn);
    l.narrow = !same && !q->shared && (l.is_narrow || is_narrow(other));
    l.not_acquired =
        wrote && (race_knows(c, w->lane, RACE_SEEN, before) ||
                  race_knows(c, w->lane, RACE_SEEN_DEVICE, before) ||
                  race_knows(c, w->lane, RACE_SEEN_BLOCK, before));
    return l;
}

/* The parameter at k, if it is a pointer into this array. */
static uint64_t pointer_to(const struct machine *m, uint32_t k,
                           const struct allocation *array) {
    const struct parameter *p = &m->kernel->params[k];
    uint64_t value = 0;
    if (p->bytes != sizeof value) return 0;
    memcpy(&value, m->params + p->offset, sizeof value);
    return memory_find(m->memory, value) == array ? value : 0;
}

/* Has the launch two parameters with the same pointer into the array? */
static bool is_given_twice(const struct machine *m, uint64_t address) {
    const struct allocation *array = memory_find(m->memory, address);
    for (uint32_t i = 0; array && i < m->kernel->n_params; i++) {
        uint64_t one = pointer_to(m, i, array);
        for (uint32_t k = 0; one && k < i; k++)
            if (pointer_to(m, k, array) == one) return true;
    }
    return false;
}

/* Memory that the program has allocated for itself. */
static bool is_scratch(const struct machine *m, uint64_t address) {
    const struct allocation *array = memory_find(m->memory, address);
    return array && !array->name;
}

/* Between devices; between launches of a family. */
static void say_gpus(const struct machine *m, const struct race_word *w,
                     bool strong, const struct race_grid *other,
                     const struct vgpu_message *where, struct vgpu_finding *f) {
    VGPU_SAY(&f->message, RACE_OF_GPUS, .gpu = m->gpu, .writes = w->writes,
             .where = where, .peer = other->gpu, .block = f->other_block,
             .thread = f->other_thread, .wrote = f->other_wrote,
             .line = f->other_where.line, .strong = strong);
}

static void say_launches(const struct machine *m, const struct race_word *w,
                         const struct race_grid *other,
                         const struct vgpu_message *where,
                         struct vgpu_finding *f) {
    char name[256];
    VGPU_SAY(&f->message, RACE_OF_LAUNCHES, .writes = w->writes, .where = where,
             .block = f->other_block, .thread = f->other_thread,
             .kernel = demangle(other->kernel, name, sizeof name),
             .above = race_is_above(m, other), .wrote = f->other_wrote,
             .line = f->other_where.line);
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
    struct vgpu_message where, mend;
    race_describe_thread(m, who(c, w->lane), f.block, f.thread);
    f.where = exec_access_source(c->machine, c->insn->source);
    say_place(c, q->shared, w->address, 4, &where);
    if (!before) {
        keep_unnamed(c, &f, &where);
        return;
    }
    forget_unnamed(c, kind);
    f.has_other = true;
    race_describe_thread(m, before->who, f.other_block, f.other_thread);
    f.other_where = exec_access_source(
        c->machine,
        program_insn(race_program_of(m, before->who), before->insn)->source);
    struct likeness l = likeness_of(c, q, w, before, wrote);
    bool one = f.where.line && f.where.line == f.other_where.line;
    l.same_line = one && wrote != w->writes;
    l.stores = one && wrote && w->writes;
    l.same_array = l.same_line && !q->shared && is_given_twice(m, w->address);
    f.same_array = l.same_array;
    f.has_flags = !q->shared && !l.same_block && race_of(m)->has_flags &&
                  is_scratch(m, w->address);
    f.half_weak = l.half_weak;
    f.not_acquired = !l.half_weak && l.not_acquired;
    say_mend(l, &mend);
    const struct race_grid *g = race_grid_of(m, before->who);
    if (g && g->gpu != m->gpu)
        say_gpus(m, w, before->strong && q->what & WHAT_STRONG, g, &where, &f);
    else if (g && g->child != m->child)
        say_launches(m, w, g, &where, &f);
    else
        VGPU_SAY(&f.message, RACE, .writes = w->writes, .where = &where,
                 .block = f.other_block, .thread = f.other_thread,
                 .wrote = wrote, .line = f.other_where.line, .mend = &mend);
    exec_report_finding(c, &f);
}

static uint32_t width_of(const struct context *c, const struct race_by *by) {
    const struct insn *i =
        program_insn(race_program_of(c->machine, by->who), by->insn);
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
        struct program *other = race_program_of(c->machine, a->who);
        struct vgpu_message where;
        f.has_thread = f.has_other = true;
        race_describe_thread(c->machine, who(c, lane), f.block, f.thread);
        race_describe_thread(c->machine, b->who, f.other_block, f.other_thread);
        f.where = program_source(ptx, c->insn->source->loc);
        f.other_where =
            program_source(ptx, program_insn(other, b->insn)->source->loc);
        uint32_t line =
            program_source(ptx, program_insn(other, a->insn)->source->loc).line;
        exec_say_place(c, address, 4 * n, &where);
        VGPU_SAY(&f.message, RACE_TORN, .bytes = 4ull * n, .where = &where,
                 .block = f.other_block, .thread = f.other_thread, .one = line,
                 .other = f.other_where.line);
        exec_report_finding(c, &f);
        return;
    }
}
