/* SPDX-License-Identifier: MIT
 *
 * html_check.c: one check of the HTML report: a line, and below it the parts
 * that have something to say, in the order in which a reader wants them.
 */
#include <stdlib.h>
#include <string.h>

#include "html_cost.h"
#include "html_parts.h"
#include "translate.h"
#include "words.h"

const char *html_verdict(const struct check_result *r) {
    return check_is_todo(r)           ? N_("todo")
           : r->status == STATUS_PASS ? N_("pass")
           : r->status == STATUS_FAIL ? N_("fail")
                                      : N_("skip");
}

/* ---- parts made of words ---- */

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

/* On top stands the plainest sentence that is known. */
static void what(struct html *h, const struct html_check *c) {
    char *message = words_message(c->result), *rest = words_cut(message);
    const struct check_result *same = words_same(c->lab, c->result);
    char *top = same ? NULL : words_cause(c->result);
    char *short_of = same ? NULL : broken(c->result);
    h->failed |= !message;
    if (!top && short_of) top = text_format("%s", short_of);
    free(short_of);
    const char *first = top ? top : message;
    if (first && *first) html_add(h, "<p class=\"what\">%s</p>\n", first);
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
    free(top);
    free(message);
    bool any = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].text && *rows[i].text) {
            if (!any) html_add(h, "<dl>\n");
            any = true;
            html_add(h, "<dt>%s</dt><dd>%s</dd>\n", rows[i].name, rows[i].text);
        }
        free(rows[i].text);
    }
    if (any) html_add(h, "</dl>\n");
}

/* One at a time, as scanlab hint shows them. They belong to the check: where
 * more is known of this failure they stand last, and folded. */
static void hints(struct html *h, const struct html_check *c) {
    const struct lab_check *check = c->result->check;
    for (size_t i = 0; i < check->n_hints; i++)
        html_add(h,
                 _("<details class=\"hint\"><summary>Hint %zu of %zu</summary>"
                   "<p>%s</p></details>\n"),
                 i + 1, check->n_hints, check->hints[i]);
}

static void read_on(struct html *h, const struct html_check *c) {
    const char *read = words_read(c->result);
    if (read && strncmp(read, "README", 6) == 0)
        html_add(h, _("<p>Read on: <code>%s/%s</code></p>\n"),
                 c->lab->lab->folder, read);
    else if (read)
        html_add(h, _("<p>Read on: <code>%s</code></p>\n"), read);
}

static void reproduce(struct html *h, const struct html_check *c) {
    char *again = words_reproduce(c->grade, c->lab, c->result);
    if (again)
        html_add(h,
                 _("<p class=\"again\">Run only this check: <code>%s</code> "
                   "<button type=\"button\" class=\"copy\" "
                   "data-copied=\"Copied\" data-selected=\"Selected\" "
                   "hidden>Copy</button>"
                   "</p>\n"),
                 again);
    free(again);
}

static void trust(struct html *h, const struct html_check *c) {
    const char *words = words_trust(c->result);
    if (words) html_add(h, "<p class=\"note\">%s</p>\n", words);
}

/* ---- together ---- */

static bool failed(const struct html_check *c) {
    return c->result->status != STATUS_PASS;
}

static void passed(struct html *h, const struct html_check *c) {
    html_add(h, _("<p class=\"note\">Passed in %.2f s.</p>\n"),
             c->result->seconds);
}

static bool has_passed(const struct html_check *c) {
    return !failed(c);
}

static bool has_difference(const struct html_check *c) {
    return html_has_difference(c->result);
}

static bool has_counts(const struct html_check *c) {
    return html_has_counts(c->result);
}

static bool has_hottest(const struct html_check *c) {
    return c->result->outcome.hottest != NULL;
}

