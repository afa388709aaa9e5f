/* SPDX-License-Identifier: MIT
 *
 * steps_make.c: see steps.h: copies the recording, and puts its writes in
 * frames.
 */
#include <stdlib.h>
#include <string.h>

#include "steps_parts.h"

static bool copy(void *to, const void *from, size_t n, size_t size) {
    void **at = to;
    *at = calloc(n + 1, size);
    if (*at && n) memcpy(*at, from, n * size);
    return *at != NULL;
}

static bool copy_places(struct vgpu_steps *to, const struct vgpu_steps *from) {
    struct vgpu_place *places;
    if (!copy(&places, from->places, from->n_places, sizeof *places))
        return false;
    to->places = places;
    bool ok = true;
    for (uint32_t k = 0; k < from->n_places; k++) {
        if (!from->places[k].file) continue;
        places[k].file = strdup(from->places[k].file);
        ok &= places[k].file != NULL;
    }
    return ok;
}

static bool copy_seen(struct vgpu_steps *to, const struct vgpu_steps *from) {
    *to = *from;
    to->places = NULL;
#define LIST(name) copy(&to->name, from->name, from->n_##name, sizeof *to->name)
    bool ok = LIST(arrays);
    ok &= LIST(writes);
    ok &= LIST(reads);
    ok &= LIST(feeds);
    ok &= LIST(steps);
    ok &= LIST(launches);
    ok &= LIST(copies);
    ok &= LIST(accesses);
#undef LIST
    return copy_places(to, from) && ok;
}

void steps_free_view(struct steps_view *v) {
    if (!v) return;
    for (uint32_t k = 0; v->seen.places && k < v->seen.n_places; k++)
        free(v->seen.places[k].file);
    const void *const lists[] = {
        v->seen.arrays,   v->seen.writes,   v->seen.feeds,
        v->seen.steps,    v->seen.launches, v->seen.places,
        v->seen.accesses, v->seen.reads,    v->seen.copies};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        free((void *)lists[k]);
    free(v->lab);
    free(v->function);
    free(v->in);
    free(v->expected);
    free(v->got);
    free(v->frames);
    free(v->order);
    free(v->frame_of);
    free(v->of_array);
    free(v->array_first);
    free(v->contents);
    free(v->due);
    free(v->generation);
    free(v->useful);
    free(v->cell_bytes);
    free(v->last_write);
    free(v->leads);
    steps_free_view(v->right);
    free(v);
}

size_t steps_bytes(const struct steps_view *v) {
    const struct vgpu_steps *s = &v->seen;
    enum { OF_A_WRITE = 4 * sizeof(uint32_t) + sizeof *v->contents + 1 };
    return sizeof *v + s->n_writes * (sizeof *s->writes + OF_A_WRITE) +
           s->n_reads * sizeof *s->reads + s->n_feeds * sizeof *s->feeds +
           s->n_accesses * sizeof *s->accesses +
           s->n_arrays * sizeof *s->arrays +
           s->n_steps * (sizeof *s->steps + sizeof *v->frames) +
           (v->right ? steps_bytes(v->right) : 0);
}

/* ---- frames ---- */

/* Blocks of the launch read what others of it wrote. */
static bool *talking(const struct vgpu_steps *s) {
    bool *talks = calloc(s->n_launches + 2, sizeof *talks);
    for (uint32_t k = 0; talks && k < s->n_writes; k++) {
        const struct vgpu_write *w = &s->writes[k];
        if (w->writer == VGPU_WRITER_BEFORE) continue;
        const struct vgpu_step *to = &s->steps[w->step];
        for (uint32_t f = 0; f < w->n_feeds; f++) {
            const struct vgpu_write *x =
                &s->writes[s->feeds[w->feed + f].write];
            if (x->writer == VGPU_WRITER_BEFORE) continue;
            const struct vgpu_step *from = &s->steps[x->step];
            if (to->begin != VGPU_STEP_HOST && from->begin != VGPU_STEP_HOST &&
                from->launch == to->launch && from->block != to->block)
                talks[to->launch] = true;
        }
    }
    return talks;
}

struct keyed {
    uint32_t launch, is_host, at, step;
};

static int by_key(const void *a, const void *b) {
    const struct keyed *x = a, *y = b;
#define BY(field)                                                              \
    if (x->field != y->field) return x->field < y->field ? -1 : 1;
    BY(launch)
    BY(is_host)
    BY(at)
    BY(step)
#undef BY
    return 0;
}

