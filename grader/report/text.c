/* SPDX-License-Identifier: MIT
 *
 * text.c: a grade for people. One line per check: verdict, id, title, points in
 * a column. Failed checks are expanded below their line: what happened, the
 * likely cause, where, more of what is known, where to read, how to see just
 * this again.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "formats.h"
#include "words.h"

enum {
    INDENT = 2,     /* of a check's line */
    VERDICT = 6,    /* columns of "pass  " */
    LABEL = 11,     /* columns of "reproduce  " */
    POINTS = 9,     /* columns of "  100/100" */
    MAX_ID = 22,    /* ids longer than this push their line */
    MAX_LINES = 16, /* of compiler messages and output without -v */
};

enum style { PLAIN, BOLD, DIM, GREEN, RED, YELLOW, N_STYLES };
static const char *const styles[N_STYLES] = {
    "", "\033[1m", "\033[2m", "\033[32m", "\033[1;31m", "\033[33m"};

static const struct {
    const char *word;
    enum style style;
} verdicts[] = {[STATUS_PASS] = {"pass", GREEN},
                [STATUS_FAIL] = {"FAIL", RED},
                [STATUS_SKIP] = {"skip", YELLOW}};

struct page {
    FILE *stream;
    size_t width;
    bool colour, verbose, failed; /* failed: no memory */
    const char *program, *labs;
};

/* ---- words on a page ---- */
static void put(struct page *page, enum style style, const char *text) {
    bool on = page->colour && style != PLAIN;
    fprintf(page->stream, "%s%s%s", on ? styles[style] : "", text,
            on ? "\033[0m" : "");
}

static void blanks(struct page *page, size_t n) {
    fprintf(page->stream, "%*s", (int)n, "");
}

/* Where a line of at most `room` columns may end: at a blank, or in a word that
 * is longer than the line. Returns bytes. */
static size_t line_length(const char *text, size_t room) {
    size_t bytes = strcspn(text, "\n"), blank = 0, at = 0, columns = 0;
    for (; at < bytes && columns <= room; at++) {
        if (text[at] == ' ') blank = at;
        columns += text_columns(text + at, 1);
        if (columns > room) break;
    }
    if (at >= bytes) return bytes;
    if (blank > 0) return blank;
    while (at > 1 && ((unsigned char)text[at] & 0xc0) == 0x80) at--;
    return at > 0 ? at : 1;
}

/* The text, wrapped, from the current column on, which is `column`; later lines
 * begin there too. Leading blanks of a line of the text are kept. */
static void wrapped(struct page *page, size_t column, const char *text) {
    size_t room = page->width > column + 20 ? page->width - column : 20;
    for (bool first = true;; first = false) {
        size_t length = line_length(text, room);
        if (!first && length > 0) blanks(page, column);
        fprintf(page->stream, "%.*s\n", (int)length, text);
        text += length;
        if (*text == '\n')
            text++;
        else
            while (*text == ' ') text++;
        if (!*text) return;
    }
}

/* "where      naive.cu:31, ..."; nothing for NULL. A line that is to be copied
 * is not wrapped. */
static void label_line(struct page *page, const char *label, const char *text,
                       bool wrap) {
    if (!text || !*text) return;
    char *clean = clean_text(text);
    if (!clean) {
        page->failed = true;
        return;
    }
    blanks(page, INDENT + VERDICT);
    put(page, DIM, label);
    blanks(page, LABEL - strlen(label));
    if (wrap)
        wrapped(page, INDENT + VERDICT + LABEL, clean);
    else
        fprintf(page->stream, "%s\n", clean);
    free(clean);
}

static void labelled(struct page *page, const char *label, const char *text) {
    label_line(page, label, text, true);
}

/* Each sentence on a line of its own; what stands behind the first, or NULL. A
 * sentence ends in ". " before a capital letter or an element of the output. */
static char *cut_sentences(char *text) {
    char *rest = NULL;
    for (char *at = text; at && (at = strstr(at, ". ")) != NULL; at++) {
        if ((at[2] < 'A' || at[2] > 'Z') && strncmp(at + 2, "out[", 4) != 0)
            continue;
        at[1] = rest ? '\n' : '\0';
        if (!rest) rest = at + 2;
        at++;
    }
    return rest;
}

/* Words made for this line. */
static void labelled_own(struct page *page, const char *label, char *text) {
    labelled(page, label, text);
    free(text);
}

/* Lines as they are, each behind a bar; the first MAX_LINES, but all with -v.
 */
