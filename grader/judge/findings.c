/* SPDX-License-Identifier: MIT
 *
 * findings.c: see findings.h.
 */
#include "findings_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lives.h"
#include "place.h"

static struct place finding_place(const struct vgpu_source *where,
                                  const char *kernel, const uint32_t block[3],
                                  const uint32_t thread[3]) {
    struct place p = {.line = where->file ? where->line : 0,
                      .called = where->called,
                      .index = where->index,
                      .has_thread = thread != NULL};
    memcpy(p.outer, where->outer, sizeof p.outer);
    if (p.line) p.file = text_format("%s", text_base(where->file));
    if (kernel) p.kernel = text_format("%s", kernel);
    if (!thread) return p;
    memcpy(p.block, block, sizeof p.block);
    memcpy(p.thread, thread, sizeof p.thread);
    return p;
}

static bool counts_against(unsigned checks, const struct vgpu_finding *f,
                           bool misuse) {
    unsigned check = vgpu_finding_check(f->kind);
    if (f->kind == VGPU_FINDING_HOST_MISUSE) return misuse;
    return check == VGPU_CHECK_ALWAYS || (check & checks);
}

/* Does it count in this call? */
static bool counts_here(const struct harness *h, unsigned checks,
                        const struct vgpu_finding *f, bool misuse) {
    bool is_told = h->settings.overlaps_are_told &&
                   f->kind == VGPU_FINDING_OVERLAPPING_COPY;
    return !is_told && counts_against(checks, f, misuse);
}

/* ---- places in host code ---- */

static void findings_place_at(const struct harness *h, const uint64_t *callers,
                              size_t most, struct place *place) {
    size_t n = 0;
    while (n < most && callers[n]) n++;
    if (n && h->settings.library)
        place_find(h->settings.walled, h->settings.library,
                   h->settings.lab->source, callers, n, place);
}

void findings_place(const struct harness *h,
                    const uint64_t callers[VGPU_CALLERS], struct place *place) {
    findings_place_at(h, callers, VGPU_CALLERS, place);
}

/* Where the address at `at` was allocated, or freed: the two values behind it
 * are the file and the line. True: it is known. */
static bool
say_origin(const struct harness *h, struct vgpu_message *m, size_t at,
           bool find(const vgpu_device *, uint64_t, uint64_t[VGPU_CALLERS]),
           struct outcome *o) {
    uint64_t callers[VGPU_CALLERS];
    struct place place = {0};
    if (!find(h->vgpu, m->values[at].number, callers)) return false;
    findings_place(h, callers, &place);
    bool known = place.file != NULL;
    if (known) vgpu_say_place(m, at + 1, place.file, place.line);
    if (known && !o->array.file) {
        o->array = place;
    } else {
        free(place.file);
        free(place.kernel);
    }
    return known;
}

/* Arrays without a name are those of a line: "the allocation of naive.cu:40".
 */
static void name_allocations(const struct harness *h, struct vgpu_message *m,
                             struct outcome *o) {
    for (size_t k = 0; k + 1 < m->n_values; k++) {
        struct vgpu_value *v = &m->values[k];
        if (v->type == VGPU_TYPE_PART && !v->is_absent &&
            v->number == VGPU_MESSAGE_ALLOCATION_AT &&
            say_origin(h, m, k + 1, vgpu_allocated_by, o))
            v->number = VGPU_MESSAGE_ALLOCATION_OF;
    }
}

/* For memory that was freed twice: adds where it was freed first. */
static void name_first_free(const struct harness *h, struct vgpu_message *m,
                            struct outcome *o) {
    if (m->id == VGPU_MESSAGE_FREED_TWICE &&
        say_origin(h, m, 0, vgpu_freed_by, o))
        m->id = VGPU_MESSAGE_FREED_BEFORE;
}

