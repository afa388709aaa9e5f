/* SPDX-License-Identifier: MIT
 *
 * steps_elsewhere.c: the right value of a wrong output stood in the array from
 * which the wrong one was taken, in another cell: the wrong word was read. It
 * is believed only where one cell of the array holds that value, and where the
 * same is true of every other wrong output that was taken from there.
 */
#include <string.h>

#include "steps_parts.h"

enum { MOST_OUTPUTS = 64 };

static uint64_t expected_word(const struct steps_view *v, size_t k) {
    return (uint32_t)v->expected[k];
}

/* The write whose value the output took over unchanged, through shuffles and
 * copies of lanes, too; UINT32_MAX: it was computed. */
static uint32_t taken_from(const struct steps_view *v, size_t k) {
    const struct vgpu_steps *s = &v->seen;
    uint32_t last = v->last_write[k];
    if (!last) return UINT32_MAX;
    const struct vgpu_write *w = &s->writes[last - 1];
    if (w->n_feeds != 1 || w->bytes != 4) return UINT32_MAX;
    uint32_t from = s->feeds[w->feed].write;
    const struct vgpu_write *x = &s->writes[from];
    bool moved = x->value == w->value && x->bytes == 4 &&
                 s->feeds[w->feed].times == 1 &&
                 (int32_t)x->array != v->in_array &&
                 s->arrays[x->array].kind != VGPU_ARRAY_LANES;
    return moved ? from : UINT32_MAX;
}

/* How many cells of the array held the value when write `end` was made, at most
 * `most`, and the write of one of them. */
static size_t holders(const struct steps_view *v, uint32_t array,
                      uint64_t value, uint32_t end, size_t most,
                      uint32_t *one) {
    const struct vgpu_steps *s = &v->seen;
    size_t n = 0;
    for (uint32_t i = v->array_first[array];
         i < v->array_first[array + 1] && n < most; i++) {
        uint32_t k = v->of_array[i];
        const struct vgpu_write *w = &s->writes[k];
        bool later = false;
        if (k >= end || w->bytes != 4 || (uint32_t)w->value != value ||
            w->writer == VGPU_WRITER_BEFORE)
            continue;
        for (uint32_t j = i + 1; j < v->array_first[array + 1] && !later; j++)
            later = v->of_array[j] < end && v->of_array[j] != k &&
                    s->writes[v->of_array[j]].at == w->at;
        if (later) continue;
        n++;
        *one = k;
    }
    return n;
}

void steps_find_elsewhere(struct steps_view *v) {
    size_t n = 0;
    if (!v->n_wrong || v->n_words != 1 || v->seen.is_cut || v->out_array < 0 ||
        v->fault == FAULT_RACE)
        return;
    struct steps_elsewhere e = {0};
    for (size_t k = v->first_wrong; k < v->n_expected && n < MOST_OUTPUTS;
         k++) {
        uint32_t one, from = taken_from(v, k);
        bool wrong = v->got[k] != v->expected[k];
        if (!wrong) continue;
        if (!v->expected[k]) continue; /* many cells hold nothing */
        if (from == UINT32_MAX ||
            (int32_t)v->seen.writes[from].array == v->out_array)
            return;
        size_t held =
            holders(v, v->seen.writes[from].array, expected_word(v, k),
                    v->last_write[k] - 1, n ? 1 : 2, &one);
        if (!held || (!n && held > 1)) return;
        if (!n++)
            e = (struct steps_elsewhere){.is_known = true,
                                         .cell = k,
                                         .taken = from,
                                         .right = one,
                                         .store = v->last_write[k] - 1};
    }
    v->elsewhere = e;
}
