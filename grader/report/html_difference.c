/* SPDX-License-Identifier: MIT
 *
 * html_difference.c: input, expected and got around the first difference.
 */
#include <string.h>

#include "html_parts.h"
#include "translate.h"
#include "words.h"

bool html_has_difference(const struct check_result *r) {
    const struct diagnosis *d = r->outcome.difference;
    return d && d->count && d->element != ELEMENT_none &&
           (d->window.n_expected || d->window.n_got);
}

/* i-th element of a column; "" behind its end. */
static void cell(enum element e, const int32_t *words, size_t n, size_t i,
                 char text[ELEMENT_TEXT]) {
    *text = '\0';
    if (i < n && e != ELEMENT_none)
        element_print(e, words + i * element_words(e), text);
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

static void row(struct html *h, const struct diagnosis *d, size_t i) {
    const struct window *w = &d->window;
    char in[ELEMENT_TEXT], expected[ELEMENT_TEXT], got[ELEMENT_TEXT];
    cell(d->in_element, w->in, w->n_in, i, in);
    cell(d->element, w->expected, w->n_expected, i, expected);
    cell(d->element, w->got, w->n_got, i, got);
    html_add(h, "<tr><th scope=\"row\">[%zu]</th><td>%s</td><td>%s</td>",
             w->from + i, in, expected);
    if (!is_wrong(d, i)) {
        html_add(h, "<td>%s</td></tr>\n", got);
        return;
    }
    const char *state = w->from + i != d->first         ? ""
                        : d->state == FIRST_NOT_WRITTEN ? _(" (not written)")
                        : d->state == FIRST_UNSET       ? _(" (unset memory)")
                                                        : "";
    html_add(h,
             "<td><mark>%s<span class=\"sign\"> %s</span></mark>%s</td>"
             "</tr>\n",
             got, _("wrong"), state);
}

void html_difference(struct html *h, const struct html_check *c) {
    const struct diagnosis *d = c->result->outcome.difference;
    const struct window *w = &d->window;
    size_t n = w->n_expected > w->n_got ? w->n_expected : w->n_got;
    struct text with = {0};
    if (c->result->outcome.tried.function)
        words_case(&with, &c->result->outcome.tried);
    html_add(h, "<div class=\"wide\"><table class=\"numbers\"><caption>");
    html_add(h,
             _("The %s around the first wrong element%s%s. %zu of %zu differ."),
             d->two ? words_buffer(d) : _("output"), with.size ? ", " : "",
             text_string(&with), d->count, d->compared);
    html_add(h,
             "</caption>\n"
             "<thead><tr><th scope=\"col\">%s</th><th scope=\"col\">in</th>"
             "<th scope=\"col\">%s</th><th scope=\"col\">%s</th></tr>"
             "</thead>\n<tbody>\n",
             _("index"), _("expected"), _("got"));
    text_free(&with);
    for (size_t i = 0; i < n; i++) row(h, d, i);
    html_add(h, "</tbody></table></div>\n");
}