/* A kernel that does not end is named: of several, which is it? */
static void take_message(const struct vgpu_finding *f,
                         struct vgpu_message *message) {
    char kernel[81];
    *message = f->message;
    if (f->kind != VGPU_FINDING_BUDGET || !f->kernel) return;
    snprintf(kernel, sizeof kernel, "%s", f->kernel);
    VGPU_SAY(message, IN_KERNEL, .kernel = kernel, .what = &f->message);
}

static struct place findings_where(const struct harness *h,
                                   const struct vgpu_finding *f) {
    struct place place = finding_place(&f->where, f->kernel, f->block,
                                       f->has_thread ? f->thread : NULL);
    place.launch = f->launch;
    place.launches = f->launch ? vgpu_launches_of(h->vgpu, f->kernel) : 0;
    bool of_library = !f->where.line || vgpu_is_toolkit_file(f->where.file);
    if (f->launchers[0] && of_library) { /* or it says so of itself */
        struct place by = place;
        by.file = NULL;
        by.line = by.called = by.index = 0;
        memset(by.outer, 0, sizeof by.outer);
        findings_place_at(h, f->launchers, VGPU_LAUNCHERS, &by);
        if (by.file) free(place.file);
        if (by.file) place = by;
    }
    if (!place.file && f->callers[0]) findings_place(h, f->callers, &place);
    return place;
}

/* A loop that reads no memory. */
static bool is_deaf(const struct vgpu_message *m) {
    enum { DEAF = 4 };
    return m->id == VGPU_MESSAGE_BUDGET && m->n_values > DEAF &&
           !m->values[DEAF].is_absent && m->values[DEAF].number;
}

static void take_finding(const struct harness *h, const struct vgpu_finding *f,
                         struct outcome *o) {
    o->finding = calloc(1, sizeof *o->finding);
    o->kind = OUTCOME_FINDING;
    o->place = findings_where(h, f);
    if (f->launchers[0] && f->where.line &&
        !vgpu_is_toolkit_file(f->where.file))
        findings_place_at(h, f->launchers, VGPU_LAUNCHERS, &o->launched);
    if (!o->finding) return;
    *o->finding = (struct finding){.kind = f->kind,
                                   .address = f->address,
                                   .bytes = f->bytes,
                                   .repeats = f->repeats,
                                   .word = f->word,
                                   .word_bytes = f->word_bytes,
                                   .is_full = f->not_started > 0,
                                   .is_deaf = is_deaf(&f->message),
                                   .has_other = f->has_other};
    take_message(f, &o->finding->message);
    if (f->has_other)
        o->finding->other = finding_place(&f->other_where, NULL, f->other_block,
                                          f->other_thread);
}

/* Did this finding end the kernel? Such a one may follow a finding that did
 * not.
 */
static bool ended_it(const struct vgpu_finding *f) {
    return f->kind == VGPU_FINDING_BUDGET || f->kind == VGPU_FINDING_DEADLOCK ||
           f->kind == VGPU_FINDING_OUT_OF_BOUNDS;
}

static void add_end(const struct vgpu_finding *end, struct outcome *o) {
    if (!o->finding) return;
    struct vgpu_message what = o->finding->message;
    VGPU_SAY(&o->finding->message, IN_THE_END, .what = &what,
             .line = end->where.line, .then = &end->message);
}

/* ---- which one explains most ---- */

/* Is it the same read that raced with a store? Of each line only the first
 * finding is kept, so that the two may be about different words of an array. */
static bool is_early(const struct vgpu_finding *race,
                     const struct vgpu_finding *read) {
    if (!is_race(race) || race->writes == race->other_wrote || !race->kernel ||
        !read->kernel || strcmp(race->kernel, read->kernel) != 0)
        return false;
    if (!race->has_other) return race->address == read->address;
    return same_line(race->writes ? &race->other_where : &race->where,
                     &read->where);
}

/* A read before another thread's write lacks a barrier, and no store is
 * missing: so the race says more than the unwritten read. */
