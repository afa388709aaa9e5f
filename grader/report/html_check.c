/* SPDX-License-Identifier: MIT
 *
 * html_check.c: what pages show of a check besides what its JSON has: what
 * stands on top, in which rows the rest, and its large parts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "html_parts.h"
#include "json_parts.h"
#include "steps_picture.h"
#include "translate.h"
#include "words.h"

enum { AROUND = 3 }; /* steps before and behind the first wrong one */

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static const char *verdict_of(const struct check_result *r) {
    return check_is_todo(r)           ? "todo"
           : r->status == STATUS_PASS ? "pass"
           : r->status == STATUS_FAIL ? "fail"
                                      : "skip";
}

char *html_check_id(const struct lab_result *lab,
                    const struct check_result *r) {
    return text_format("%s-%s", lab->lab->id, r->check->id);
}

static json_t *own_sentence(char *text) {
    return html_own(text, HTML_SENTENCES);
}

/* ---- words ---- */

/* What broke its bounds, without the numbers: they stand in the table. */
static char *broken(const struct check_result *r) {
    struct text t = {0};
    if (r->outcome.kind != OUTCOME_BOUND) return NULL;
    for (size_t i = 0; i < r->measured.n_bounds; i++) {
        const struct bound_count *b = &r->measured.bounds[i];
        if (!b->holds && b->known)
            text_add(&t, _("%s%s is %s"), t.size ? ", " : "",
                     vgpu_counter_name((vgpu_counter)b->bound->counter),
                     words_verdict(b));
    }
    return t.bytes;
}

/* On top stands the plainest sentence that is known; the rest in rows. */
static void add_what(json_t *view, const struct html_check *c) {
    char *message = words_message(c->result), *rest = words_cut(message);
    const struct check_result *same = words_same(c->lab, c->result);
    char *top = same ? NULL : words_cause(c->result);
    if (!same && !top) top = broken(c->result);
    struct {
        const char *name;
        char *text;
    } rows[] = {
        {_("lost"), words_lost(c->result)},
        {_("what"), top && message ? strdup(message) : NULL},
        {_("cause"),
         same ? text_format(_("The same as in %s."), same->check->id) : NULL},
        {_("about"), same ? NULL : words_about(c->result)},
        {_("where"), words_where(c->result)},
        {_("more"),
         rest && !(same && c->result->outcome.finding) ? strdup(rest) : NULL},
        {_("written"), same ? NULL : words_writer(c->result)}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].text && *rows[i].text)
            json_array_append_new(
                list, json_pack("[s, o]", rows[i].name,
                                html_text(rows[i].text, HTML_SENTENCES)));
        free(rows[i].text);
    }
    set(view, "what", own_sentence(top ? top : message));
    set(view, "repair", own_sentence(words_repair(c->result, true)));
    set(view, "rows", list);
    set(view, "same", json_boolean(same));
    if (top) free(message);
}

/* Why a check was skipped, and whether its line says all. */
static void add_why(json_t *view, const struct check_result *r) {
    char *message = r->status == STATUS_SKIP ? words_message(r) : NULL;
    set(view, "says_all",
        json_boolean(message && strlen(message) <= HTML_NAME));
    set(view, "why", html_own(message, HTML_NAME));
}

/* ---- the difference: as text, because a script's numbers are not exact ----
 */

static json_t *cell(enum element e, const int32_t *words, size_t n, size_t i) {
    char text[ELEMENT_TEXT] = "";
    if (i < n && e != ELEMENT_none)
        element_print(e, words + i * element_words(e), text);
    return json_text(text);
}

/* Sums of floating point may differ in their last bits and be right. */
static bool is_wrong(const struct diagnosis *d, size_t i) {
    const struct window *w = &d->window;
    size_t words = element_words(d->element);
    if (w->from + i == d->first) return true;
    if (i >= w->n_expected || i >= w->n_got) return i < w->n_got;
    return d->element != ELEMENT_f32 && d->element != ELEMENT_f64 &&
           memcmp(w->expected + i * words, w->got + i * words,
                  words * sizeof *w->got) != 0;
}

/* Index, in, expected, got; and of a wrong one what is said behind it. */
static json_t *row(const struct diagnosis *d, size_t i) {
    const struct window *w = &d->window;
    const char *state = w->from + i != d->first         ? ""
                        : d->state == FIRST_NOT_WRITTEN ? _(" (not written)")
                        : d->state == FIRST_UNSET       ? _(" (unset memory)")
                                                        : "";
    return json_pack("[I, o, o, o, o]", (json_int_t)(w->from + i),
                     cell(d->in_element, w->in, w->n_in, i),
                     cell(d->element, w->expected, w->n_expected, i),
                     cell(d->element, w->got, w->n_got, i),
                     is_wrong(d, i) ? json_string(state) : json_null());
}

static json_t *difference(const struct html_check *c) {
    const struct outcome *o = &c->result->outcome;
    const struct diagnosis *d = o->difference;
    if (!d || !d->count || d->element == ELEMENT_none ||
        (!d->window.n_expected && !d->window.n_got))
        return json_null();
    const struct window *w = &d->window;
    size_t n = w->n_expected > w->n_got ? w->n_expected : w->n_got;
    struct text with = {0};
    json_t *rows = json_array();
    if (o->tried.function) words_case(&with, &o->tried);
    char *caption = text_format(
        _("The %s around the first wrong element%s%s. %zu of %zu differ."),
        d->two ? words_buffer(d) : _("output"), with.size ? ", " : "",
        text_string(&with), d->count, d->compared);
    text_free(&with);
    for (size_t i = 0; i < n; i++) json_array_append_new(rows, row(d, i));
    return json_pack("{s:o, s:o}", "caption", own_sentence(caption), "rows",
                     rows);
}

