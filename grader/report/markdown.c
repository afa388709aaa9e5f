/* SPDX-License-Identifier: MIT
 *
 * markdown.c: a page for the file that GitHub Actions names in
 * GITHUB_STEP_SUMMARY: a table for each lab, and folded below it what failed.
 * Words of a submission stand escaped in <pre>. GitHub takes 1 MiB: beyond
 * that, a sentence says that more is left out.
 */
#include <stdlib.h>

#include "feedback.h"
#include "formats.h"
#include "translate.h"

enum { ROOM = 900000 };

/* In <pre> no character but these means anything; a row of a table ends at |,
 * and lines that are empty would end the markup. */
static void escape(struct text *t, const char *text) {
    for (; *text; text++)
        if (*text == '<')
            text_add(t, "&lt;");
        else if (*text == '>')
            text_add(t, "&gt;");
        else if (*text == '&')
            text_add(t, "&amp;");
        else if (*text == '|')
            text_add(t, "&#124;");
        else
            text_add(t, "%c", *text);
}

static void folded(struct text *t, const char *summary, struct text *said) {
    if (said->size && t->size + said->size > ROOM) {
        text_add(t,
                 _("%s: more is left out, this page has reached its size.\n\n"),
                 summary);
    } else if (said->size) {
        text_add(t, "<details><summary>%s</summary><pre>\n", summary);
        escape(t, text_string(said));
        text_add(t, "</pre></details>\n\n");
    }
    text_free(said);
}

static void table(struct text *t, const struct lab_result *lab) {
    text_add(t, "| | %s | | %s |\n|-|-|-|-:|\n", _("check"), _("points"));
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *r = &lab->checks[i];
        text_add(t, "| %s | `%s` | ", feedback_verdict(r), r->check->id);
        escape(t, r->check->title);
        text_add(t, " | %s%d/%d |\n", r->check->bonus ? _("bonus ") : "",
                 r->score, r->check->points);
    }
    text_add(t, "\n");
}

static void one_lab(struct text *t, const struct grade *grade,
                    const struct lab_result *lab) {
    struct text said = {0};
    text_add(t, _("## Lab %d %s: %d/%d\n\n"), lab->lab->number, lab->lab->id,
             lab->score, lab->max_score);
    table(t, lab);
    feedback_lab(&said, lab);
    folded(t, _("compiler and output"), &said);
    for (size_t i = 0; i < lab->n_checks && !lab->build_error; i++) {
        const struct check_result *r = &lab->checks[i];
        if (r->status != STATUS_FAIL) continue;
        struct text summary = {0}, more = {0};
        text_add(&summary, "%s <code>%s</code>", feedback_verdict(r),
                 r->check->id);
        feedback_check(&more, grade, lab, r);
        folded(t, text_string(&summary), &more);
        text_free(&summary);
    }
}

bool write_markdown(FILE *stream, const struct grade *grade,
                    const struct report_options *options) {
    struct text t = {0}, head = {0};
    (void)options;
    feedback_head(&head, grade);
    text_add(&t, "# ScanLab: ");
    escape(&t, text_string(&head));
    text_add(&t, "\n");
    text_free(&head);
    for (size_t i = 0; i < grade->n_labs; i++)
        one_lab(&t, grade, &grade->labs[i]);
    while (t.size && t.bytes[t.size - 1] == '\n') text_cut(&t, t.size - 1);
    bool good = t.size && fprintf(stream, "%s\n", t.bytes) > 0;
    text_free(&t);
    return good;
}
