/* SPDX-License-Identifier: MIT
 *
 * steps_fault.c: which inputs each value sums up, and where the first wrong one
 * was made.
 *
 * A value's contents are its feeds' contents added up. They are believed only
 * where they explain the value: the inputs they name, added up, are it. So what
 * multiplies, compares or packs words says nothing, and says nothing wrong. In
 * a scan every value that an honest algorithm makes is the sum of neighbours,
 * each once. The first wrong step is the earliest that makes something else, of
 * values that were still right, and whose value goes into a wrong output.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"
#include "steps_parts.h"

/* ---- what is due ---- */

/* Which inputs the answer sums up, from the answers for one input that is 1;
 * false: it is no sum of ranges of the first input. */
static bool learn_due(const struct steps_view *v, const struct steps_call *c,
                      int32_t *in, int32_t *out, uint32_t *due) {
    size_t words = element_words(signature_element(c->signature, BUFFER_IN));
    size_t n_in = signature_in_words(c->signature, v->n);
    for (size_t i = 0; i < v->n; i++) {
        memset(in, 0, n_in * sizeof *in);
        in[i * words] = 1;
        if (oracle_apply_rule(c->oracle, c->rule, &c->parameters, in, v->n,
                              out) != v->n)
            return false;
        for (size_t k = 0; k < v->n; k++) {
            int32_t times = out[k * v->n_words];
            if (times != 0 && times != 1) return false;
            uint32_t *range = due + 2 * k;
            if (!times) continue;
            if (range[1] && range[1] != i) return false; /* a hole */
            if (!range[1]) range[0] = (uint32_t)i;
            range[1] = (uint32_t)i + 1;
        }
    }
    return true;
}

/* The answer for the input at hand is what the ranges say: with all zeros it is
 * 0, and it is the sum of them. */
static bool explains(const struct steps_view *v, const struct steps_call *c,
                     const uint32_t *due) {
    size_t words = element_words(signature_element(c->signature, BUFFER_IN));
    if (v->n_expected != v->n) return false;
    for (size_t k = 0; k < v->n; k++) {
        uint32_t sum = 0;
        for (uint32_t i = due[2 * k]; i < due[2 * k + 1]; i++)
            sum += (uint32_t)v->in[i * words];
        if (sum != (uint32_t)v->expected[k * v->n_words]) return false;
    }
    return true;
}

void steps_due(const struct steps_view *v, size_t k, size_t *first,
               size_t *end) {
    *first = v->due[2 * k];
    *end = v->due[2 * k + 1];
}

/* ---- contents ---- */

struct counting {
    struct steps_view *v;
    int16_t *counts; /* n for each write */
    size_t in_words;
};

static bool is_value(const struct counting *c, uint32_t k) {
    const struct vgpu_write *w = &c->v->seen.writes[k];
    const int16_t *counts = c->counts + (size_t)k * c->v->n;
    uint64_t sum = 0, mask = w->bytes >= 8 ? ~0ull : (1ull << 8 * w->bytes) - 1;
    for (size_t i = 0; i < c->v->n; i++) {
        uint64_t in = (uint64_t)(int64_t)c->v->in[i * c->in_words];
        if (c->in_words == 2)
            in = (uint32_t)in |
                 (uint64_t)(uint32_t)c->v->in[i * c->in_words + 1] << 32;
        sum += (uint64_t)(int64_t)counts[i] * in;
    }
    /* Of a word of two halves, or with a flag in its last bits. */
    bool packed = w->bytes == 8 && c->in_words == 1 &&
                  ((uint32_t)sum == (uint32_t)(w->value >> 32) ||
                   (uint32_t)sum == (uint32_t)w->value ||
                   (uint32_t)sum == (uint32_t)(w->value >> 2));
    return packed || !((sum ^ w->value) & mask);
}

