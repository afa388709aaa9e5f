/* SPDX-License-Identifier: MIT
 *
 * text.c: a grade for people. One line per check: verdict, id, title, points in
 * a column. Below the first that failed stands what happened, the likely cause,
 * where, more of what is known, where to read, how to see just this again; what
 * waits for a check is a line below it. A function not yet written is no
 * failure but TODO. With -v every failure is told in full, and every check.
 */
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "formats.h"
#include "page.h"
#include "translate.h"
#include "words.h"

static const struct verdict {
    const char *word, *counted;
    enum style style;
} verdicts[] = {{"pass", N_("passed"), GREEN},
                {"FAIL", N_("failed"), RED},
                {"TODO", N_("to do"), YELLOW},
                {"skip", N_("skipped"), YELLOW}};
enum { N_VERDICTS = sizeof verdicts / sizeof *verdicts };

static const struct verdict *verdict_of(const struct check_result *r) {
    return r->status == STATUS_PASS   ? &verdicts[0]
           : r->status == STATUS_SKIP ? &verdicts[3]
           : check_is_todo(r)         ? &verdicts[2]
                                      : &verdicts[1];
}

/* ---- a check ---- */
/* The cause stands right below the first sentence; the numbers come behind. */
static void what_and_why(struct page *page, const struct lab_result *lab,
                         const struct check_result *result, char *message) {
    const struct check_result *same = words_same(lab, result);
    char *rest = words_cut(message);
    page_label(page, "what", message);
    if (same)
        page_label_own(page, "cause",
                       text_format(_("The same as in %s."), same->check->id));
    else
        page_label_own(page, "cause", words_cause(result));
    if (!same) page_label_own(page, "about", words_about(result));
    page_label_own(page, "where", words_where(result));
    if (!same || !result->outcome.finding) page_label(page, "more", rest);
}

static size_t id_columns(const struct lab *lab) {
    size_t widest = 0;
    for (size_t i = 0; i < lab->n_checks; i++) {
        size_t length = strlen(lab->checks[i].id);
        if (lab->checks[i].visibility > VISIBILITY_VISIBLE) continue;
        if (length > widest && length <= MAX_ID) widest = length;
    }
    return widest + 2;
}

/* For editors. A check has no mark if another check's mark has said the same:
 * it fails by the same fault, or it is a bound, and the answer is wrong. The
 * check that is told in full always has one. */
static void mark(struct page *page, const struct grade *grade,
                 const struct lab_result *lab,
                 const struct check_result *result) {
    bool follows =
        words_same(lab, result) ||
        (result->check->kind == CHECK_EFFICIENT && result->outcome.difference);
    if (check_is_todo(result) || (follows && result != page->first)) return;
    char *message = words_message(result);
    page_mark(page, grade, lab, result, message);
    free(message);
}

static void explain(struct page *page, const struct grade *grade,
                    const struct lab_result *lab,
                    const struct check_result *result, bool is_said) {
    const struct lab_check *check = result->check;
    const char *read = words_read(result);
    const struct check_result *same = words_same(lab, result);
    char text[512], *message = words_message(result),
                    *again = words_reproduce(grade, lab, result);
    if (!is_said) what_and_why(page, lab, result, message);
    if (!same) page_label_own(page, "written", words_writer(result));
    if (result->outcome.steps && !same) {
        char *trace = words_trace(grade, lab, result);
        page_label_own(page, "steps", words_steps(result));
        page_label_line(page, "trace", trace, false);
        free(trace);
    }
    if (!same) page_source(page, grade, &result->outcome);
    snprintf(text, sizeof text, "%s/%s", lab->lab->folder, read ? read : "");
    page_label_line(page, "read",
                    read && strncmp(read, "README", 6) == 0 ? text : read,
                    false);
    if (check->n_hints > 0) {
        snprintf(text, sizeof text, "%s hint %s %s%s%s", page->program,
                 lab->lab->id, check->id, page->labs ? " --labs " : "",
                 page->labs ? page->labs : "");
        /* Hints are the check's: where more is known they are less to the
         * point. */
        page_label_line(page,
                        words_knows(result) ? N_("in general") : N_("hint"),
                        text, false);
    }
    page_label_own(page, "tried", words_repair(result, page->verbose));
    if (!check_is_todo(result))
        page_label_line(page, "reproduce", again, false);
    mark(page, grade, lab, result);
    page->failed |= !message || !again;
    free(message);
    free(again);
}

/* Does the reason of a check without verdict fit where its title would stand?
 */
static bool fits(const struct page *page, const char *reason, size_t column) {
    return !strchr(reason, '\n') &&
           column + text_columns(reason, strlen(reason)) + POINTS <=
               page->width;
}