/* Frames of steps in order; frame_of_step says which. */
static bool make_frames(struct steps_view *v, uint32_t *frame_of_step) {
    const struct vgpu_steps *s = &v->seen;
    bool *talks = talking(s);
    struct keyed *keys = calloc(s->n_steps + 1, sizeof *keys);
    v->frames = calloc(s->n_steps + 1, sizeof *v->frames);
    bool ok = talks && keys && v->frames;
    for (uint32_t k = 0; ok && k < s->n_steps; k++) {
        const struct vgpu_step *step = &s->steps[k];
        bool host = step->begin == VGPU_STEP_HOST;
        keys[k] = (struct keyed){
            step->launch, host,
            host || talks[step->launch] ? step->last : step->phase, k};
    }
    if (ok) qsort(keys, s->n_steps, sizeof *keys, by_key);
    for (uint32_t k = 0; ok && k < s->n_steps; k++) {
        const struct vgpu_step *step = &s->steps[keys[k].step];
        bool host = step->begin == VGPU_STEP_HOST;
        bool same = k && !host && !talks[step->launch] &&
                    !keys[k - 1].is_host &&
                    keys[k - 1].launch == keys[k].launch &&
                    keys[k - 1].at == keys[k].at;
        if (!same)
            v->frames[v->n_frames++] =
                (struct steps_frame){.begin = step->begin,
                                     .launch = step->launch,
                                     .first_block = step->block,
                                     .n_before = step->phase};
        v->frames[v->n_frames - 1].n_blocks++;
        frame_of_step[keys[k].step] = v->n_frames - 1;
    }
    free(talks);
    free(keys);
    return ok;
}

/* Writes in order of their frames; those from before are in none. */
static void order_writes(struct steps_view *v, const uint32_t *frame_of_step) {
    const struct vgpu_steps *s = &v->seen;
    for (uint32_t k = 0; k < s->n_writes; k++) {
        bool before = s->writes[k].writer == VGPU_WRITER_BEFORE;
        v->frame_of[k] = before ? NO_FRAME : frame_of_step[s->writes[k].step];
        if (!before) v->frames[v->frame_of[k]].n++;
    }
    for (uint32_t f = 1; f < v->n_frames; f++)
        v->frames[f].first = v->frames[f - 1].first + v->frames[f - 1].n;
    for (uint32_t f = 0; f < v->n_frames; f++) v->frames[f].n = 0;
    for (uint32_t k = 0; k < s->n_writes; k++) {
        if (v->frame_of[k] == NO_FRAME) continue;
        struct steps_frame *f = &v->frames[v->frame_of[k]];
        v->order[f->first + f->n++] = k;
    }
}

static bool arrange(struct steps_view *v) {
    const struct vgpu_steps *s = &v->seen;
    uint32_t *of_step = calloc(s->n_steps + 1, sizeof *of_step);
    v->order = calloc(s->n_writes + 1, sizeof *v->order);
    v->frame_of = calloc(s->n_writes + 1, sizeof *v->frame_of);
    bool ok = of_step && v->order && v->frame_of && make_frames(v, of_step);
    if (ok) order_writes(v, of_step);
    free(of_step);
    return ok;
}

/* ---- what is looked up often ---- */

static bool index_arrays(struct steps_view *v) {
    const struct vgpu_steps *s = &v->seen;
    uint32_t *first = calloc(s->n_arrays + 2, sizeof *first), n = 0;
    v->of_array = calloc(s->n_writes + 1, sizeof *v->of_array);
    v->array_first = first;
    if (!first || !v->of_array) return false;
    for (uint32_t k = 0; k < s->n_writes; k++) first[s->writes[k].array + 2]++;
    for (uint32_t a = 2; a < s->n_arrays + 2; a++) first[a] += first[a - 1];
    for (uint32_t k = s->n_writes; k-- > 0;) {
        n += v->frame_of[k] != NO_FRAME;
        if (v->frame_of[k] == NO_FRAME)
            v->of_array[first[s->writes[k].array + 1]++] = k;
    }
    for (uint32_t k = 0; k < n; k++)
        v->of_array[first[s->writes[v->order[k]].array + 1]++] = v->order[k];
    return true;
}

