/* SPDX-License-Identifier: MIT
 *
 * html.c: a grade as one page for a browser, which works offline: score and
 * progress over the labs, what is known of the walls, each lab with its checks.
 * The first failure is open, the rest folded. docs/architecture.md, "The HTML
 * report".
 */
#include <inttypes.h>
#include <stdlib.h>

#include "formats.h"
#include "html_parts.h"
#include "translate.h"
#include "words.h"

/* ---- progress ---- */

static const char *const verdicts[] = {"pass", "fail", "skip", "todo"};
enum { N_VERDICTS = sizeof verdicts / sizeof *verdicts };

static void count(const struct lab_result *lab, size_t n[N_VERDICTS]) {
    for (size_t i = 0; i < lab->n_checks; i++)
        for (size_t v = 0; v < N_VERDICTS; v++)
            n[v] += html_verdict(&lab->checks[i]) == verdicts[v];
}

/* "12 passed, 1 failed, 3 to do" */
static void counts(struct html *h, const size_t n[N_VERDICTS]) {
    static const char *const words[N_VERDICTS] = {N_("passed"), N_("failed"),
                                                  N_("skipped"), N_("to do")};
    const char *between = "";
    for (size_t v = 0; v < N_VERDICTS; v++) {
        if (!n[v]) continue;
        html_add(h, "%s%zu %s", between, n[v], _(words[v]));
        between = ", ";
    }
}

/* A check's share of its lab's bar. */
static int share(const struct check_result *r) {
    enum { LEAST = 2 }; /* of one without points */
    return r->check->points > LEAST ? r->check->points : LEAST;
}

/* In a bar, what waits for a stub is to do as well. */
static const char *piece(const struct lab_result *lab,
                         const struct check_result *r) {
    const struct check_result *root = check_waits_for(lab, r);
    return html_verdict(root && check_is_todo(root) ? root : r);
}

/* A bar with a piece for each check, as wide as its points. */
static void bar(struct html *h, const struct lab_result *lab) {
    int width = 0, at = 0;
    for (size_t i = 0; i < lab->n_checks; i++) width += share(&lab->checks[i]);
    html_add(h,
             "<svg class=\"bar\" viewBox=\"0 0 %d 10\" "
             "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
             width ? width : 1);
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *r = &lab->checks[i];
        double gap = 0.006 * width;
        html_add(h,
                 "<rect class=\"%s\" x=\"%d\" width=\"%.2f\" height=\"10\">"
                 "<title>%s: %s</title></rect>",
                 piece(lab, r), at, share(r) - gap, r->check->id,
                 _(html_verdict(r)));
        at += share(r);
    }
    html_add(h, "</svg>");
}

static void ladder(struct html *h, const struct grade *grade) {
    html_add(h, "<nav aria-label=\"%s\"><ol class=\"ladder\">\n", _("Labs"));
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        size_t n[N_VERDICTS] = {0};
        count(lab, n);
        html_add(h,
                 "<li><a href=\"#lab-%s\"><span class=\"number\">%d</span> "
                 "<span class=\"name\">%s</span> ",
                 lab->lab->id, lab->lab->number, lab->lab->id);
        html_add(h, "<span class=\"points\">");
        html_own(h, words_points(lab->score, lab->max_score, lab_bonus(lab)));
        html_add(h, "</span> ");
        bar(h, lab);
        html_add(h, " <small>");
        if (n[STATUS_PASS] || n[STATUS_FAIL])
            counts(h, n);
        else
            html_add(h, _("not begun, %zu checks"), lab->n_checks);
        html_add(h, "</small></a></li>\n");
    }
    html_add(h, "</ol></nav>\n");
}

/* ---- head ---- */

static void where_to_look(struct html *h, const struct grade *grade) {
    const struct check_result *first = grade_first_failure(grade);
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        if (lab->build_error)
            html_add(h, _("<a href=\"#lab-%s\">%s does not compile</a>. "),
                     lab->lab->id, lab->lab->source);
        for (size_t k = 0; k < lab->n_checks; k++)
            if (&lab->checks[k] == first)
                html_add(h, "<a href=\"#%s-%s\">%s: %s, %s</a>. ", lab->lab->id,
                         first->check->id,
                         check_is_todo(first) ? _("To do first")
                                              : _("First failure"),
                         lab->lab->id, first->check->id);
    }
}

/* live.js says in the first line what it knows of the next page. */
static void live(struct html *h, const struct grade *grade, uint64_t number) {
    html_add(h,
             _("<p id=\"live\" class=\"note\" role=\"status\" "
               "data-version=\"%" PRIu64 "\">Without scripts: load this page "
               "again after the next grade.</p>\n"),
             number);
    html_add(h, "<p class=\"note\">%s</p>\n",
             grade->n_labs
                 ? _("Each lab is graded up to its first failure.")
                 : _("Nothing has been graded yet: save a lab's file."));
}

static void score(struct html *h, const struct grade *grade) {
    size_t n[N_VERDICTS] = {0};
    char *device = words_device(grade);
    for (size_t i = 0; i < grade->n_labs; i++) count(&grade->labs[i], n);
    int bonus = grade_bonus(grade);
    html_add(h, _("<p class=\"score\"><strong>%d</strong> of %d points"),
             grade->score - bonus, grade->max_score);
    if (bonus) html_add(h, _(" and %d bonus"), bonus);
    html_add(h, "</p>\n<p>");
    counts(h, n);
    html_add(h, ". ");
    where_to_look(h, grade);
    html_add(h, "</p>\n<p class=\"note\"><b>");
    html_words(h, grade->submission, HTML_NAME);
    html_add(h, _("</b> on %s, seed %" PRIu64 ", %.1f s</p>\n"), device,
             grade->seed, grade->seconds);
    h->failed |= !device;
    free(device);
}

