/* SPDX-License-Identifier: MIT
 *
 * step_view.c: see step_view.h.
 */
#include "step_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "parts.h"
#include "place.h"
#include "run_case.h"
#include "steps.h"
#include "text.h"

enum {
    MOST_ELEMENTS = 300,
    WORK = 16000000, /* instructions of a call's threads: on every machine the
                        same lines are found, in a fraction of a second */
    LIMIT_MS = 8000, /* a machine that is slower has much else to do */
    MOST_TRACED = 20000,    /* elements of a call whose values are followed */
    FEW_TILES = 8200,       /* elements of a call with several tiles */
    MOST_WATCHED = 1 << 17, /* elements of a call of which one is watched */
    BANKS_N = 256 /* elements of a call whose banks are shown, at most */
};

/* First in what a call's `user` points to. */
struct spending {
    uint64_t instructions; /* 0: the call came to no end */
};
struct taking {
    struct spending spending;
    const struct case_spec *spec;
    struct steps_view *view;
};

struct steps_view *step_view_of(vgpu_device *device, const struct lab *lab,
                                const struct parameters *parameters,
                                const struct case_seen *seen) {
    const struct steps_call call = {.lab = lab->id,
                                    .function = seen->function->symbol,
                                    .oracle = seen->function->oracle,
                                    .rule = seen->function->rule,
                                    .signature = seen->function->signature,
                                    .parameters = *parameters,
                                    .in = seen->in,
                                    .expected = seen->expected,
                                    .got = seen->got,
                                    .n = seen->n,
                                    .n_expected = seen->n_expected};
    return steps_make(device, &call);
}

static void look(void *user, vgpu_device *device,
                 const struct case_seen *seen) {
    struct taking *t = user;
    steps_free_view(t->view);
    t->view = step_view_of(device, t->spec->lab, &t->spec->parameters, seen);
}

/* No report shows banks. */
static void forget_accesses(struct steps_view *v) {
    free((void *)v->seen.accesses);
    v->seen.accesses = NULL;
    v->seen.n_accesses = 0;
}

int step_view_inputs(int inputs) {
    bool any = inputs == INPUT_random || inputs == INPUT_holes ||
               inputs == INPUT_sparse || inputs == INPUT_extremes;
    return any ? INPUT_digits : inputs;
}

/* The launch whose threads end right before the first wrong element, since the
 * number of blocks was rounded down; NULL: none. */
static const struct vgpu_steps_launch *short_launch(const struct steps_view *v,
                                                    const struct diagnosis *d) {
    for (size_t i = v->seen.n_launches; d && i-- > 0;) {
        const struct vgpu_steps_launch *l = &v->seen.launches[i];
        size_t size = (size_t)l->block[0] * l->block[1] * l->block[2];
        size_t blocks = (size_t)l->grid[0] * l->grid[1] * l->grid[2];
        if (size > 1 && v->n % size && blocks == v->n / size &&
            d->first == blocks * size)
            return l;
    }
    return NULL;
}

static void say_short(const struct vgpu_steps_launch *l, struct outcome *o) {
    size_t blocks = (size_t)l->grid[0] * l->grid[1] * l->grid[2];
    size_t first = o->difference->first;
    for (size_t i = 0; i < o->n_facts; i++)
        if (o->facts[i].row == FACT_SHORT_LAUNCH) return;
    if (o->launched.line)
        outcome_add(o, FACT(SHORT_LAUNCH,
                            {V((const char *)l->kernel), V(o->launched.line),
                             V(first), V(blocks), V(first)}));
}

/* The line that launched what made it, or what should have, or wrote elsewhere.
 */
static void find_launch(const struct case_spec *s, const struct steps_view *v,
                        const struct steps_cell *cell, struct outcome *o) {
    const struct vgpu_steps_launch *less =
        cell ? NULL : short_launch(v, o->difference);
    const struct vgpu_steps_launch *l = less ? less : steps_fault_launch(v);
    if (!l) l = steps_lineage_launch(v, cell);
    size_t n = 0;
    while (l && n < VGPU_CALLERS && l->callers[n]) n++;
    if (n)
        place_find(s->environment->walled, s->library, s->lab->source,
                   l->callers, n, &o->launched);
    if (less) say_short(less, o);
}

/* The calls of the host that the wrong value came through. */
static void find_copies(const struct case_spec *s, const struct steps_view *v,
                        const struct steps_cell *cell, struct outcome *o) {
    uint32_t copies[OUTCOME_COPIES];
    size_t n = steps_lineage_copies(v, cell, copies, OUTCOME_COPIES);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *callers = v->seen.copies[copies[i] - 1].callers;
        size_t depth = 0;
        while (depth < VGPU_CALLERS && callers[depth]) depth++;
        if (depth && !o->copies[i].file)
            place_find(s->environment->walled, s->library, s->lab->source,
                       callers, depth, &o->copies[i]);
    }
}

