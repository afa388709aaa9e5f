/* SPDX-License-Identifier: MIT
 *
 * steps_words.c: the first wrong step in words, and the places that it names.
 */
#include <inttypes.h>
#include <string.h>

#include "clean_text.h"
#include "steps_parts.h"
#include "translate.h"

bool steps_is_wrong(const struct steps_view *v, uint32_t write) {
    const struct vgpu_write *w = &v->seen.writes[write];
    if (v->fault && v->fault != FAULT_NO_WRITE && write == v->fault_write)
        return true;
    if (v->leads && v->leads[write] && w->writer != VGPU_WRITER_BEFORE &&
        v->contents[write].state == CONTENT_BROKEN)
        return true;
    if ((int32_t)w->array != v->out_array) return false;
    size_t k = w->at / (4 * v->n_words);
    return k < v->n_expected && steps_last_write(v, k) == write &&
           memcmp(v->got + k * v->n_words, v->expected + k * v->n_words,
                  v->n_words * 4) != 0;
}

void steps_add_cell(struct text *t, const struct steps_view *v, uint32_t k) {
    const struct vgpu_write *w = &v->seen.writes[k];
    steps_array_name(t, v, w->array);
    text_add(t, "[%" PRIu32 "]", w->at / steps_cell_bytes(v, w->array));
}

/* What the guilty read found, and what it should have. */
static void add_guilty(struct text *t, const struct steps_view *v) {
    const struct vgpu_read *r = &v->seen.reads[v->guilty.read];
    const struct vgpu_write *other = &v->seen.writes[v->guilty.other];
    char found[ELEMENT_TEXT];
    struct text place = {0};
    steps_value(v, r->write, found);
    steps_add_place(&place, v, other->place);
    text_add(t, _(" It read %s from "), found);
    steps_add_cell(t, v, r->write);
    text_add(
        t,
        v->guilty.guilt == GUILT_LATE
            ? _(", after thread %" PRIu32 " of block %" PRIu64
                " had overwritten it%s%s%s; without that it is %s.")
        : v->guilty.guilt == GUILT_EARLY
            ? _(", before thread %" PRIu32 " of block %" PRIu64
                " wrote to it%s%s%s; behind that it is %s.")
            : _(", which is older than what thread %" PRIu32
                " of block %" PRIu64 " had stored there%s%s%s; that is %s."),
        other->thread, v->seen.steps[other->step].block, place.size ? " (" : "",
        text_string(&place), place.size ? ")" : "", v->guilty.honest);
    text_free(&place);
}

static void add_due(struct text *t, const struct steps_view *v, size_t k) {
    size_t first, end;
    char value[ELEMENT_TEXT];
    if (!v->contents) {
        element_print(signature_element(v->signature, BUFFER_OUT),
                      v->expected + k * v->n_words, value);
        text_add(t, _("; out[%zu] is to be %s"), k, value);
        return;
    }
    steps_due(v, k, &first, &end);
    text_add(t, _("; out[%zu] is to be the sum of "), k);
    if (end == 0)
        text_add(t, "%s", _("no input"));
    else if (end - first == 1)
        text_add(t, "in[%zu]", first);
    else
        text_add(t, "in[%zu..%zu]", first, end - 1);
}

const struct vgpu_place *steps_fault_place(const struct steps_view *v) {
    if (!v->fault || v->fault == FAULT_NO_WRITE || v->answer_in) return NULL;
    const struct vgpu_write *w = &v->seen.writes[v->fault_write];
    bool known = w->writer != VGPU_WRITER_COPY &&
                 w->writer != VGPU_WRITER_FILL && w->place < v->seen.n_places;
    return known ? &v->seen.places[w->place] : NULL;
}

const struct vgpu_place *steps_fault_maker(const struct steps_view *v) {
    const struct vgpu_place *stored = steps_fault_place(v);
    uint32_t made = stored ? v->seen.writes[v->fault_write].made : 0;
    return made && made <= v->seen.n_places ? &v->seen.places[made - 1] : NULL;
}

const struct vgpu_steps_launch *steps_fault_launch(const struct steps_view *v) {
    uint32_t n = 0;
    if (v->fault != FAULT_NO_WRITE && !v->answer_in) return NULL;
    for (uint32_t k = 0; k < v->seen.n_writes; k++) {
        const struct vgpu_write *w = &v->seen.writes[k];
        bool there = !v->answer_in || w->array == v->answer_in - 1;
        bool of_kernel =
            w->writer >= VGPU_WRITER_STORE && w->writer <= VGPU_WRITER_SHUFFLE;
        if (there && of_kernel) n = v->seen.steps[w->step].launch;
    }
    return n && n <= v->seen.n_launches ? &v->seen.launches[n - 1] : NULL;
}