static void quoted(struct page *page, const char *text) {
    char *clean = clean_text(text), *state = NULL;
    if (!clean) {
        page->failed = true;
        return;
    }
    size_t n = 0, left_out = 0;
    for (char *line = strtok_r(clean, "\n", &state); line;
         line = strtok_r(NULL, "\n", &state)) {
        if (n++ >= MAX_LINES && !page->verbose) {
            left_out++;
            continue;
        }
        blanks(page, INDENT);
        put(page, DIM, "| ");
        fprintf(page->stream, "%s\n", line);
    }
    if (left_out > 0) {
        blanks(page, INDENT);
        fprintf(page->stream, "  ... %zu more lines (-v shows them)\n",
                left_out);
    }
    free(clean);
}

/* ---- points ---- */
static void points(struct page *page, size_t column, const char *before,
                   int score, int max_score, enum style style) {
    char text[32] = "-"; /* a check without points */
    if (max_score > 0)
        snprintf(text, sizeof text, "%s%d/%d", before, score, max_score);
    size_t length = strlen(text);
    blanks(page,
           column + length < page->width ? page->width - column - length : 2);
    put(page, style, text);
    fputc('\n', page->stream);
}

/* ---- a check ---- */
/* The cause stands right below the first sentence; the numbers come behind. */
static void what_and_why(struct page *page, const struct check_result *result,
                         char *message) {
    char *rest = cut_sentences(message);
    labelled(page, "what", message);
    labelled_own(page, "cause", words_cause(result));
    labelled_own(page, "about", words_about(result));
    labelled_own(page, "where", words_where(result));
    labelled(page, "more", rest);
}

static size_t id_columns(const struct lab_result *lab) {
    size_t widest = 0;
    for (size_t i = 0; i < lab->n_checks; i++) {
        size_t length = strlen(lab->checks[i].check->id);
        if (length > widest && length <= MAX_ID) widest = length;
    }
    return widest + 2;
}

static void explain(struct page *page, const struct grade *grade,
                    const struct lab_result *lab,
                    const struct check_result *result) {
    const struct lab_check *check = result->check;
    const char *read = words_read(result);
    char text[512], *message = words_message(result),
                    *again = words_reproduce(grade, lab, result);
    what_and_why(page, result, message);
    snprintf(text, sizeof text, "%s/%s", lab->lab->folder, read ? read : "");
    label_line(page, "read",
               read && strncmp(read, "README", 6) == 0 ? text : read, false);
    if (check->n_hints > 0) {
        snprintf(text, sizeof text, "%s hint %s %s%s%s", page->program,
                 lab->lab->id, check->id, page->labs ? " --labs " : "",
                 page->labs ? page->labs : "");
        label_line(page, "hint", text, false);
    }
    label_line(page, "reproduce", again, false);
    page->failed |= !message || !again;
    free(message);
    free(again);
}

/* Does the reason of a skipped check fit where its title would stand? */
static bool fits(const struct page *page, const char *reason, size_t column) {
    return !strchr(reason, '\n') &&
           column + text_columns(reason, strlen(reason)) + POINTS <=
               page->width;
}

/* Why a check was skipped; NULL: it was not. */
static char *skip_reason(struct page *page, const struct check_result *result) {
    if (result->status != STATUS_SKIP) return NULL;
    char *message = words_message(result), *clean = clean_text(message);
    page->failed |= !clean;
    bool some = clean && *clean;
    free(message);
    if (some) return clean;
    free(clean);
    return NULL;
}

static void check_line(struct page *page, const struct grade *grade,
                       const struct lab_result *lab,
                       const struct check_result *result, bool expanded) {
    const struct lab_check *check = result->check;
    size_t ids = id_columns(lab), id = strlen(check->id);
    size_t column = INDENT + VERDICT + (id + 2 > ids ? id + 2 : ids);
    char *reason = skip_reason(page, result);
    blanks(page, INDENT);
    put(page, verdicts[result->status].style, verdicts[result->status].word);
    fprintf(page->stream, "  %-*s", (int)(column - INDENT - VERDICT),
            check->id);
    bool beside = reason && fits(page, reason, column);
    const char *what = beside ? reason : check->title;
    put(page, beside ? DIM : PLAIN, what);
    points(page, column + text_columns(what, strlen(what)),
           check->bonus ? "bonus " : "", result->score, check->points,
           result->status == STATUS_FAIL ? RED : PLAIN);
    if (reason && !beside) labelled(page, "skipped", reason);
    free(reason);
    if (result->status == STATUS_FAIL && expanded)
        explain(page, grade, lab, result);
    if (page->verbose) {
        labelled_own(page, "detail", words_detail(result));
        labelled(page, "trust", words_trust(result));
    }
}