/* Why a check was skipped, or is to do; NULL: it has a verdict. */
static char *reason_of(struct page *page, const struct check_result *result) {
    if (result->status == STATUS_FAIL && !check_is_todo(result)) return NULL;
    char *message = words_message(result), *clean = clean_text(message);
    page->failed |= !clean;
    bool some = clean && *clean;
    free(message);
    if (some) return clean;
    free(clean);
    return NULL;
}

/* "waiting    12 checks, 89 points: one-block, any-size, ...": one line. */
static void waiting_line(struct page *page, const struct lab_result *lab,
                         const struct check_result *root) {
    enum { AROUND = INDENT + VERDICT + LABEL + 5 }; /* and ", ..." */
    size_t n = 0;
    int worth = 0;
    struct text ids = {0}, line = {0};
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *r = &lab->checks[i];
        if (check_waits_for(lab, r) != root) continue;
        n++;
        if (!r->check->bonus) worth += r->check->points;
    }
    if (n == 0) return;
    text_add(&line, _("%zu check%s, %d point%s: "), n, n == 1 ? "" : "s", worth,
             worth == 1 ? "" : "s");
    for (size_t i = 0; i < lab->n_checks; i++) {
        const char *id = lab->checks[i].check->id;
        if (check_waits_for(lab, &lab->checks[i]) != root) continue;
        if (ids.size &&
            AROUND + line.size + ids.size + strlen(id) + 2 > page->width) {
            text_add(&ids, ", ...");
            break;
        }
        text_add(&ids, "%s%s", ids.size ? ", " : "", id);
    }
    text_add(&line, "%s", text_string(&ids));
    page_label(page, "waiting", text_string(&line));
    text_free(&ids);
    text_free(&line);
}

static void check_line(struct page *page, const struct grade *grade,
                       const struct lab_result *lab,
                       const struct check_result *result, bool expanded) {
    const struct lab_check *check = result->check;
    const struct verdict *verdict = verdict_of(result);
    size_t ids = id_columns(lab->lab), id = strlen(check->id);
    size_t column = INDENT + VERDICT + (id + 2 > ids ? id + 2 : ids);
    char *reason = reason_of(page, result);
    page_blanks(page, INDENT);
    page_put(page, verdict->style, verdict->word);
    fprintf(page->stream, "  %-*s", (int)(column - INDENT - VERDICT),
            check->id);
    bool beside = reason && fits(page, reason, column);
    const char *what = beside ? reason : check->title;
    page_put(page, beside ? DIM : PLAIN, what);
    page_points(page, column + text_columns(what, strlen(what)),
                check->points > 0
                    ? text_format("%s%d/%d", check->bonus ? _("bonus ") : "",
                                  result->score, check->points)
                    : text_format("-"),
                verdict->style == RED ? RED : PLAIN);
    if (reason && !beside) page_label(page, "because", reason);
    page_label_own(page, "lost", words_lost(result));
    if (result->status == STATUS_FAIL && expanded)
        explain(page, grade, lab, result, reason != NULL);
    if (result->status == STATUS_FAIL && !expanded && !lab->build_error)
        mark(page, grade, lab, result);
    free(reason);
    if (page->verbose) {
        page_label_own(page, "sizes", words_sizes(result));
        page_label_own(page, "detail", words_detail(result));
        page_label(page, "trust", words_trust(result));
    } else if (!lab->build_error) {
        waiting_line(page, lab, result);
    }
}

/* ---- a lab ---- */
/* Of a stub the compiler says only that it is one. */
static bool is_begun(const struct lab_result *lab) {
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *c = &lab->checks[i];
        if (c->status == STATUS_PASS ||
            (c->status == STATUS_FAIL && !check_is_todo(c)))
            return true;
    }
    return false;
}

static void said(struct page *page, const char *before, const char *name,
                 const char *after, const char *text) {
    page_blanks(page, INDENT);
    fprintf(page->stream, "%s%s%s\n", before, name, after);
    page_quoted(page, text);
}

static void checks(struct page *page, const struct grade *grade,
                   const struct lab_result *lab) {
    bool all = page->verbose;
    /* Of labs not begun the first says what to do. */
    bool untouched = !lab->build_error && !is_begun(lab) && !all;
    for (size_t i = 0; untouched && i < lab->n_checks; i++)
        if (&lab->checks[i] == page->first || !check_is_todo(&lab->checks[0]))
            untouched = false;
    if (untouched && grade->n_labs > 1) {
        page_blanks(page, INDENT);
        page_put(page, YELLOW, "TODO");
        fprintf(page->stream, _("  %zu checks; read %s/README.md\n"),
                lab->n_checks, lab->lab->folder);
        return;
    }
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *r = &lab->checks[i];
        if (!all && (lab->build_error || check_waits_for(lab, r))) continue;
        check_line(page, grade, lab, r,
                   !lab->build_error && (all || r == page->first));
    }
}