static struct place step_view_place(const struct vgpu_place *from) {
    struct place p = {.file = text_format("%s", text_base(from->file)),
                      .line = from->line,
                      .called = from->called};
    memcpy(p.outer, from->outer, sizeof p.outer);
    return p;
}

static bool is_among(const struct vgpu_place *p,
                     const struct vgpu_place *const list[], size_t n) {
    size_t i = 0;
    while (i < n && (list[i]->line != p->line || list[i]->called != p->called))
        i++;
    return i < n;
}

/* What tells the way of the first wrong value from that of the value beside it,
 * which is right. */
static void compare_ways(const struct steps_view *v,
                         const struct vgpu_place *const wrong[], size_t n,
                         const struct steps_cell *beside, struct outcome *o) {
    enum { MOST = 64 };
    const struct vgpu_place *right[MOST];
    size_t n_right = beside ? steps_lineage(v, beside, right, MOST) : 0, k = 0;
    for (size_t i = 0; i < n && n_right; i++)
        if (!is_among(wrong[i], right, n_right)) o->apart |= 1u << i;
    for (size_t i = 0; i < n_right && k < OUTCOME_BESIDE; i++)
        if (n < OUTCOME_LINEAGE && !is_among(right[i], wrong, n))
            o->beside[k++] = step_view_place(right[i]);
}

static void keep_lineage(const struct case_spec *s, const struct steps_view *v,
                         const struct steps_cell *cell,
                         const struct steps_cell *beside, struct outcome *o) {
    const struct vgpu_place *places[OUTCOME_LINEAGE];
    size_t n = steps_lineage(v, cell, places, OUTCOME_LINEAGE);
    for (size_t i = 0; i < n; i++) o->lineage[i] = step_view_place(places[i]);
    o->joins_swapped = n && !cell && v->fault == FAULT_SWAPPED;
    compare_ways(v, places, n, beside, o);
    find_launch(s, v, cell, o);
    find_copies(s, v, cell, o);
}

/* ---- a call with too many elements for its steps ---- */

struct writing {
    struct spending spending;
    const struct diagnosis *difference;
    struct writer *writer;
};

static struct place place_at(const struct vgpu_source *s) {
    struct place p = {0};
    if (!s->file || !s->line) return p;
    p.file = text_format("%s", text_base(s->file));
    p.line = s->line;
    p.called = s->called;
    memcpy(p.outer, s->outer, sizeof p.outer);
    p.index = s->index;
    return p;
}

static void look_at_writer(void *user, vgpu_device *device,
                           const struct case_seen *seen) {
    const struct writing *t = user;
    struct writer *w = t->writer;
    struct vgpu_word_writer by;
    size_t words = element_words(t->difference->element);
    size_t at = t->difference->first * words;
    bool is_wrong = t->difference->first < seen->n_expected &&
                    memcmp(seen->got + at, t->difference->got,
                           words * sizeof *seen->got) == 0;
    if (!is_wrong || w->place.file || !vgpu_word_writer(device, &by)) return;
    *w = (struct writer){.place = place_at(&by.where),
                         .read = place_at(&by.read),
                         .word = by.word,
                         .word_bytes = by.word_bytes};
    w->place.has_thread = w->place.file != NULL;
    memcpy(w->place.block, by.block, sizeof by.block);
    memcpy(w->place.thread, by.thread, sizeof by.thread);
}

static void count_spending(void *user, vgpu_device *device,
                           const uint64_t counts[VGPU_N_COUNTERS]) {
    struct spending *s = user;
    (void)device;
    s->instructions += counts[VGPU_COUNT_THREAD_INSTRUCTIONS];
}

/* The call of `again`, as far as there is work left for it; left NULL: there
 * is. */
static void look_again(struct case_spec *again, struct step_view_left *left) {
    const struct spending *spent = again->user;
    struct case_result second;
    if (left && left->work < again->work) again->work = left->work;
    if (!again->work) return;
    again->inspect = count_spending;
    case_run(again, &second);
    case_result_free(&second);
    uint64_t paid = spent->instructions ? spent->instructions : again->work;
    if (left) left->work -= paid < left->work ? paid : left->work;
}

/* The same call once more, for what `then` sees of it. */
static struct case_spec rerun_of(const struct case_spec *s,
                                 void (*then)(void *user, vgpu_device *,
                                              const struct case_seen *),
                                 void *user) {
    struct case_spec again = *s;
    again.is_rerun = true;
    again.limit_ms = LIMIT_MS;
    again.work = WORK;
    again.trace = NULL;
    again.look = then;
    again.user = user;
    return again;
}

