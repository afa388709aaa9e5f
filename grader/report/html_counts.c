/* SPDX-License-Identifier: MIT
 *
 * html_counts.c: what was counted beside its bounds, and a measured ratio. Bars
 * are for the eye: the numbers beside them say the same.
 */
#include <inttypes.h>

#include "html_parts.h"
#include "translate.h"
#include "words.h"

enum { BAR = 100 }; /* width of a bar in its own units */

bool html_has_counts(const struct check_result *r) {
    return r->measured.n_bounds || r->measured.ratio;
}

/* value beside bound, on one scale, which ends at the larger one. */
static void bar(struct html *h, double value, double bound, bool holds) {
    double most = value > bound ? value : bound;
    if (!(most > 0)) most = 1;
    double at = BAR * bound / most;
    html_add(h,
             "<svg class=\"bar\" viewBox=\"0 0 %d 10\" "
             "preserveAspectRatio=\"none\" aria-hidden=\"true\">"
             "<rect class=\"rest\" width=\"%d\" height=\"10\"/>"
             "<rect class=\"%s\" width=\"%.2f\" height=\"10\"/>"
             "<rect class=\"limit\" x=\"%.2f\" width=\"1\" height=\"10\"/>"
             "</svg>",
             BAR, BAR, holds ? "pass" : "fail", BAR * value / most,
             at < BAR - 1 ? at : BAR - 1);
}

/* The formula, and below it what its variables are; a number says enough. */
static void formula(struct html *h, const struct measured *m,
                    const struct formula *limit) {
    bool any = false;
    for (size_t v = 0; v < formula_n_variables(); v++) {
        if (!formula_uses(limit, v)) continue;
        if (any)
            html_add(h, ", ");
        else
            html_add(h, "<small>%s</small><small>", formula_text(limit));
        html_add(h, "%s = %" PRId64, formula_variable_name(v),
                 formula_variable_value(&m->env, v));
        any = true;
    }
    if (any) html_add(h, "</small>");
}

static void count_row(struct html *h, const struct measured *m,
                      const struct bound_count *b) {
    vgpu_counter counter = (vgpu_counter)b->bound->counter;
    html_add(h,
             "<tr><th scope=\"row\">%s<small>%s</small></th>"
             "<td class=\"%s\">%" PRIu64 "</td><td>%s ",
             vgpu_counter_name(counter), _(vgpu_counter_text(counter)),
             b->holds ? "pass" : "fail", b->count,
             formula_compare_sign(b->bound->compare));
    if (b->known)
        html_add(h, "%" PRId64, b->limit);
    else
        html_add(h, "?");
    formula(h, m, b->bound->limit);
    html_add(h, "</td><td>");
    if (b->known) bar(h, (double)b->count, (double)b->limit, b->holds);
    html_add(h, "<small>%s</small></td></tr>\n", words_verdict(b));
}

static void ratio_row(struct html *h, const struct ratio *r) {
    bool holds = r->median >= r->asked || r->noisy;
    html_add(h,
             _("<tr><th scope=\"row\">throughput<small>times that of %s</small>"
               "</th><td class=\"%s\">%.3f</td><td>&gt;= %g"),
             r->baseline, holds ? "pass" : "fail", r->median, r->asked);
    if (r->full > 0)
        html_add(h, _("<small>all points from %g on</small>"), r->full);
    html_add(h, "</td><td>");
    bar(h, r->median, r->asked, holds);
    html_add(h, "</td></tr>\n");
}

void html_counts(struct html *h, const struct html_check *c) {
    const struct measured *m = &c->result->measured;
    struct text with = {0};
    if (m->tried.function) words_case(&with, &m->tried);
    html_add(h,
             "<div class=\"wide\"><table "
             "class=\"counts\"><caption>%s%s%s</caption>\n"
             "<thead><tr><th scope=\"col\">%s</th>"
             "<th scope=\"col\">%s</th><th scope=\"col\">%s</th>"
             "<th scope=\"col\">%s</th></tr></thead>\n<tbody>\n",
             m->ratio ? _("Timed") : _("Counted"), with.size ? _(" at ") : "",
             text_string(&with), _("what"), _("count"), _("bound"), _("ratio"));
    text_free(&with);
    for (size_t i = 0; i < m->n_bounds; i++) count_row(h, m, &m->bounds[i]);
    if (m->ratio) ratio_row(h, m->ratio);
    html_add(h, "</tbody></table></div>\n");
    if (!m->ratio) return;
    html_add(h, "<p class=\"note\">");
    html_own(h, words_detail(c->result));
    html_add(h, "</p>\n");
}