static void count(struct counting *c, uint32_t k) {
    const struct vgpu_steps *s = &c->v->seen;
    const struct vgpu_write *w = &s->writes[k];
    int16_t *counts = c->counts + (size_t)k * c->v->n;
    size_t element = w->at / (4 * c->in_words);
    if (w->writer == VGPU_WRITER_BEFORE &&
        (int32_t)w->array == c->v->in_array && element < c->v->n) {
        counts[element] = 1;
        return;
    }
    for (uint32_t f = 0; f < w->n_feeds; f++) {
        const struct vgpu_feed *feed = &s->feeds[w->feed + f];
        const int16_t *of = c->counts + (size_t)feed->write * c->v->n;
        for (size_t i = 0; i < c->v->n; i++)
            counts[i] = (int16_t)((uint32_t)counts[i] +
                                  (uint32_t)feed->times * (uint32_t)of[i]);
    }
}

static void summarise(struct counting *c, uint32_t k) {
    const int16_t *counts = c->counts + (size_t)k * c->v->n;
    struct content *is = &c->v->contents[k];
    size_t first = SIZE_MAX, last = 0;
    if (!is_value(c, k)) return;
    for (size_t i = 0; i < c->v->n; i++)
        if (counts[i]) {
            if (first == SIZE_MAX) first = i;
            last = i;
        }
    is->state = CONTENT_EMPTY;
    if (first == SIZE_MAX) return;
    is->first = (uint32_t)first;
    is->last = (uint32_t)last;
    for (size_t i = first; i <= last; i++) {
        if (!counts[i] && !is->misses) is->misses = (uint32_t)i + 1;
        if (counts[i] && counts[i] != 1 && !is->twice) {
            is->twice = (uint32_t)i + 1;
            is->times = counts[i];
        }
    }
    is->state = is->misses || is->twice ? CONTENT_BROKEN : CONTENT_RANGE;
}

static bool count_all(struct steps_view *v, size_t in_words) {
    struct counting c = {v, NULL, in_words};
    c.counts = calloc((size_t)v->seen.n_writes * v->n + 1, sizeof *c.counts);
    v->contents = calloc(v->seen.n_writes + 1, sizeof *v->contents);
    bool ok = c.counts && v->contents;
    for (uint32_t k = 0; ok && k < v->seen.n_writes; k++) {
        count(&c, k);
        summarise(&c, k);
    }
    free(c.counts);
    return ok;
}

void steps_contents(struct steps_view *v, const struct steps_call *c) {
    enum { MOST_COUNTS = 1 << 25, MOST_WORK = 1 << 28 };
    enum element e = signature_element(c->signature, BUFFER_IN);
    uint64_t work = 0;
    for (uint32_t k = 0; k < v->seen.n_writes; k++)
        work += (uint64_t)v->seen.writes[k].n_feeds * v->n;
    bool fits = work <= MOST_WORK && v->n && v->n <= STEPS_COUNTED &&
                (size_t)v->seen.n_writes * v->n <= MOST_COUNTS &&
                v->in_array >= 0 && v->out_array >= 0 &&
                (e == ELEMENT_i32 || e == ELEMENT_u32 || e == ELEMENT_i64);
    if (!fits) return;
    int32_t *in = calloc(signature_in_words(c->signature, v->n) + 1, 4);
    int32_t *out = calloc(signature_out_words(c->signature, v->n) + 1, 4);
    v->due = calloc(2 * v->n, sizeof *v->due);
    bool ok = in && out && v->due && learn_due(v, c, in, out, v->due) &&
              explains(v, c, v->due) && count_all(v, element_words(e));
    free(in);
    free(out);
    if (ok) return;
    free(v->due);
    free(v->contents);
    v->due = NULL;
    v->contents = NULL;
}

/* ---- the first wrong step ---- */

uint32_t steps_last_write(const struct steps_view *v, size_t element) {
    return v->last_write[element] - 1;
}

/* Who made the value that is copied. */
uint32_t steps_maker_of(const struct steps_view *v, uint32_t w) {
    while (w != UINT32_MAX && v->seen.writes[w].writer == VGPU_WRITER_COPY &&
           v->seen.writes[w].n_feeds == 1) {
        uint32_t from = v->seen.feeds[v->seen.writes[w].feed].write;
        if (v->seen.writes[from].writer == VGPU_WRITER_BEFORE) return w;
        w = from;
    }
    return w;
}