static void prefer_race(const struct vgpu_finding *found, size_t n,
                        unsigned checks, struct choice *c) {
    for (size_t i = 0; i < n; i++) {
        if (found[i].kind != VGPU_FINDING_UNINITIALISED) continue;
        for (size_t k = 0; k < n && !c->early; k++) {
            if ((c->first != &found[i] && c->first != &found[k]) ||
                !counts_against(checks, &found[k], false) ||
                !is_early(&found[k], &found[i]))
                continue;
            c->early = &found[i];
            c->first = &found[k];
        }
    }
}

/* Two stores to one place leave another place empty, which is read then. */
static void prefer_stores(const struct vgpu_finding *found, size_t n,
                          struct choice *c) {
    const struct vgpu_finding *read = c->first;
    if (!read || read->kind != VGPU_FINDING_UNINITIALISED || !read->kernel ||
        read->address >= VGPU_ADDRESS_BASE)
        return;
    for (size_t k = 0; k < n && c->first == read; k++) {
        const struct vgpu_finding *f = &found[k];
        if (f->kind == VGPU_FINDING_SHARED_RACE && f->has_other && f->kernel &&
            strcmp(f->kernel, read->kernel) == 0 && f->writes &&
            f->other_wrote && same_line(&f->where, &f->other_where))
            c->first = f;
    }
}

/* What a copy or kernel was to write first is not there yet where nothing
 * orders the two: so that says more than an unwritten read. */
static void prefer_order(const struct vgpu_finding *found, size_t n,
                         unsigned checks, struct choice *c) {
    if (!c->first || c->first->kind != VGPU_FINDING_UNINITIALISED) return;
    for (size_t k = 0; k < n; k++) {
        if (vgpu_finding_check(found[k].kind) != VGPU_CHECK_ORDERCHECK ||
            !counts_against(checks, &found[k], false))
            continue;
        c->first = &found[k];
        return;
    }
}

static struct choice choose(const struct harness *h, unsigned checks,
                            bool misuse) {
    const struct vgpu_finding *found;
    size_t n = h->vgpu ? vgpu_findings(h->vgpu, &found) : 0;
    struct choice c = {0};
    for (size_t i = 0; i < n; i++) {
        if (!counts_here(h, checks, &found[i], misuse)) continue;
        if (!c.first)
            c.first = &found[i];
        else if (!c.end && ended_it(&found[i]))
            c.end = &found[i];
    }
    prefer_race(found, n, checks, &c);
    if (!c.early) prefer_stores(found, n, &c);
    prefer_order(found, n, checks, &c);
    return c;
}

/* Are all races that were found between lanes of one warp? */
static bool is_in_one_warp(const struct harness *h) {
    const struct vgpu_finding *found;
    size_t n = vgpu_findings(h->vgpu, &found), races = 0;
    for (size_t i = 0; i < n; i++) {
        const struct vgpu_finding *f = &found[i];
        if (!is_race(f)) continue;
        races++;
        if (!f->has_other ||
            memcmp(f->block, f->other_block, sizeof f->block) != 0 ||
            !of_one_warp(f))
            return false;
    }
    return races > 0;
}

/* ---- what else was found ---- */

/* A finding that ends a kernel or a call weighs more than one about a value
 * that may be wrong, and this more than one about lost memory. */
static unsigned weight(vgpu_finding_kind kind) {
    if (vgpu_finding_is_remark(kind)) return 0;
    switch (vgpu_finding_check(kind)) {
    case VGPU_CHECK_ALWAYS: return 5;
    case VGPU_CHECK_MEMCHECK: return 4;
    case VGPU_CHECK_SYNCCHECK: return 3;
    case VGPU_CHECK_RACECHECK: return 2;
    case VGPU_CHECK_INITCHECK: return 1;
    default: return 0;
    }
}

/* Inserts it after those of the same weight. */
static void insert(struct finding *f, struct also_found one) {
    size_t at = f->n_also++;
    for (; at > 0 && weight(f->also[at - 1].kind) < weight(one.kind); at--)
        f->also[at] = f->also[at - 1];
    f->also[at] = one;
}

