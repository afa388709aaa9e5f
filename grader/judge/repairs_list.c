/* SPDX-License-Identifier: MIT
 *
 * repairs_list.c: see repairs_list.h.
 */
#include "repairs_list.h"

#include <stdlib.h>
#include <string.h>

#include "spots.h"

/* ---- what a failure is ---- */

enum {
    WARP = 1,
    BLOCK = 2,
    EARLY = 4, /* a read of what is written later */
    RACE = 8,
    WEAK = 16,
    UNWRITTEN = 32,
    BOUNDS = 64,
    STUCK = 128,
    WRONG = 256,
    BETWEEN = 512
};
#define VGPU_EDIT_NONE VGPU_N_EDITS

static const struct repair_row rows[N_REPAIRS] = {
#define X(NAME, edit, by, fits, fact)                                          \
    [REPAIR_##NAME] = {VGPU_EDIT_##edit, by, fits, FACT_##fact},
#include "repairs.def"
#undef X
};

const struct repair_row *repair_row(enum repair_kind kind) {
    return &rows[kind];
}

static bool is_of_one_block(const struct outcome *o) {
    const struct finding *f = o->finding;
    return f->kind == VGPU_FINDING_SHARED_RACE ||
           (f->has_other &&
            memcmp(o->place.block, f->other.block, sizeof f->other.block) == 0);
}

static unsigned of_finding(const struct outcome *o) {
    const struct finding *f = o->finding;
    switch (f->kind) {
    case VGPU_FINDING_SHARED_RACE:
    case VGPU_FINDING_GLOBAL_RACE:
        return RACE | (f->in_one_warp ? WARP : 0) |
               (is_of_one_block(o) ? BLOCK : 0);
    case VGPU_FINDING_UNINITIALISED: return UNWRITTEN | EARLY;
    case VGPU_FINDING_OUT_OF_BOUNDS: return BOUNDS;
    case VGPU_FINDING_DEADLOCK: return STUCK;
    default: return 0;
    }
}

/* Operands in the wrong order: no order of memory mends that. */
static bool is_joined_wrongly(const struct diagnosis *d) {
    return d && (d->shape.row == FACT_JOINED_ANYHOW ||
                 d->shape.row == FACT_CARRY_ORDER);
}

static unsigned failures_of(const struct outcome *o) {
    unsigned bits = o->finding ? of_finding(o) : 0;
    if (o->difference) bits |= WRONG;
    if (*o->tried.memory_model && bits && !is_joined_wrongly(o->difference))
        bits |= WEAK;
    return bits;
}

bool repair_fits(const struct outcome *o) {
    return failures_of(o) != 0;
}

bool repair_is_of_answer(const struct outcome *o) {
    return failures_of(o) == WRONG;
}

/* ---- lines ---- */

struct taking {
    struct repair_sites *sites;
    const char *file;
};

static struct repair_site *site_at(struct repair_sites *s, unsigned line) {
    for (size_t i = 0; i < s->n; i++)
        if (s->sites[i].line == line) return &s->sites[i];
    if (s->n == REPAIR_LINES) return NULL;
    s->sites[s->n] = (struct repair_site){.line = line};
    return &s->sites[s->n++];
}

static void repairs_list_take(void *user, const struct vgpu_edit_site *at) {
    struct taking *t = user;
    if (strcmp(at->file, t->file) != 0) return;
    struct repair_site *site = site_at(t->sites, at->line);
    for (int k = 0; site && k < VGPU_N_EDITS; k++) site->n[k] += at->n[k];
}

static int by_line(const void *a, const void *b) {
    const struct repair_site *x = a, *y = b;
    return (x->line > y->line) - (x->line < y->line);
}

void repair_sites_take(struct repair_sites *s, const vgpu_device *device,
                       const char *file) {
    struct taking taking = {s, file};
    s->n = 0;
    vgpu_edit_sites(device, repairs_list_take, &taking);
    qsort(s->sites, s->n, sizeof *s->sites, by_line);
}

/* ---- the list ---- */

struct making {
    unsigned failures;
    const struct repair_sites *sites;
    const struct stub_lines *stub;
    struct repair_list *list;
    unsigned evidence[MOST_SPOTS];
    size_t n_evidence;
};

static void repairs_list_add(struct making *m, struct candidate c) {
    struct repair_list *l = m->list;
    for (size_t i = 0; i < l->n; i++)
        if (memcmp(&l->items[i], &c, sizeof c) == 0) return;
    if (l->n < REPAIR_LIST) l->items[l->n++] = c;
}

static const struct repair_site *repairs_list_find(const struct making *m,
                                                   unsigned line) {
    for (size_t i = 0; i < m->sites->n; i++)
        if (m->sites->sites[i].line == line) return &m->sites->sites[i];
    return NULL;
}

/* All of the line's instructions at once; of a few also each alone. */
static void add_at(struct making *m, enum repair_kind kind, unsigned line) {
    enum { FEW = 3 };
    const struct repair_site *site = repairs_list_find(m, line);
    unsigned n = site ? site->n[rows[kind].edit] : 0;
    if (!n) return;
    bool in_place = rows[kind].edit >= VGPU_EDIT_STRONG;
    if (in_place && m->stub && stub_lines_has(m->stub, line)) return;
    repairs_list_add(m, (struct candidate){kind, line, 0});
    in_place |= rows[kind].edit == VGPU_EDIT_BARRIER_BEFORE;
    for (unsigned k = 1; in_place && n > 1 && n <= FEW && k <= n; k++)
        repairs_list_add(m, (struct candidate){kind, line, k});
}

static void add_line(struct making *m, unsigned fits, unsigned line) {
    for (int kind = 0; kind < N_REPAIRS; kind++)
        if ((rows[kind].fits & fits) && rows[kind].edit != VGPU_N_EDITS)
            add_at(m, (enum repair_kind)kind, line);
}

/* What is most often mistaken. */
static void add_often(struct making *m, unsigned line) {
    add_at(m, REPAIR_COMPARE, line);
    add_at(m, REPAIR_CONSTANT_LESS, line);
    add_at(m, REPAIR_CONSTANT_MORE, line);
}

static void add_of_device(struct making *m) {
    for (int kind = 0; kind < N_REPAIRS; kind++)
        if ((rows[kind].fits & m->failures) && rows[kind].edit == VGPU_N_EDITS)
            repairs_list_add(m,
                             (struct candidate){(enum repair_kind)kind, 0, 0});
}

static void add_evidence(struct making *m, unsigned line) {
    for (size_t i = 0; i < m->n_evidence; i++)
        if (m->evidence[i] == line) return;
    if (line && m->n_evidence < MOST_SPOTS) m->evidence[m->n_evidence++] = line;
}

static void find_evidence(struct making *m, const struct outcome *o,
                          const char *file) {
    struct spot spots[MOST_SPOTS];
    size_t n = spots_of(o, spots);
    for (size_t i = 0; i < n; i++)
        if (strcmp(spots[i].file, file) == 0) add_evidence(m, spots[i].line);
}

static unsigned distance(unsigned a, unsigned b) {
    return a > b ? a - b : b - a;
}

/* Those of the file's lines that the failure does not name, the nearest to
 * what it names first, and of two that are as near the one above. */
static void add_others(struct making *m, unsigned fits, bool first) {
    unsigned from = m->n_evidence ? m->evidence[0] : 0;
    bool used[REPAIR_LINES] = {false};
    for (size_t k = 0; k < m->sites->n; k++) {
        size_t best = m->sites->n;
        for (size_t i = 0; i < m->sites->n; i++)
            if (!used[i] && (best == m->sites->n ||
                             distance(m->sites->sites[i].line, from) <
                                 distance(m->sites->sites[best].line, from)))
                best = i;
        used[best] = true;
        unsigned line = m->sites->sites[best].line;
        if (first && (fits & WRONG))
            add_often(m, line);
        else
            add_line(m, fits, line);
    }
}

/* A barrier of the whole block, where all threads come by: between the accesses
 * from the later one up, then above both, where a loop leads from the one to
 * the other, then below. */
static void add_around(struct making *m, enum repair_kind kind, unsigned here,
                       unsigned other) {
    enum { AROUND = 6 };
    unsigned least = other && other < here ? other + 1 : 1;
    if (least + AROUND < here && least == 1) least = here - AROUND;
    for (unsigned line = here; line >= least && line; line--)
        add_at(m, kind, line);
    unsigned top = other && other < here ? other : here;
    for (unsigned k = 0; k < AROUND && top > k; k++) add_at(m, kind, top - k);
    unsigned end = other > here ? other : here;
    for (unsigned k = 1; k < AROUND; k++) add_at(m, kind, end + k);
}

/* A barrier between two lines: for all, or where only some come by. */
static void add_between(struct making *m, unsigned here, unsigned other) {
    add_around(m, REPAIR_BARRIER, here, other);
    for (size_t i = 0; i < m->n_evidence; i++)
        add_at(m, REPAIR_MEET_BEFORE, m->evidence[i]);
    add_around(m, REPAIR_MEET_AFTER, here, other);
}

/* Where the two stand in functions that are called at different lines, the
 * barrier lacks between the calls: lines of two functions have no order. */
static void add_barriers(struct making *m, const struct outcome *o) {
    const struct place *here = &o->place;
    const struct place *other =
        o->finding->has_other ? &o->finding->other : here;
    unsigned at = here->called ? here->called : here->line;
    unsigned from = other->called ? other->called : other->line;
    if (!(m->failures & (BLOCK | EARLY)) || !here->line) return;
    if (at != from && (here->called || other->called)) {
        add_around(m, REPAIR_BARRIER, at, from);
        for (size_t i = 0; i < m->n_evidence; i++)
            add_at(m, REPAIR_MEET_BEFORE, m->evidence[i]);
    }
    add_between(m, here->line, other->line);
}

/* Orders between accesses first: a race's wrong answer is no slip in an index.
 */
void repair_list_make(const struct outcome *o, const struct repair_sites *sites,
                      const struct repairs *known, struct repair_list *list) {
    enum { ORDERS = WARP | BLOCK | EARLY | WEAK };
    struct making m = {.failures = failures_of(o),
                       .sites = sites,
                       .stub = known->stub,
                       .list = list};
    list->n = 0;
    for (size_t i = 0; i < known->n_known; i++)
        repairs_list_add(&m, known->known[i]);
    find_evidence(&m, o, known->lab->source);
    add_of_device(&m);
    if (o->finding) add_barriers(&m, o);
    for (size_t i = 0; i < m.n_evidence; i++)
        add_line(&m, m.failures & ORDERS, m.evidence[i]);
    for (size_t i = 0; i < m.n_evidence; i++)
        add_line(&m, m.failures, m.evidence[i]);
    add_others(&m, m.failures & WEAK, false);
    add_others(&m, m.failures, true);
    add_others(&m, m.failures, false);
}