static void compiler_said(struct page *page, const struct lab_result *lab) {
    if (lab->build_error) {
        page_blanks(page, INDENT);
        page_put(page, RED, lab->lab->source);
        fprintf(page->stream, "%s:\n", lab_state_words(lab->state));
        page_quoted(page, lab->build_error);
    }
    if (lab->warnings && (page->verbose || is_begun(lab)))
        said(page, _("the compiler warns about "), lab->lab->source, ":",
             lab->warnings);
}

static void it_printed(struct page *page, const struct lab_result *lab) {
    if (lab->output && *lab->output)
        said(page, "", lab->lab->source, _(" printed:"), lab->output);
}

static void lab_section(struct page *page, const struct grade *grade,
                        const struct lab_result *lab) {
    char head[256];
    snprintf(head, sizeof head, _("Lab %d  %s"), lab->lab->number,
             lab->lab->id);
    fputc('\n', page->stream);
    page_put(page, BOLD, head);
    fprintf(page->stream, "  %s", lab->lab->title);
    page_points(page,
                strlen(head) + 2 +
                    text_columns(lab->lab->title, strlen(lab->lab->title)),
                words_points(lab->score, lab->max_score, lab_bonus(lab)), BOLD);
    page_label_own(page, "late", words_late(lab));
    compiler_said(page, lab);
    checks(page, grade, lab);
    it_printed(page, lab);
}

/* ---- the whole ---- */
static void total(struct page *page, const struct grade *grade) {
    size_t n[N_VERDICTS] = {0}, short_of = 0;
    struct text text = {0};
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++)
            n[verdict_of(&grade->labs[i].checks[k]) - verdicts]++;
    text_add(&text, _("Total  "));
    for (size_t i = 0; i < N_VERDICTS; i++)
        if (n[i] > 0 || i == 0)
            text_add(&text, "%zu %s, ", n[i], _(verdicts[i].counted));
    text_add(&text, "%.1f s", grade->seconds);
    fputc('\n', page->stream);
    page_put(page, BOLD, text_string(&text));
    page_points(
        page, text.size,
        words_points(grade->score, grade->max_score, grade_bonus(grade)),
        grade_is_full(grade) ? GREEN : BOLD);
    text_free(&text);
    for (size_t i = 0; i < grade->n_labs; i++)
        for (size_t k = 0; k < grade->labs[i].n_checks; k++)
            short_of += !grade->labs[i].build_error &&
                        verdict_of(&grade->labs[i].checks[k]) == &verdicts[1];
    if (short_of > 1 && !page->verbose)
        page_wrapped(page, 0,
                     _("The first failure is told in full; the others with V=1 "
                       "(-v), or CHECK=ID."));
}

/* Where one is missing, or with -v. */
static void walls(struct page *page, const struct grade *grade) {
    char *missing = walls_missing(&grade->walls_of_build, &grade->walls_of_run);
    char *all = page->verbose ? walls_words(grade) : NULL;
    if (missing || all) fputc('\n', page->stream);
    if (missing) page_put(page, RED, _("Walls are missing "));
    if (missing) page_wrapped(page, strlen(_("Walls are missing ")), missing);
    if (all) page_put(page, DIM, _("Walls  "));
    if (all) page_wrapped(page, strlen(_("Walls  ")), all);
    free(missing);
    free(all);
}

static struct page page_of(FILE *stream, const struct report_options *options) {
    return (struct page){
        .stream = stream,
        .width = options->width > 0 ? (size_t)options->width : 80,
        .colour = options->colour,
        .verbose = options->verbose,
        .program = options->program ? options->program : "scanlab",
        .labs = options->labs};
}

void report_lab_begin(FILE *stream, const struct lab_result *lab,
                      const struct report_options *options) {
    struct page page = page_of(stream, options);
    compiler_said(&page, lab);
}

void report_check(FILE *stream, const struct grade *grade,
                  const struct lab_result *lab,
                  const struct check_result *result,
                  const struct report_options *options) {
    struct page page = page_of(stream, options);
    check_line(&page, grade, lab, result, true);
}

void report_lab_end(FILE *stream, const struct lab_result *lab,
                    const struct report_options *options) {
    struct page page = page_of(stream, options);
    it_printed(&page, lab);
}

bool write_text(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    struct page page = page_of(stream, options);
    page.first = grade_first_failure(grade);
    char *device = words_device(grade);
    struct text folder = {0};
    clean_add(&folder, grade->submission, -1);
    page.failed = !device;
    page_put(&page, BOLD, "ScanLab");
    if (!page.failed)
        fprintf(stream, _("  %s on %s, seed %llu\n"), text_string(&folder),
                device, (unsigned long long)grade->seed);
    if (grade->points) {
        page_put(&page, DIM, _("Points by version "));
        page_put(&page, DIM, grade->points);
        fputc('\n', stream);
    }
    free(device);
    text_free(&folder);
    for (size_t i = 0; i < grade->n_labs; i++)
        lab_section(&page, grade, &grade->labs[i]);
    total(&page, grade);
    walls(&page, grade);
    return !page.failed;
}
