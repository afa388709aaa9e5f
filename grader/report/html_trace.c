/* SPDX-License-Identifier: MIT
 *
 * html_trace.c: the steps of a failed check around the first wrong one.
 */
#include "html_parts.h"
#include "html_steps.h"
#include "translate.h"
#include "words.h"

enum { AROUND = 3 }; /* steps before and behind the first wrong one */

bool html_has_trace(const struct html_check *c) {
    return c->result->outcome.steps != NULL;
}

void html_trace(struct html *h, const struct html_check *c) {
    const struct steps_view *v = c->result->outcome.steps;
    html_add(h,
             _("<h3>Step by step</h3>\n<p>%s called on %zu small "
               "numbers:</p>\n"),
             v->function ? v->function : _("It"), v->n);
    steps_html_lists(h, v);
    struct text id = {0};
    text_add(&id, "%s-%s-step", c->lab->lab->id, c->result->check->id);
    html_steps(h, v, text_string(&id), AROUND);
    text_free(&id);
    html_add(h, _("<p class=\"note\">All of it: <code>"));
    html_own(h, words_trace(c->grade, c->lab, c->result));
    html_add(h, " -o steps.html</code></p>\n");
}