/* ---- a lab ---- */
static size_t count(const struct lab_result *lab, enum check_status status) {
    size_t n = 0;
    for (size_t i = 0; i < lab->n_checks; i++)
        n += lab->checks[i].status == status;
    return n;
}

/* Of a stub the compiler says only that it is one. */
static bool is_begun(const struct lab_result *lab) {
    for (size_t i = 0; i < lab->n_checks; i++) {
        const struct check_result *c = &lab->checks[i];
        bool todo = c->outcome.n_facts &&
                    c->outcome.facts[0].row == FACT_NOT_IMPLEMENTED;
        if (c->status == STATUS_PASS || (c->status == STATUS_FAIL && !todo))
            return true;
    }
    return false;
}

static void lab_section(struct page *page, const struct grade *grade,
                        const struct lab_result *lab) {
    char head[256];
    snprintf(head, sizeof head, "Lab %d  %s", lab->lab->number, lab->lab->id);
    fputc('\n', page->stream);
    put(page, BOLD, head);
    fprintf(page->stream, "  %s", lab->lab->title);
    points(page,
           strlen(head) + 2 +
               text_columns(lab->lab->title, strlen(lab->lab->title)),
           "", lab->score, lab->max_score, BOLD);
    if (lab->build_error) {
        blanks(page, INDENT);
        put(page, RED, lab->lab->source);
        fputs(" does not compile:\n", page->stream);
        quoted(page, lab->build_error);
    }
    if (lab->warnings && (page->verbose || is_begun(lab))) {
        blanks(page, INDENT);
        fprintf(page->stream, "the compiler warns about %s:\n",
                lab->lab->source);
        quoted(page, lab->warnings);
    }
    for (size_t i = 0; i < lab->n_checks; i++)
        if (!lab->build_error || page->verbose)
            check_line(page, grade, lab, &lab->checks[i], !lab->build_error);
    bool wanted = page->verbose || count(lab, STATUS_FAIL) > 0;
    if (lab->output && *lab->output && wanted) {
        blanks(page, INDENT);
        fprintf(page->stream, "%s printed:\n", lab->lab->source);
        quoted(page, lab->output);
    }
}

/* ---- the whole ---- */
static void total(struct page *page, const struct grade *grade) {
    size_t n[3] = {0};
    for (size_t i = 0; i < grade->n_labs; i++)
        for (int status = STATUS_PASS; status <= STATUS_SKIP; status++)
            n[status] += count(&grade->labs[i], (enum check_status)status);
    char text[128];
    int used = snprintf(text, sizeof text, "Total  %zu passed", n[STATUS_PASS]);
    if (n[STATUS_FAIL] > 0)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         ", %zu failed", n[STATUS_FAIL]);
    if (n[STATUS_SKIP] > 0)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         ", %zu skipped", n[STATUS_SKIP]);
    snprintf(text + used, sizeof text - (size_t)used, ", %.1f s",
             grade->seconds);
    fputc('\n', page->stream);
    put(page, BOLD, text);
    points(page, strlen(text), "", grade->score, grade->max_score,
           grade_is_full(grade) ? GREEN : BOLD);
}

/* Where one is missing, or with -v. */
static void walls(struct page *page, const struct grade *grade) {
    char *missing =
        words_walls_missing(&grade->walls_of_build, &grade->walls_of_run);
    char *all = page->verbose ? words_walls(grade) : NULL;
    if (missing || all) fputc('\n', page->stream);
    if (missing) put(page, RED, "Walls are missing ");
    if (missing) wrapped(page, strlen("Walls are missing "), missing);
    if (all) put(page, DIM, "Walls  ");
    if (all) wrapped(page, strlen("Walls  "), all);
    free(missing);
    free(all);
}

bool write_text(FILE *stream, const struct grade *grade,
                const struct report_options *options) {
    struct page page = {
        .stream = stream,
        .width = options->width > 0 ? (size_t)options->width : 80,
        .colour = options->colour,
        .verbose = options->verbose,
        .program = options->program ? options->program : "scanlab",
        .labs = options->labs};
    char *device = words_device(grade);
    struct text folder = {0};
    clean_add(&folder, grade->submission, -1);
    page.failed = !device;
    put(&page, BOLD, "ScanLab");
    if (!page.failed)
        fprintf(stream, "  %s on %s, seed %llu\n", text_string(&folder), device,
                (unsigned long long)grade->seed);
    free(device);
    text_free(&folder);
    for (size_t i = 0; i < grade->n_labs; i++)
        lab_section(&page, grade, &grade->labs[i]);
    total(&page, grade);
    walls(&page, grade);
    return !page.failed;
}
