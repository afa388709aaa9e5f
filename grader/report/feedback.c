/* SPDX-License-Identifier: MIT
 *
 * feedback.c: see feedback.h.
 */
#include "feedback.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "translate.h"
#include "words.h"

const char *feedback_verdict(const struct check_result *r) {
    return r->status == STATUS_PASS   ? "pass"
           : r->status == STATUS_SKIP ? "skip"
           : check_is_todo(r)         ? "TODO"
                                      : "FAIL";
}

void feedback_head(struct text *t, const struct grade *g) {
    char *device = words_device(g);
    char *missing = walls_missing(&g->walls_of_build, &g->walls_of_run);
    text_add(t, _("%d of %d points, on "), g->score, g->max_score);
    clean_add(t, device ? device : "", -1);
    text_add(t, _(", seed %" PRIu64 "\n"), g->seed);
    if (missing) text_add(t, _("Walls are missing %s\n"), missing);
    free(device);
    free(missing);
}

static void add_lines(struct text *t, const char *source, const char *what,
                      const char *said) {
    char *lines = said ? clean_lines(said, "| ") : NULL;
    if (lines) text_add(t, "%s%s:\n%s", source, what, lines);
    free(lines);
}

void feedback_lab(struct text *t, const struct lab_result *lab) {
    const char *source = lab->lab->source;
    char *late = words_late(lab);
    if (late) text_add(t, "%s\n", late);
    free(late);
    add_lines(t, source, lab_state_words(lab->state), lab->build_error);
    add_lines(t, source, _(": the compiler warns"), lab->warnings);
    add_lines(t, source, _(" printed"), lab->output);
}

/* "Cause: ..."; later lines are indented, so that none looks like one of ours.
 * Frees the words. */
static void add_part(struct text *t, const char *name, char *words) {
    char *clean = words ? clean_text(words) : NULL;
    free(words);
    if (clean && *clean) {
        text_add(t, "%s", name);
        for (const char *at = clean; *at; at++)
            text_add(t, *at == '\n' ? "\n  " : "%c", *at);
        text_add(t, "\n");
    }
    free(clean);
}

static void add_read(struct text *t, const struct lab_result *lab,
                     const struct check_result *r) {
    const char *read = words_read(r);
    if (read && strncmp(read, "README", 6) == 0)
        text_add(t, _("Read: labs/%s/%s\n"), text_base(lab->lab->folder), read);
    else if (read)
        text_add(t, _("Read: %s\n"), read);
}

/* The command as a student types it in a copy of the course. */
static char *again(const struct grade *grade, const struct lab_result *lab,
                   const struct check_result *r) {
    struct grade theirs = *grade;
    if (check_is_todo(r)) return NULL;
    theirs.program = (char *)words_students_program(grade);
    theirs.submission = (char *)"student";
    theirs.labs_folder = theirs.course = NULL;
    return words_reproduce(&theirs, lab, r);
}

void feedback_check(struct text *t, const struct grade *grade,
                    const struct lab_result *lab,
                    const struct check_result *r) {
    const struct check_result *same = words_same(lab, r);
    if (r->status == STATUS_PASS) return;
    add_part(t, "", words_message(r));
    if (same)
        text_add(t, _("Cause: The same as in %s.\n"), same->check->id);
    else
        add_part(t, _("Cause: "), words_cause(r));
    if (!same) add_part(t, "", words_about(r));
    add_part(t, _("Where: "), words_where(r));
    if (r->status != STATUS_FAIL || lab->build_error) return;
    add_read(t, lab, r);
    size_t n = r->check->n_hints;
    if (grade->most_hints && grade->most_hints < n)
        n = (size_t)grade->most_hints;
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, _("Hint %zu: "), i + 1);
        add_part(t, name, text_format("%s", r->check->hints[i]));
    }
    add_part(t, _("See it again: "), again(grade, lab, r));
}

static void add_indented(struct text *t, struct text *lines) {
    char *all = lines->bytes, *state = NULL;
    for (char *line = all ? strtok_r(all, "\n", &state) : NULL; line;
         line = strtok_r(NULL, "\n", &state))
        text_add(t, "        %s\n", line);
    text_free(lines);
}

void feedback_all(struct text *t, const struct grade *grade) {
    feedback_head(t, grade);
    for (size_t i = 0; i < grade->n_labs; i++) {
        const struct lab_result *lab = &grade->labs[i];
        text_add(t, _("\nLab %d %s: %d of %d\n"), lab->lab->number,
                 lab->lab->id, lab->score, lab->max_score);
        feedback_lab(t, lab);
        for (size_t k = 0; k < lab->n_checks; k++) {
            const struct check_result *r = &lab->checks[k];
            struct text said = {0};
            text_add(t, "  %s  %s %d/%d %s\n", feedback_verdict(r),
                     r->check->id, r->score, r->check->points, r->check->title);
            feedback_check(&said, grade, lab, r);
            add_indented(t, &said);
        }
    }
}

char *feedback_sentence(const struct check_result *r) {
    char *message = words_message(r);
    struct text t = {0};
    if (message) words_cut(message);
    if (message) clean_add(&t, message, -1);
    free(message);
    return t.bytes ? t.bytes : text_format("%s", "");
}

json_t *feedback_words(const char *words) {
    json_t *value = json_string(words);
    if (value) return value;
    char *clean = clean_text(words); /* it is no UTF-8 */
    value = clean ? json_string(clean) : NULL;
    free(clean);
    return value;
}

json_t *feedback_json(struct text *t) {
    json_t *value = feedback_words(text_string(t));
    text_free(t);
    return value;
}