/* ---- other parts ---- */

static json_t *trace(const struct html_check *c) {
    const struct outcome *o = &c->result->outcome;
    const struct steps_view *v = o->steps ? o->steps : o->drawn;
    if (!v) return json_null();
    char *command = words_trace(c->grade, c->lab, c->result);
    char *all = text_format("%s -o steps.html", command ? command : "");
    free(command);
    return json_pack(
        "{s:o, s:I, s:o, s:o, s:o}", "function", json_text(v->function), "n",
        (json_int_t)v->n, "lists", html_steps_lists(v), "steps",
        html_steps_replay(v, AROUND, c->grade), "command", own_sentence(all));
}

/* Beside each bound: what its counter means, and how the count is. */
static json_t *bounds(const struct measured *m) {
    json_t *list = json_array();
    for (size_t i = 0; i < m->n_bounds; i++) {
        vgpu_counter counter = (vgpu_counter)m->bounds[i].bound->counter;
        json_array_append_new(list, json_pack("{s:s, s:s}", "means",
                                              _(vgpu_counter_text(counter)),
                                              "verdict",
                                              words_verdict(&m->bounds[i])));
    }
    return list;
}

static void add_measured(json_t *view, const struct html_check *c) {
    const struct measured *m = &c->result->measured;
    struct text with = {0};
    if (m->tried.function) words_case(&with, &m->tried);
    set(view, "tried",
        with.size ? html_text(with.bytes, HTML_SENTENCES) : json_null());
    text_free(&with);
    set(view, "bounds", bounds(m));
    set(view, "detail",
        m->ratio ? own_sentence(words_detail(c->result)) : json_null());
}

/* Which words of shared memory lie in one bank, access by access. */
static json_t *banks(const struct steps_view *v) {
    if (!v) return json_null();
    json_t *data = banks_data(v);
    if (data) json_object_set_new(data, "n", json_integer((json_int_t)v->n));
    return data;
}

static json_t *most_of_it(const struct html_check *c) {
    const struct source_view *v = c->result->outcome.hottest;
    if (!v) return json_null();
    json_t *table = html_hottest(v, c->grade->sources, c->grade->n_sources);
    set(table, "counter", json_text(vgpu_counter_name(v->by)));
    return table;
}

/* ---- memory that was kept ---- */

/* null where it is not known. */
static json_t *line_of(const struct html_check *c, const struct place *p) {
    if (!p->file) return json_null();
    return json_pack("{s:o, s:i, s:o}", "file",
                     html_text(p->file, HTML_SENTENCES), "line", (int)p->line,
                     "text", html_line(c->grade, p->file, p->line));
}

static json_t *lives(const struct html_check *c) {
    const struct lives *l = c->result->outcome.lives;
    if (!l) return json_null();
    json_t *rows = json_array();
    for (size_t i = 0; i < l->n; i++) {
        const struct life *one = &l->list[i];
        json_array_append_new(rows,
                              json_pack("{s:o, s:o, s:b, s:I, s:I}", "made",
                                        line_of(c, &one->made), "freed",
                                        line_of(c, &one->freed), "is_freed",
                                        one->is_freed, "n", (json_int_t)one->n,
                                        "bytes", (json_int_t)one->bytes));
    }
    return json_pack("{s:o, s:I}", "rows", rows, "left_out",
                     (json_int_t)l->left_out);
}

/* The lines that a finding names, as they were compiled: number and text. */
static json_t *lines_named(const struct html_check *c) {
    const struct outcome *o = &c->result->outcome;
    json_t *lines = json_object();
    char number[24];
    if (!o->finding || !o->place.file) return lines;
    const struct vgpu_message *m = &o->finding->message;
    for (size_t k = 0; k <= m->n_values; k++) {
        bool is_line = k < m->n_values && m->values[k].type == VGPU_TYPE_LINE &&
                       !m->values[k].is_absent;
        uint64_t line = k == m->n_values ? o->place.line
                        : is_line        ? m->values[k].number
                                         : 0;
        if (!line || line > UINT32_MAX) continue;
        snprintf(number, sizeof number, "%u", (unsigned)line);
        set(lines, number, html_line(c->grade, o->place.file, (unsigned)line));
    }
    return lines;
}

json_t *html_check_view(const struct html_check *c,
                        const struct html_room *room) {
    const struct check_result *r = c->result;
    const struct check_result *root = check_waits_for(c->lab, r);
    json_t *view =
        json_pack("{s:s, s:s, s:b}", "verdict", verdict_of(r), "piece",
                  verdict_of(root && check_is_todo(root) ? root : r), "knows",
                  words_knows(r));
    add_why(view, r);
    add_what(view, c);
    if (!html_has_room(room)) return view;
    set(view, "difference", difference(c));
    set(view, "trace", trace(c));
    set(view, "excerpts", html_excerpts(c, room));
    set(view, "lines", lines_named(c));
    set(view, "lives", lives(c));
    add_measured(view, c);
    set(view, "hottest", most_of_it(c));
    set(view, "banks", banks(r->outcome.banks));
    return view;
}