/* Earlier in what is shown. */
static bool is_before(const struct steps_view *v, uint32_t a, uint32_t b) {
    if (v->frame_of[a] != v->frame_of[b])
        return v->frame_of[a] < v->frame_of[b];
    return a < b;
}

static bool is_wrong_cell(const struct steps_view *v, size_t k) {
    return memcmp(v->got + k * v->n_words, v->expected + k * v->n_words,
                  v->n_words * sizeof *v->got) != 0;
}

/* Marks what goes into the wrong outputs, from the last write back: all of it,
 * or only through values of this state. */
static uint8_t *leading(const struct steps_view *v, size_t first, size_t end,
                        int through) {
    uint8_t *leads = calloc(v->seen.n_writes + 1, 1);
    for (size_t k = first; leads && k < end; k++) {
        uint32_t w = is_wrong_cell(v, k) ? steps_last_write(v, k) : UINT32_MAX;
        if (w != UINT32_MAX)
            leads[w] = through < 0 || v->contents[w].state == through;
    }
    for (uint32_t k = v->seen.n_writes; leads && k-- > 0;)
        for (uint32_t f = 0; leads[k] && f < v->seen.writes[k].n_feeds; f++) {
            uint32_t from = v->seen.feeds[v->seen.writes[k].feed + f].write;
            leads[from] |= through < 0 || v->contents[from].state == through;
        }
    return leads;
}

static bool has_feed(const struct steps_view *v, uint32_t k, int state) {
    const struct vgpu_write *w = &v->seen.writes[k];
    for (uint32_t f = 0; f < w->n_feeds; f++)
        if (v->contents[v->seen.feeds[w->feed + f].write].state == state)
            return true;
    return false;
}

static bool is_unwritten(const struct steps_view *v, uint32_t k) {
    const struct vgpu_write *w = &v->seen.writes[k];
    for (uint32_t f = 0; f < w->n_feeds; f++) {
        uint32_t from = v->seen.feeds[w->feed + f].write;
        if (v->contents[from].state == CONTENT_UNKNOWN &&
            v->seen.writes[from].writer == VGPU_WRITER_BEFORE)
            return true;
    }
    return false;
}

/* The earliest of this state that leads to a wrong output and is made of none
 * such, but for what stood there before. */
static uint32_t first_of(const struct steps_view *v, int state, int through) {
    uint8_t *leads = leading(v, 0, v->n_expected, through);
    uint32_t first = UINT32_MAX;
    for (uint32_t k = 0; leads && k < v->seen.n_writes; k++)
        if (leads[k] && v->contents[k].state == state &&
            v->seen.writes[k].writer != VGPU_WRITER_BEFORE &&
            (is_unwritten(v, k) || !has_feed(v, k, state)) &&
            (first == UINT32_MAX || is_before(v, k, first)))
            first = k;
    free(leads);
    return first;
}

static bool is_foreign(const struct steps_view *v, uint32_t k, size_t begin,
                       size_t end) {
    const struct content *c = &v->contents[k];
    return c->state == CONTENT_RANGE && (c->first < begin || c->last >= end);
}

/* It brings an input into an array other than the output, which many a scan
 * begins with: so it is no wrong step by itself. */
static bool only_brings(const struct steps_view *v, uint32_t k) {
    const struct vgpu_write *w = &v->seen.writes[k];
    const struct content *c = &v->contents[k];
    uint32_t from = w->n_feeds == 1 ? v->seen.feeds[w->feed].write : 0;
    return w->n_feeds == 1 && c->state == CONTENT_RANGE &&
           c->first == c->last && (int32_t)w->array != v->out_array &&
           (int32_t)v->seen.writes[from].array == v->in_array;
}

/* The earliest that is made of several values, goes into the first wrong output
 * and holds inputs that this one is not to have; else the last one, if it does.
 */