/* "from s[3] and s[7]": what the value was computed from. */
static void add_cells(struct text *t, const struct steps_view *v,
                      const struct vgpu_write *w) {
    enum { MOST = 4 };
    for (uint32_t f = 0; f < w->n_feeds && f < MOST; f++) {
        text_add(t, "%s",
                 f == 0                ? _(", from ")
                 : f + 1 == w->n_feeds ? _(" and ")
                                       : ", ");
        steps_add_cell(t, v, v->seen.feeds[w->feed + f].write);
    }
    if (w->n_feeds > MOST)
        text_add(t, _(" and %zu more"), (size_t)w->n_feeds - MOST);
}

/* Which step had brought it, and that none has changed it. */
static void add_kept(struct text *t, const struct steps_view *v) {
    uint32_t from = steps_maker_of(v, v->fault_write);
    text_add(t, _(", which step %" PRIu32 " brought into "),
             v->frame_of[from] + 1);
    steps_add_cell(t, v, from);
    text_add(t, "%s", _(" and no step has changed since"));
    add_due(t, v, v->fault_cell);
}

/* What it has to do with the wrong output. */
static void add_output(struct text *t, const struct steps_view *v) {
    if (v->fault == FAULT_KEPT) add_kept(t, v);
    if (v->fault == FAULT_SWAPPED) {
        text_add(t,
                 _(", two values joined the wrong way round: that of inputs "
                   "%" PRIu32 " to %" PRIu32 ", and that of %" PRIu32
                   " to %" PRIu32 ", which come first"),
                 v->swapped.first2, v->swapped.last2, v->swapped.first,
                 v->swapped.last);
        add_due(t, v, v->first_wrong);
    }
    if (v->fault == FAULT_LACKS)
        text_add(t, "%s",
                 v->contents ? _(", and nothing is added to it later")
                             : _(", which stays there"));
    if (v->fault == FAULT_FOREIGN)
        text_add(t, _(", which goes into out[%zu]"), v->fault_cell);
    if (v->fault == FAULT_LACKS || v->fault == FAULT_FOREIGN)
        add_due(t, v, v->fault_cell);
}

/* The line that calls join(a, b) decides which operand stands first. */
static void add_joined(struct text *t, const struct steps_view *v) {
    const struct vgpu_place *p = steps_fault_maker(v);
    if (!p) p = steps_fault_place(v);
    if (!p || !p->file) return;
    clean_add(t, p->file, 60);
    text_add(t, ":%" PRIu32, p->called ? p->called : p->line);
}

void steps_fault_words(struct text *t, const struct steps_view *v) {
    char value[ELEMENT_TEXT];
    if (v->fault == FAULT_NONE) return;
    if (v->fault == FAULT_NO_WRITE)
        text_add(t, _("No thread ever writes out[%zu]"), v->fault_cell);
    if (v->answer_in) {
        text_add(t, "%s",
                 v->fault == FAULT_NO_WRITE
                     ? _("; all of the answer stands in ")
                     : _("All of the answer stands in "));
        steps_array_name(t, v, v->answer_in - 1);
        text_add(t, "%s", _(" in the end, but not in out"));
    }
    if (v->fault == FAULT_NO_WRITE || v->answer_in) {
        text_add(t, ".");
        return;
    }
    const struct vgpu_write *w = &v->seen.writes[v->fault_write];
    const struct content *c = v->contents ? &v->contents[v->fault_write] : NULL;
    steps_value(v, v->fault_write, value);
    text_add(t,
             v->fault == FAULT_RACE
                 ? _("The first damaged step is %" PRIu32 ": ")
                 : _("The first wrong step is %" PRIu32 ": "),
             v->frame_of[v->fault_write] + 1);
    steps_add_cell(t, v, v->fault_write);
    text_add(t, _(" becomes %s"), value);
    if (v->fault == FAULT_UNKNOWN)
        text_add(t, "%s", _(", which is no sum of inputs"));
    if (v->fault == FAULT_UNWRITTEN)
        text_add(t, "%s", _(", made of a cell that nobody has written"));
    if (c && v->fault != FAULT_UNKNOWN && v->fault != FAULT_UNWRITTEN &&
        c->state != CONTENT_UNKNOWN) {
        text_add(t, "%s",
                 c->state == CONTENT_EMPTY ? ", " : _(", the sum of "));
        steps_content(t, c);
    }
    add_output(t, v);
    if (w->writer != VGPU_WRITER_COPY && w->writer != VGPU_WRITER_FILL) {
        text_add(t, _(" (thread %" PRIu32 " of block %" PRIu64), w->thread,
                 v->seen.steps[w->step].block);
        struct text place = {0};
        if (v->fault == FAULT_SWAPPED)
            add_joined(&place, v);
        else
            steps_add_place(&place, v, w->place);
        if (place.size) text_add(t, ", %s", place.bytes);
        text_free(&place);
        add_cells(t, v, w);
        text_add(t, ")");
    }
    text_add(t, ".");
    if (v->fault == FAULT_RACE) add_guilty(t, v);
}