void step_view_writer(const struct case_spec *s, struct case_result *r,
                      struct step_view_left *left) {
    const struct outcome *o = &r->outcome;
    const struct diagnosis *d = o->difference;
    if (r->verdict != CASE_FAIL || !d || o->finding || o->steps || !d->count ||
        d->buffer != BUFFER_OUT || !d->element || s->device != WIRE_VGPU ||
        s->clock || s->check->repeat > 1 || d->state == FIRST_NOT_WRITTEN ||
        s->n > MOST_WATCHED)
        return;
    struct writing taking = {{0}, d, &r->outcome.writer};
    struct case_spec again = rerun_of(s, look_at_writer, &taking);
    again.watched_words = element_words(d->element);
    again.watched = d->first * again.watched_words;
    look_again(&again, left);
}

/* Where an element lies; false: in d_out. */
static bool cell_of(const struct case_spec *s, const struct diagnosis *d,
                    size_t at, char name[VGPU_STEPS_NAME],
                    struct steps_cell *cell) {
    size_t lengths[WIRE_PARTS] = {0}, part = 0;
    int signature = case_function(s)->signature;
    bool in_parts = parts_has(signature);
    bool second = d->buffer == BUFFER_OUT2;
    if (in_parts) {
        size_t n = parts_count(signature, &s->parameters);
        parts_cut(s->n, n, s->parameters.value[PARAMETER_cut], lengths);
        while (part + 1 < n && at >= lengths[part]) at -= lengths[part++];
    }
    snprintf(name, VGPU_STEPS_NAME,
             in_parts ? "d_out[%zu]"
             : second ? "d_out2"
                      : "d_out",
             part);
    *cell = (struct steps_cell){name, at * element_words(d->element) *
                                          sizeof(int32_t)};
    return in_parts || second;
}

/* The steps of the call with n elements; NULL: they were not seen to the end.
 */
static struct steps_view *followed(const struct case_spec *s, size_t n,
                                   struct step_view_left *left) {
    struct taking taking = {{0}, s, NULL};
    struct case_spec again = rerun_of(s, look, &taking);
    again.n = n;
    look_again(&again, left);
    if (taking.view && !taking.view->seen.is_cut) return taking.view;
    steps_free_view(taking.view);
    return NULL;
}

static void lineage_of(const struct case_spec *s, size_t n,
                       struct case_result *r, struct step_view_left *left) {
    struct outcome *o = &r->outcome;
    char name[2][VGPU_STEPS_NAME];
    struct steps_cell cell, before;
    const struct diagnosis *d = o->difference;
    bool other = cell_of(s, d, d->first, name[0], &cell);
    if (d->first) cell_of(s, d, d->first - 1, name[1], &before);
    struct steps_view *v = followed(s, n, left);
    if (v && (other || v->n_wrong))
        keep_lineage(s, v, other ? &cell : NULL, d->first ? &before : NULL, o);
    steps_free_view(v);
}

/* That of the first wrong element of a call with fewer elements. */
static void lineage_of_fewer(const struct case_spec *s, struct case_result *r,
                             struct step_view_left *left) {
    static const size_t fewer[] = {MOST_TRACED, FEW_TILES};
    struct outcome *o = &r->outcome;
    for (size_t i = 0; i < sizeof fewer / sizeof *fewer; i++) {
        if (o->lineage[0].file || s->n <= fewer[i] || !left->calls ||
            !lab_check_takes_size(s->lab, s->check, fewer[i]))
            continue;
        --left->calls;
        struct steps_view *v = followed(s, fewer[i], left);
        if (v && v->n_wrong) keep_lineage(s, v, NULL, NULL, o);
        steps_free_view(v);
    }
}

/* Nothing behind the first wrong element made it wrong, where one element is
 * made of each; else, or where that cannot be, the whole call is asked, or one
 * with fewer elements. */
void step_view_lineage(const struct case_spec *s, struct case_result *r,
                       struct step_view_left *left) {
    const struct outcome *o = &r->outcome;
    const struct diagnosis *d = o->difference;
    if (r->verdict != CASE_FAIL || !d || !d->count || o->finding || o->steps ||
        s->device != WIRE_VGPU || s->clock || s->check->repeat > 1 ||
        d->first >= MOST_TRACED || !left->calls)
        return;
    --left->calls;
    bool in_out =
        d->buffer == BUFFER_OUT && !parts_has(case_function(s)->signature);
    bool whole = !in_out || s->n <= d->first + 1;
    if (!whole) lineage_of(s, d->first + 1, r, left);
    if (!o->lineage[0].file && s->n <= MOST_TRACED)
        lineage_of(s, s->n, r, left);
    if (in_out) lineage_of_fewer(s, r, left);
}