static uint32_t first_foreign(const struct steps_view *v) {
    uint8_t *leads = leading(v, v->first_wrong, v->first_wrong + 1, -1);
    uint32_t first = UINT32_MAX;
    size_t begin, end;
    steps_due(v, v->first_wrong, &begin, &end);
    for (uint32_t k = 0; leads && k < v->seen.n_writes; k++) {
        if (leads[k] && is_foreign(v, k, begin, end) &&
            v->seen.writes[k].n_feeds > 1 &&
            (first == UINT32_MAX || is_before(v, k, first)))
            first = k;
    }
    free(leads);
    uint32_t last = steps_maker_of(v, steps_last_write(v, v->first_wrong));
    if (first != UINT32_MAX || last == UINT32_MAX) return first;
    return is_foreign(v, last, begin, end) ? last : UINT32_MAX;
}

/* Of the wrong outputs' last writes, the earliest. */
static void find_last_word(struct steps_view *v) {
    uint32_t first = UINT32_MAX;
    for (size_t k = 0; k < v->n_expected; k++) {
        if (!is_wrong_cell(v, k)) continue;
        uint32_t w = steps_maker_of(v, steps_last_write(v, k));
        if (w == UINT32_MAX) {
            if (v->fault == FAULT_NO_WRITE) continue;
            v->fault = FAULT_NO_WRITE;
            v->fault_cell = k;
            return;
        }
        if (first != UINT32_MAX && !is_before(v, w, first)) continue;
        bool kept = v->contents && only_brings(v, w);
        first = w;
        v->fault = kept ? FAULT_KEPT : FAULT_LACKS;
        v->fault_write = kept ? steps_last_write(v, k) : w;
        v->fault_cell = k;
    }
}

/* The last values of the array's elements are the answer. */
static bool holds_answer(const struct steps_view *v, uint32_t array) {
    size_t bytes = 4 * v->n_words, n = 0;
    uint8_t *is_right = calloc(v->n_expected + 1, 1);
    for (uint32_t i = v->array_first[array];
         is_right && i < v->array_first[array + 1]; i++) {
        const struct vgpu_write *w = &v->seen.writes[v->of_array[i]];
        size_t k = w->at / bytes;
        if (w->bytes == bytes && w->at % bytes == 0 && k < v->n_expected)
            is_right[k] =
                memcmp(&w->value, v->expected + k * v->n_words, bytes) == 0;
    }
    while (is_right && n < v->n_expected && is_right[n]) n++;
    free(is_right);
    return n > 1 && n == v->n_expected;
}

static void find_answer(struct steps_view *v) {
    for (uint32_t a = 0; a < v->seen.n_arrays && !v->answer_in; a++)
        if (v->seen.arrays[a].kind == VGPU_ARRAY_GLOBAL &&
            (int32_t)a != v->out_array && holds_answer(v, a))
            v->answer_in = a + 1;
}

void steps_find_fault(struct steps_view *v) {
    uint32_t broken = UINT32_MAX, unknown = UINT32_MAX, foreign = UINT32_MAX;
    if (!v->n_wrong || v->seen.is_cut) return;
    v->fault_cell = v->first_wrong;
    find_answer(v);
    if (v->out_array < 0) { /* never touched: the diagnosis says so */
        if (v->answer_in) v->fault = FAULT_NO_WRITE;
        return;
    }
    if (v->contents) {
        broken = first_of(v, CONTENT_BROKEN, -1);
        unknown = first_of(v, CONTENT_UNKNOWN, CONTENT_UNKNOWN);
        foreign = first_foreign(v);
        v->leads = leading(v, 0, v->n_expected, -1);
    }
    if (broken != UINT32_MAX &&
        (unknown == UINT32_MAX || is_before(v, broken, unknown))) {
        v->fault = FAULT_BROKEN;
        v->fault_write = broken;
    } else if (unknown != UINT32_MAX) {
        v->fault = is_unwritten(v, unknown) ? FAULT_UNWRITTEN : FAULT_UNKNOWN;
        v->fault_write = unknown;
    } else if (foreign != UINT32_MAX) {
        bool kept = only_brings(v, foreign);
        v->fault = kept ? FAULT_KEPT : FAULT_FOREIGN;
        v->fault_write = kept ? steps_last_write(v, v->first_wrong) : foreign;
    } else {
        find_last_word(v);
    }
}