static void head(struct html *h, const struct grade *grade, uint64_t number) {
    html_add(h, "<header>\n<h1>ScanLab</h1>\n");
    if (grade->n_labs || !number) score(h, grade);
    if (number) live(h, grade, number);
    html_add(h,
             "<button type=\"button\" id=\"theme\" data-words=\"%s\" hidden>"
             "%s</button>\n</header>\n",
             _("Theme: system|Theme: light|Theme: dark"), _("Theme"));
}

static void walls(struct html *h, const struct grade *grade) {
    char *missing = walls_missing(&grade->walls_of_build, &grade->walls_of_run);
    if (missing)
        html_add(h, _("<p class=\"missing\">Walls are missing %s</p>\n"),
                 missing);
    html_add(h, "<details class=\"walls\"><summary>%s</summary><p>",
             missing ? _("All walls")
                     : _("All walls that were asked for were in place"));
    html_own(h, walls_words(grade));
    html_add(h, "</p></details>\n");
    free(missing);
}

/* ---- a lab ---- */

static void quoted(struct html *h, const char *title, const char *source,
                   const char *text) {
    if (!text || !*text) return;
    html_add(h,
             "<section class=\"quoted\"><h3>%s %s</h3>\n"
             "<pre tabindex=\"0\">",
             source, title);
    html_words(h, text, html_has_room(h) ? HTML_LINES_BYTES : HTML_NAME);
    html_add(h, "</pre></section>\n");
}

/* Something failed here, or this is where to begin. */
static bool is_open(const struct lab_result *lab,
                    const struct check_result *first) {
    bool open = lab->build_error != NULL;
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *r = &lab->checks[i];
        open |= r == first || (r->status == STATUS_FAIL && !check_is_todo(r));
    }
    return open;
}

/* Of a lab in which something failed: how many passed in a row, from i on. */
static size_t row_of_passes(const struct lab_result *lab, size_t i) {
    size_t n = 0;
    while (i + n < lab->n_checks && lab->checks[i + n].status == STATUS_PASS)
        n++;
    return n;
}

static void check_list(struct html *h, const struct grade *grade,
                       const struct lab_result *lab,
                       const struct check_result *first) {
    bool folds = is_open(lab, first);
    size_t left = 0; /* in the row that is being written */
    for (size_t i = 0; i < lab->n_checks; i++) {
        size_t n = folds && !left ? row_of_passes(lab, i) : 0;
        if (n > 1) {
            html_add(h,
                     _("<details class=\"passed\"><summary>"
                       "<span class=\"verdict\">pass</span> %zu passed"
                       "</summary>\n"),
                     n);
            left = n;
        }
        html_check(h, &(struct html_check){grade, lab, &lab->checks[i]},
                   &lab->checks[i] == first);
        if (left && !--left) html_add(h, "</details>\n");
    }
}

static void lab_section(struct html *h, const struct grade *grade,
                        const struct lab_result *lab,
                        const struct check_result *first) {
    html_add(h,
             "<details class=\"lab\" id=\"lab-%s\"%s><summary>"
             "<h2>%s %d <span class=\"title\">%s</span></h2> "
             "<span class=\"points\">",
             lab->lab->id, is_open(lab, first) ? " open" : "", _("Lab"),
             lab->lab->number, lab->lab->title);
    html_own(h, words_points(lab->score, lab->max_score, lab_bonus(lab)));
    html_add(h, "</span></summary>\n");
    char *late = words_late(lab);
    if (late) html_add(h, "<p class=\"missing\">%s</p>\n", late);
    free(late);
    quoted(h, _("does not compile"), lab->lab->source, lab->build_error);
    check_list(h, grade, lab, first);
    quoted(h, _("has warnings"), lab->lab->source, lab->warnings);
    quoted(h, _("printed"), lab->lab->source, lab->output);
    html_add(h, "</details>\n");
}

/* ---- the whole ---- */

bool write_html(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    /* a page has all there is, and wraps by itself */
    struct html h = {.stream = stream, .live = options->live != 0};
    const struct check_result *first = grade_first_failure(grade);
    char title[64];
    snprintf(title, sizeof title, _("ScanLab: %d of %d points"), grade->score,
             grade->max_score);
    html_begin(&h, title);
    html_add(&h, _("<a class=\"jump\" href=\"#labs\">To the labs</a>\n"));
    head(&h, grade, options->live);
    ladder(&h, grade);
    html_add(&h, "<main id=\"labs\">\n");
    for (size_t i = 0; i < grade->n_labs; i++)
        lab_section(&h, grade, &grade->labs[i], first);
    html_add(&h, "</main>\n<footer>\n");
    if (grade->n_labs) walls(&h, grade);
    html_add(&h,
             _("<p class=\"keys\" hidden><kbd>j</kbd> <kbd>k</kbd> next and "
               "previous check, <kbd>f</kbd> next failure, <kbd>Enter</kbd> "
               "opens and folds, <kbd>a</kbd> all, <kbd>t</kbd> light or "
               "dark</p>\n</footer>\n"));
    html_end(&h);
    return !h.failed;
}
