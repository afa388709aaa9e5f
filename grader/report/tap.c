/* SPDX-License-Identifier: MIT
 *
 * tap.c: Test Anything Protocol, version 14: a plan, a line for each check, and
 * of what failed a block of YAML whose texts are quoted as in JSON. What waits
 * for another check is skipped. What is not written yet is "not ok" without the
 * directive TODO, with which a reader would take it for good.
 */
#include <stdlib.h>

#include "clean_text.h"
#include "feedback.h"
#include "formats.h"
#include "translate.h"

/* A description: '#' begins a directive. */
static void put_words(FILE *stream, const char *words) {
    struct text clean = {0};
    clean_add(&clean, words, -1);
    for (const char *at = text_string(&clean); *at; at++) {
        if (*at == '#' || *at == '\\') fputc('\\', stream);
        fputc(*at, stream);
    }
    text_free(&clean);
}

static bool yaml_text(FILE *stream, const char *key, const char *text) {
    json_t *value = feedback_words(text);
    char *quoted = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (quoted) fprintf(stream, "  %s: %s\n", key, quoted);
    bool good = quoted;
    free(quoted);
    json_decref(value);
    return good;
}

static bool diagnostics(FILE *stream, const struct grade *grade,
                        const struct lab_result *lab,
                        const struct check_result *r) {
    struct text said = {0};
    char *sentence = feedback_sentence(r);
    feedback_check(&said, grade, lab, r);
    fputs("  ---\n", stream);
    bool good =
        sentence && yaml_text(stream, "message", sentence) &&
        yaml_text(stream, "severity", check_is_todo(r) ? "todo" : "fail");
    fprintf(stream, "  score: %d\n  max_score: %d\n", r->score,
            r->check->bonus ? 0 : r->check->points);
    good = good && yaml_text(stream, "output", text_string(&said));
    fputs("  ...\n", stream);
    free(sentence);
    text_free(&said);
    return good;
}

static bool put_check(FILE *stream, const struct grade *grade,
                      const struct lab_result *lab,
                      const struct check_result *r, size_t number) {
    fprintf(stream,
            "%sok %zu - %s %s: ", r->status == STATUS_FAIL ? "not " : "",
            number, lab->lab->id, r->check->id);
    put_words(stream, r->check->title);
    if (r->status == STATUS_SKIP) {
        char *why = feedback_sentence(r);
        fputs(" # SKIP ", stream);
        put_words(stream, why ? why : "");
        free(why);
    }
    fputc('\n', stream);
    return r->status != STATUS_FAIL || diagnostics(stream, grade, lab, r);
}

static void comments(FILE *stream, const struct text *lines) {
    bool begins = true;
    for (const char *at = text_string(lines); *at; at++) {
        if (begins) fputs("# ", stream);
        fputc(*at, stream);
        begins = *at == '\n';
    }
}

bool write_tap(FILE *stream, const struct grade *grade,
               const struct report_options *options) {
    size_t n = 0, number = 0;
    bool good = true;
    struct text head = {0};
    (void)options;
    for (size_t i = 0; i < grade->n_labs; i++) n += grade->labs[i].n_checks;
    fprintf(stream, "TAP version 14\n1..%zu\n", n);
    feedback_head(&head, grade);
    comments(stream, &head);
    text_free(&head);
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        struct text said = {0};
        text_add(&said, _("Lab %d %s: %d of %d\n"), lab->lab->number,
                 lab->lab->id, lab->score, lab->max_score);
        feedback_lab(&said, lab);
        comments(stream, &said);
        text_free(&said);
        for (size_t k = 0; k < lab->n_checks; k++)
            good &= put_check(stream, grade, lab, &lab->checks[k], ++number);
    }
    return good;
}