static void hottest(struct html *h, const struct html_check *c) {
    const struct source_view *v = c->result->outcome.hottest;
    html_add(h, _("<h3>Where the %s came from</h3>\n"),
             vgpu_counter_name(v->by));
    html_hottest(h, v, c->grade->sources, c->grade->n_sources, false);
}

static bool has_hints(const struct html_check *c) {
    return c->result->check->n_hints && c->result->status == STATUS_FAIL &&
           !c->lab->build_error;
}

static bool helps(const struct html_check *c) {
    return has_hints(c) && !words_knows(c->result);
}

static bool may_help(const struct html_check *c) {
    return has_hints(c) && words_knows(c->result);
}

static bool always(const struct html_check *c) {
    return c != NULL;
}

static const struct {
    const char *title; /* NULL: none */
    bool (*has)(const struct html_check *);
    void (*write)(struct html *, const struct html_check *);
    bool is_large; /* left out when the report is full */
} parts[] = {{NULL, failed, what, false},
             {NULL, has_passed, passed, false},
             {NULL, helps, hints, true},
             {NULL, has_difference, html_difference, true},
             {NULL, html_has_trace, html_trace, true},
             {NULL, html_has_source, html_source, true},
             {NULL, has_counts, html_counts, true},
             {NULL, has_hottest, hottest, true},
             {NULL, always, read_on, true},
             {NULL, failed, reproduce, false},
             {N_("General hints for this check"), may_help, hints, true},
             {NULL, always, trust, true}};

static void body(struct html *h, const struct html_check *c) {
    bool left_out = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].has(c)) continue;
        if (parts[i].is_large && !html_has_room(h)) {
            left_out = true;
            continue;
        }
        if (parts[i].title)
            html_add(h, "<details class=\"part\"><summary>%s</summary>\n",
                     _(parts[i].title));
        parts[i].write(h, c);
        if (parts[i].title) html_add(h, "</details>\n");
    }
    if (left_out)
        html_add(h, _("<p class=\"note\">More is left out, because this report "
                      "has reached its size: grade this lab alone.</p>\n"));
}

static void points(struct html *h, const struct check_result *r) {
    if (r->check->points)
        html_add(h, "<span class=\"points\">%s%d/%d</span>",
                 r->check->bonus ? _("bonus ") : "", r->score,
                 r->check->points);
    else
        html_add(h, _("<span class=\"points\">no points</span>"));
}

/* Why a check was skipped. */
static void why(struct html *h, const struct check_result *r) {
    if (r->status != STATUS_SKIP) return;
    char *message = words_message(r);
    html_add(h, " <span class=\"why\">");
    html_words(h, message, HTML_NAME);
    html_add(h, "</span>");
    free(message);
}

/* Has a check's row said all? */
static bool says_all(const struct check_result *r) {
    if (r->status != STATUS_SKIP) return false;
    char *message = words_message(r);
    bool all = message && strlen(message) <= HTML_NAME;
    free(message);
    return all;
}

void html_check(struct html *h, const struct html_check *c, bool open) {
    const struct check_result *r = c->result;
    const char *verdict = html_verdict(r);
    bool opens = !says_all(r);
    if (opens)
        html_add(h, "<details");
    else
        html_add(h, "<div");
    html_add(h, " class=\"check %s\" id=\"%s-%s\"%s>", verdict, c->lab->lab->id,
             r->check->id, open ? " open" : "");
    if (opens)
        html_add(h, "<summary>");
    else
        html_add(h, "<p class=\"row\">");
    html_add(h,
             "<span class=\"verdict\">%s</span> <span class=\"name\">"
             "<b>%s</b> <span class=\"title\">%s</span>",
             _(verdict), r->check->id, r->check->title);
    why(h, r);
    html_add(h, "</span> ");
    points(h, r);
    if (opens) {
        html_add(h, "</summary>\n<div class=\"body\">\n");
        body(h, c);
        html_add(h, "</div></details>\n");
    } else {
        html_add(h, "</p></div>\n");
    }
}