/* The call in an order and a memory model; NULL: it was not seen. */
static struct steps_view *view_in(const struct case_spec *s,
                                  const struct lab_check *check,
                                  const char *schedule, const char *model,
                                  struct step_view_left *left) {
    struct taking taking = {{0}, s, NULL};
    struct case_spec again = rerun_of(s, look, &taking);
    again.inputs = step_view_inputs(s->inputs);
    again.check = check;
    again.schedule = schedule;
    again.memory_model = model;
    again.more_checks |= VGPU_CHECK_RACECHECK;
    look_again(&again, left);
    struct steps_view *v = taking.view;
    if (!v) return NULL;
    forget_accesses(v);
    snprintf(v->in_order, sizeof v->in_order, "%s%s%s",
             schedule ? schedule : "", schedule && model ? ", " : "",
             model ? model : "");
    return v;
}

/* As it failed; under weak memory only where it is right without. */
static struct steps_view *wrong_view(const struct case_spec *s,
                                     const struct lab_check *check,
                                     bool *is_weak,
                                     struct step_view_left *left) {
    struct steps_view *v = view_in(s, check, s->schedule, NULL, left);
    if (!s->memory_model || (v && v->fault)) return v;
    steps_free_view(v);
    *is_weak = true;
    return view_in(s, check, s->schedule, s->memory_model, left);
}

/* An order in which the answer is right, where there is one. */
static void add_right(const struct case_spec *s, const struct lab_check *check,
                      struct steps_view *v, size_t left,
                      struct step_view_left *more) {
    static const char *const orders[] = {"in-order", "reverse"};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        struct steps_view *right = view_in(s, check, orders[k], NULL, more);
        bool is_right = right && !right->n_wrong && !right->seen.is_cut &&
                        steps_bytes(right) + steps_bytes(v) <= left;
        if (is_right) {
            steps_compare(v, right);
            return;
        }
        steps_free_view(right);
    }
}

void step_view_take(const struct case_spec *s, struct case_result *r,
                    size_t *left, struct step_view_left *more) {
    struct lab_check check = *s->check;
    if (r->verdict != CASE_FAIL || !r->outcome.difference ||
        s->device != WIRE_VGPU || s->n > MOST_ELEMENTS || s->clock)
        return;
    check.misalign = 0;
    check.in_place = false;
    check.repeat = 1;
    bool is_weak = false;
    struct steps_view *v = wrong_view(s, &check, &is_weak, more);
    if (v && v->fault && steps_bytes(v) <= *left) {
        if (v->n_races || is_weak) add_right(s, &check, v, *left, more);
        r->outcome.steps = v;
        keep_lineage(s, v, NULL, NULL, &r->outcome);
        *left -= steps_bytes(v);
    } else {
        steps_free_view(v);
    }
}

/* ---- for a page alone ---- */

struct steps_view *step_view_draw(const struct case_spec *s, size_t *left) {
    struct lab_check check = *s->check;
    check.misalign = 0;
    check.in_place = false;
    check.repeat = 1;
    bool is_weak = false;
    struct steps_view *v = wrong_view(s, &check, &is_weak, NULL);
    bool fits = v && v->fault && steps_bytes(v) <= *left;
    if (fits && (v->n_races || is_weak)) add_right(s, &check, v, *left, NULL);
    if (fits) {
        *left -= steps_bytes(v);
        return v;
    }
    steps_free_view(v);
    return NULL;
}

/* ---- banks ---- */

static bool is_of_banks(const struct measured *m) {
    bool is = false;
    for (size_t k = 0; k < m->n_bounds; k++) {
        const struct bound_count *b = &m->bounds[k];
        int counter = (int)b->bound->counter;
        is |= bound_is_passed(b) && (counter == VGPU_COUNT_SHARED_CONFLICTS ||
                                     counter == VGPU_COUNT_SHARED_WAVEFRONTS);
    }
    return is;
}

void step_view_banks(const struct case_spec *s, const struct measured *m,
                     struct case_result *r, size_t *left) {
    struct taking taking = {{0}, s, NULL};
    struct case_spec again = rerun_of(s, look, &taking);
    struct case_result second;
    if (r->verdict != CASE_FAIL || r->outcome.kind != OUTCOME_BOUND ||
        s->device != WIRE_VGPU || !is_of_banks(m))
        return;
    if (again.n > BANKS_N) again.n = BANKS_N;
    again.clock = NULL;
    case_run(&again, &second);
    case_result_free(&second);
    struct steps_view *v = taking.view;
    if (v && v->seen.n_accesses && steps_bytes(v) <= *left) {
        r->outcome.banks = v;
        *left -= steps_bytes(v);
    } else {
        steps_free_view(v);
    }
}
