/* SPDX-License-Identifier: MIT
 *
 * github.c: what a step of GitHub Actions prints: the feedback, between words
 * that keep the runner from reading commands in it, and annotations ("Workflow
 * commands", GitHub's documentation). GitHub shows ten errors of a step: when
 * there are more, the tenth names the others.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clean_text.h"
#include "feedback.h"
#include "formats.h"
#include "translate.h"

enum { MOST = 10 };

/* Of a property also ':' and ',' are escaped. */
static void github_put(FILE *stream, const char *text, bool property) {
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (property && (*text == ':' || *text == ',')))
            fprintf(stream, "%%%02X", (unsigned)*text);
        else
            fputc(*text, stream);
}

/* From the top of the repository, where the folder was named so; else the
 * file's name alone. */
static void put_file(FILE *stream, const struct grade *grade,
                     const char *file) {
    char *folder = clean_name(grade->submission), *name = clean_name(file);
    size_t length = folder ? strlen(folder) : 0;
    while (length && folder[length - 1] == '/') folder[--length] = '\0';
    bool inside = length && *folder != '/' && !strstr(folder, "..") &&
                  strcmp(folder, ".") != 0;
    if (inside) github_put(stream, folder, true);
    if (inside) fputc('/', stream);
    github_put(stream, name ? name : "", true);
    free(folder);
    free(name);
}

static void annotate(FILE *stream, const struct grade *grade, const char *file,
                     unsigned line, const char *title, const char *message) {
    fputs("::error file=", stream);
    put_file(stream, grade, file);
    if (line) fprintf(stream, ",line=%u", line);
    fputs(",title=", stream);
    github_put(stream, title, true);
    fputs("::", stream);
    github_put(stream, message, false);
    fputc('\n', stream);
}

/* The line that a compiler names: "naive.cu(41): ", "cpu_scan.c:41:". */
static unsigned compiler_line(const struct lab_result *lab) {
    const char *source = lab->lab->source, *at = lab->build_error;
    for (; (at = strstr(at, source)) != NULL; at += strlen(source)) {
        const char *behind = at + strlen(source);
        unsigned long line = 0;
        if (*behind == '(' || *behind == ':')
            line = strtoul(behind + 1, NULL, 10);
        if (line > 0 && line < 1000000) return (unsigned)line;
    }
    return 0;
}

struct failures {
    FILE *stream;
    const struct grade *grade;
    size_t all, shown;
    struct text others;
};

/* Is there room for one more annotation beside that of the others? */
static bool has_room(struct failures *f, const char *lab, const char *check) {
    if (f->all <= MOST || f->shown < MOST - 1) {
        f->shown++;
        return true;
    }
    text_add(&f->others, "%s%s%s%s", f->others.size ? ", " : "", lab,
             *check ? " " : "", check);
    return false;
}

static void one_check(struct failures *f, const struct lab_result *lab,
                      const struct check_result *r) {
    const struct place *place = &r->outcome.place;
    const char *id = r->check->id;
    if (!has_room(f, lab->lab->id, id)) return;
    struct text title = {0}, said = {0};
    text_add(&title, "%s %s: %s", lab->lab->id, id, r->check->title);
    feedback_check(&said, f->grade, lab, r);
    bool known = place->file && place->line;
    annotate(f->stream, f->grade, known ? place->file : lab->lab->source,
             known ? place->line : 0, text_string(&title), text_string(&said));
    text_free(&title);
    text_free(&said);
}

static void one_lab(struct failures *f, const struct lab_result *lab) {
    if (lab->build_error) {
        char *said = clean_text(lab->build_error);
        struct text title = {0};
        text_add(&title, "%s%s", lab->lab->source, lab_state_words(lab->state));
        if (said && has_room(f, lab->lab->id, ""))
            annotate(f->stream, f->grade, lab->lab->source, compiler_line(lab),
                     text_string(&title), said);
        free(said);
        text_free(&title);
        return;
    }
    for (size_t k = 0; k < lab->n_checks; k++)
        if (lab->checks[k].status == STATUS_FAIL)
            one_check(f, lab, &lab->checks[k]);
}

static size_t count(const struct grade *grade) {
    size_t n = 0;
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        n += lab->build_error != NULL;
        for (size_t k = 0; !lab->build_error && k < lab->n_checks; k++)
            n += lab->checks[k].status == STATUS_FAIL;
    }
    return n;
}

/* A word that the submission cannot know ends what it may have printed. */
static bool quote(FILE *stream, const char *text) {
    unsigned char random[16];
    char word[2 * sizeof random + 1];
    if (getrandom(random, sizeof random, 0) != sizeof random) return false;
    for (size_t i = 0; i < sizeof random; i++)
        sprintf(word + 2 * i, "%02x", random[i]);
    fprintf(stream, "::stop-commands::%s\n%s::%s::\n", word, text, word);
    return true;
}

bool write_github(FILE *stream, const struct grade *grade,
                  const struct report_options *options) {
    struct failures f = {.stream = stream, .grade = grade, .all = count(grade)};
    struct text said = {0};
    (void)options;
    feedback_all(&said, grade);
    bool good = said.size && quote(stream, text_string(&said));
    text_free(&said);
    for (size_t i = 0; i < grade->n_labs; i++) one_lab(&f, &grade->labs[i]);
    if (f.others.size) {
        fprintf(stream, _("::error title=ScanLab::%zu more: "),
                f.all - f.shown);
        github_put(stream, text_string(&f.others), false);
        fputc('\n', stream);
    }
    text_free(&f.others);
    fprintf(stream, _("::notice title=ScanLab::%d of %d points\n"),
            grade->score, grade->max_score);
    return good;
}