static bool index_cells(struct steps_view *v) {
    enum { MOST = 9 };
    const struct vgpu_steps *s = &v->seen;
    uint32_t *n = calloc((size_t)s->n_arrays * MOST + 1, sizeof *n);
    v->cell_bytes = calloc(s->n_arrays + 1, 1);
    for (uint32_t k = 0; n && k < s->n_writes; k++)
        if (s->writes[k].bytes < MOST)
            n[s->writes[k].array * MOST + s->writes[k].bytes]++;
    for (uint32_t a = 0; n && v->cell_bytes && a < s->n_arrays; a++) {
        uint8_t best = 4;
        for (uint8_t b = 1; b < MOST; b++)
            if (n[a * MOST + b] > n[a * MOST + best]) best = b;
        v->cell_bytes[a] = best;
    }
    free(n);
    return n && v->cell_bytes;
}

static bool index_writes(struct steps_view *v) {
    enum { LANES = 32 };
    const struct vgpu_steps *s = &v->seen;
    uint32_t *n = calloc((size_t)s->n_arrays * LANES + 1, sizeof *n);
    v->generation = calloc(s->n_writes + 1, sizeof *v->generation);
    v->last_write = calloc(v->n_expected + 1, sizeof *v->last_write);
    bool ok = n && v->generation && v->last_write;
    for (uint32_t k = 0; ok && k < s->n_writes; k++) {
        const struct vgpu_write *w = &s->writes[k];
        size_t element = v->n_words ? w->at / (4 * v->n_words) : 0;
        if (s->arrays[w->array].kind == VGPU_ARRAY_LANES)
            v->generation[k] = n[w->array * LANES + w->at / 4 % LANES]++;
        if ((int32_t)w->array == v->out_array && element < v->n_expected &&
            w->writer != VGPU_WRITER_BEFORE)
            v->last_write[element] = k + 1;
    }
    free(n);
    return ok;
}

/* ---- the call ---- */

static int32_t array_named(const struct vgpu_steps *s, const char *name) {
    for (uint32_t k = 0; k < s->n_arrays; k++)
        if (s->arrays[k].kind == VGPU_ARRAY_GLOBAL &&
            strcmp(s->arrays[k].name, name) == 0)
            return (int32_t)k;
    return -1;
}

static void compare(struct steps_view *v) {
    for (size_t k = v->n_expected; k-- > 0;)
        if (memcmp(v->got + k * v->n_words, v->expected + k * v->n_words,
                   v->n_words * sizeof *v->got) != 0) {
            v->n_wrong++;
            v->first_wrong = k;
        }
}

struct steps_view *steps_make(const vgpu_device *device,
                              const struct steps_call *call) {
    struct vgpu_steps seen;
    struct steps_view *v = calloc(1, sizeof *v);
    if (!v || !vgpu_steps_seen(device, &seen)) {
        free(v);
        return NULL;
    }
    size_t in = signature_in_words(call->signature, call->n);
    size_t out = signature_out_words(call->signature, call->n);
    bool ok = copy_seen(&v->seen, &seen);
    ok &= copy(&v->in, call->in, in, sizeof *v->in);
    ok &= copy(&v->expected, call->expected, out, sizeof *v->expected);
    ok &= copy(&v->got, call->got, out, sizeof *v->got);
    v->lab = call->lab ? strdup(call->lab) : NULL;
    v->function = call->function ? strdup(call->function) : NULL;
    v->signature = call->signature;
    v->n = call->n;
    v->n_expected = call->n_expected;
    v->n_words = element_words(signature_element(call->signature, BUFFER_OUT));
    v->in_array = array_named(&v->seen, "d_in");
    v->out_array = array_named(&v->seen, "d_out");
    if (!ok || !arrange(v) || !index_arrays(v) || !index_cells(v) ||
        !index_writes(v)) {
        steps_free_view(v);
        return NULL;
    }
    compare(v);
    steps_contents(v, call);
    if (!steps_index_useful(v)) {
        steps_free_view(v);
        return NULL;
    }
    steps_find_fault(v);
    steps_find_swapped(v, call);
    v->plain_fault = v->fault;
    v->plain_write = v->fault_write;
    steps_race_lines(v, device);
    steps_find_guilty(v);
    steps_find_elsewhere(v);
    return v;
}