static void take_other(const struct harness *h, const struct vgpu_finding *f,
                       struct outcome *o) {
    struct outcome own = {0}; /* it has an array of its own */
    struct also_found one = {.kind = f->kind, .place = findings_where(h, f)};
    take_message(f, &one.message);
    name_allocations(h, &one.message, &own);
    name_first_free(h, &one.message, &own);
    outcome_free(&own);
    insert(o->finding, one);
}

/* Adds remarks of the same kernel, too, which may say why: which threads were
 * not at a barrier. */
static void take_others(const struct harness *h, unsigned checks, bool misuse,
                        const struct choice *c, struct outcome *o) {
    const struct vgpu_finding *found, *remarks;
    size_t n = vgpu_findings(h->vgpu, &found);
    size_t n_remarks = vgpu_remarks(h->vgpu, &remarks);
    o->finding->also = calloc(n + n_remarks, sizeof *o->finding->also);
    if (!o->finding->also) return;
    for (size_t i = 0; i < n; i++)
        if (&found[i] != c->first && &found[i] != c->end &&
            counts_here(h, checks, &found[i], misuse))
            take_other(h, &found[i], o);
    for (size_t i = 0; i < n_remarks; i++)
        if (c->first->kernel && remarks[i].kernel &&
            strcmp(c->first->kernel, remarks[i].kernel) == 0)
            take_other(h, &remarks[i], o);
}

static struct place place_copy(const struct place *p) {
    struct place copy = *p;
    if (p->file) copy.file = text_format("%s", p->file);
    if (p->kernel) copy.kernel = text_format("%s", p->kernel);
    return copy;
}

static bool findings_same(const struct also_found *a, const struct finding *f,
                          const struct place *place) {
    bool files = a->place.file && place->file;
    return a->kind == f->kind && a->place.line == place->line &&
           (files ? strcmp(a->place.file, place->file) == 0
                  : a->place.file == place->file);
}

void findings_add(struct outcome *o, const struct outcome *more) {
    const struct finding *m = more->finding;
    struct finding *f = o->finding;
    struct also_found *room = calloc(f->n_also + m->n_also + 1, sizeof *room);
    if (!room) return;
    for (size_t i = 0; i < f->n_also; i++) room[i] = f->also[i];
    free(f->also);
    f->also = room;
    for (size_t i = 0; i <= m->n_also; i++) {
        struct also_found one =
            i ? m->also[i - 1]
              : (struct also_found){m->kind, m->message, more->place};
        bool known = findings_same(&one, f, &o->place);
        for (size_t k = 0; k < f->n_also; k++) {
            const struct also_found *a = &f->also[k];
            known |= findings_same(&one, &(struct finding){.kind = a->kind},
                                   &a->place);
        }
        if (known) continue;
        one.place = place_copy(&one.place);
        insert(f, one);
    }
}

void findings_take(const struct harness *h, unsigned checks, bool misuse,
                   struct outcome *o) {
    struct choice c = choose(h, checks, misuse);
    if (!c.first) return;
    take_finding(h, c.first, o);
    if (o->finding) take_others(h, checks, misuse, &c, o);
    if (c.end) add_end(c.end, o);
    if (c.first->kind == VGPU_FINDING_LEAK) lives_take(h, findings_place, o);
    if (o->finding) {
        name_allocations(h, &o->finding->message, o);
        name_first_free(h, &o->finding->message, o);
        o->finding->reason = findings_reason(h, &c);
        o->finding->in_one_warp = is_in_one_warp(h);
    }
    const struct vgpu_finding *first = c.first;
    /* Blocks that start in the order of blockIdx do not wait because of it. */
    const char *schedule = h->settings.schedule;
    if (first->not_started && schedule && strcmp(schedule, "in-order") != 0)
        o->advice = h->settings.lab->deadlock;
    if (o->finding && o->finding->reason == REASON_NEVER_STORED &&
        first->address < VGPU_ADDRESS_BASE)
        o->advice = h->settings.lab->unwritten;
}
