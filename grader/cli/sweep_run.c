/* SPDX-License-Identifier: MIT
 *
 * sweep_run.c: the calls of scanlab sweep. It goes from the least size up, and
 * runs all values at a size before the next: if it is stopped, each curve has
 * its points for the smaller sizes.
 */
#include "sweep.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clean_text.h"
#include "defined.h"
#include "tree.h"
#include "words.h"

struct sweep_place { /* where a value's sources are, and how long it takes */
    struct temporary copy;
    double seconds;
    size_t n;
    bool gone;
};

static double sweep_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of the launch that took longest. */
static void sweep_inspect(void *user, vgpu_device *device,
                          const uint64_t counts[VGPU_N_COUNTERS]) {
    struct sweep_cell *c = ((struct sweep *)user)->cell;
    const struct vgpu_launch_record *list, *longest = NULL;
    size_t n = vgpu_launch_records(device, &list);
    c->model_ns = counts[VGPU_COUNT_MODEL_NS];
    for (size_t k = 0; k < n; k++)
        if (!longest || list[k].model_ps > longest->model_ps)
            longest = &list[k];
    if (longest && vgpu_occupancy(device, longest, &c->occupancy))
        c->threads =
            (uint64_t)longest->block[0] * longest->block[1] * longest->block[2];
}

static void sweep_note(struct sweep *s, size_t value, size_t size,
                       const char *why) {
    char **note = &s->view.notes[value];
    free(*note);
    *note = text_format("n = %zu: %s", s->view.sizes[size], why);
}

static void sweep_result(struct sweep *s, size_t value, size_t size,
                         struct sweep_place *place, const struct case_result *r,
                         const struct unbuilt *unbuilt) {
    struct text why = {0};
    if (unbuilt->why) {
        s->cell->state = SWEEP_WRONG;
        text_add(&why, "%s%s:\n%s", s->judge.lab->source,
                 lab_state_words(unbuilt->state), unbuilt->why);
    } else if (r->verdict == CASE_PASS) {
        s->cell->state = SWEEP_RIGHT;
        return;
    } else if (r->verdict == CASE_TODO) {
        s->cell->state = SWEEP_TODO;
        text_add(&why, "not implemented yet");
    } else {
        s->cell->state = SWEEP_WRONG;
        words_outcome(&why, &r->outcome, &r->measured);
    }
    place->gone = true;
    sweep_note(s, value, size, text_string(&why));
    text_free(&why);
}

static bool sweep_call(struct sweep *s, size_t value, size_t size,
                       struct sweep_place *place) {
    struct case_result result;
    char error[JUDGE_ERROR_BYTES] = "";
    struct unbuilt unbuilt;
    struct single_options judge = s->judge;
    double start = sweep_now();
    if (place->copy.path) judge.submission = place->copy.path;
    judge.n = s->view.sizes[size];
    judge.inspect = sweep_inspect;
    judge.user = s;
    s->cell = &s->view.cells[value][size];
    if (!judge_single(&judge, &result, &unbuilt, error)) {
        cli_fail("%s", error);
        return false;
    }
    sweep_result(s, value, size, place, &result, &unbuilt);
    place->seconds = sweep_now() - start;
    place->n = judge.n;
    case_result_free(&result);
    free(unbuilt.why);
    return true;
}

/* Would it end in time, if it takes so much longer as it is larger? */
static bool sweep_in_time(struct sweep *s, size_t value, size_t size,
                          struct sweep_place *place) {
    double n = (double)s->view.sizes[size];
    double next = place->n ? place->seconds * n / (double)place->n : 0;
    if (sweep_now() + next <= s->end) return true;
    place->gone = true;
    sweep_note(s, value, size, "not run: the time is over (--seconds)");
    return false;
}

static bool sweep_all(struct sweep *s, struct sweep_place *places) {
    const struct sweep_view *v = &s->view;
    size_t done = 0, total = v->n_values * v->n_sizes;
    bool good = true;
    for (size_t k = 0; good && k < v->n_sizes; k++)
        for (size_t i = 0; good && i < v->n_values; i++, done++) {
            struct text what = {0};
            sweep_series(v, i, &what);
            text_add(&what, ", n = %zu", v->sizes[k]);
            progress_show(s->progress, done, total, text_string(&what));
            text_free(&what);
            if (!places[i].gone && sweep_in_time(s, i, k, &places[i]))
                good = sweep_call(s, i, k, &places[i]);
        }
    return good;
}

/* Copies of the submission with each value; one value: the submission itself.
 */
static bool sweep_places(struct sweep *s, struct sweep_place *places) {
    const char *in = getenv("TMPDIR");
    if (!in || !*in) in = "/tmp";
    for (size_t k = 0; s->view.constant && k < s->view.n_values; k++) {
        char *why = NULL;
        if (defined_copy(&places[k].copy, s->judge.submission, in,
                         s->view.constant, s->view.values[k], &why))
            continue;
        char *clean = clean_text(why ? why : "out of memory");
        cli_fail("%s", clean ? clean : "out of memory");
        free(clean);
        free(why);
        return false;
    }
    return true;
}

static int status_of(const struct sweep_view *v) {
    bool any = false, wrong = false;
    for (size_t k = 0; k < v->n_values; k++)
        for (size_t i = 0; i < v->n_sizes; i++) {
            any |= v->cells[k][i].state == SWEEP_RIGHT;
            wrong |= v->cells[k][i].state == SWEEP_WRONG;
        }
    return any && !wrong ? EXIT_FULL : EXIT_MISSING;
}

int sweep_run(struct sweep *s) {
    struct sweep_place *places = calloc(SWEEP_VALUES, sizeof *places);
    if (!places) return cli_fail("out of memory");
    char *reference = path_join(s->judge.root, "reference");
    s->judge.is_reference =
        reference && tree_is(s->judge.submission, reference);
    free(reference);
    s->end = sweep_now() + (double)s->seconds;
    s->progress = progress_new(stderr);
    bool good = sweep_places(s, places) && sweep_all(s, places);
    progress_free(s->progress);
    for (size_t k = 0; k < SWEEP_VALUES; k++) temporary_remove(&places[k].copy);
    free(places);
    return good ? status_of(&s->view) : EXIT_TROUBLE;
}
