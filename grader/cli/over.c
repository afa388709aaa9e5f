/* SPDX-License-Identifier: MIT
 *
 * over.c: see over.h.
 */
#include "over.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "inputs.h"
#include "key.h"
#include "sources.h"
#include "translate.h"

bool over_set_submitted(void *to, const char *value, struct text *why) {
    struct over *over = to;
    over->has_submitted = rules_time(value, &over->submitted_s);
    if (!over->has_submitted)
        text_add(why, "'%s' is not a time such as 2026-11-30T23:59+01:00",
                 value);
    return over->has_submitted;
}

bool over_complete(const struct over *over, const struct option_table *o) {
    if (over->folder || (!over->student && !over->has_submitted)) return true;
    options_wrong(o, "%s says something to --course only",
                  over->student ? "--student" : "--handed-in");
    return false;
}

/* Nothing can be read: as if nothing was handed in. */
static void key_of(const char *submission, const char *student,
                   char hexadecimal[KEY_TEXT]) {
    struct sources own;
    struct key key;
    char *why = NULL;
    key_start(&key);
    key_text(&key, student);
    if (sources_read(&own, submission, false, &why)) {
        for (size_t i = 0; i < own.n; i++) {
            key_text(&key, own.files[i].name);
            key_bytes(&key, own.files[i].bytes, own.files[i].size);
        }
        sources_free(&own);
    }
    key_end(&key, hexadecimal);
    free(why);
}

bool over_seed(const struct over *over, const struct course *course,
               const char *submission, bool is_given, uint64_t *seed) {
    const struct course_rules *rules = course->rules;
    char all[KEY_TEXT];
    if (is_given || !rules || !rules->has_seed) return cli_seed(is_given, seed);
    bool each = rules->seeds == SEEDS_STUDENT;
    if (each && (!over->student || !*over->student)) {
        cli_fail("%s: each student has a seed: whose it is, --student says",
                 rules->path);
        return false;
    }
    key_of(submission, each ? over->student : "", all);
    *seed = inputs_seed(rules->seed, all, 0) & INT64_MAX;
    return true;
}

/* Of the catalogues that grader/CMakeLists.txt makes of grader/po. */
static const char DOMAIN[] = "scanlab";

static char *catalogues(const struct course *course) {
    return path_join(course->paths.build_folder, "share/locale");
}

static void list_languages(const struct catalogues *in, struct text *known) {
    struct dirent **entries;
    int n = in->folder ? scandir(in->folder, &entries, NULL, alphasort) : -1;
    text_add(known, "en");
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (*name != '.' && translate_has(in, name))
            text_add(known, ", %s", name);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

bool over_has_language(const struct course *course) {
    const struct course_rules *rules = course->rules;
    if (!rules || !rules->language) return true;
    char *folder = catalogues(course);
    const struct catalogues in = {folder, DOMAIN};
    bool has = folder && translate_has(&in, rules->language);
    if (!has) {
        struct text known = {0};
        list_languages(&in, &known);
        cli_fail("%s: language: there is no '%s'; write one of: %s; or "
                 "translate grader/po/%s.po, as docs/course.md says",
                 rules->path, rules->language, text_string(&known),
                 rules->language);
        text_free(&known);
    }
    free(folder);
    return has;
}

void over_speak(const struct course *course) {
    struct text why = {0};
    if (!course->rules || !course->rules->language) return;
    char *folder = catalogues(course);
    const struct catalogues in = {folder, DOMAIN};
    if (folder && !translate_to(&in, course->rules->language, &why))
        cli_fail("note: reports are in English: %s", text_string(&why));
    text_free(&why);
    free(folder);
}

void over_apply(const struct over *over, const struct course *course,
                struct grade *grade) {
    int64_t now_s = (int64_t)time(NULL);
    int64_t submitted_s = over->has_submitted ? over->submitted_s : now_s;
    if (!course->rules) return;
    grade->course = strdup(over->folder);
    for (size_t i = 0; i < grade->n_labs; i++) {
        struct lab_result *lab = &grade->labs[i];
        int64_t late_s;
        unsigned lost =
            rules_lost(course->rules, lab->lab, submitted_s, &late_s);
        lab_result_late(lab, late_s, lost);
        grade->score -= lab->late.lost;
        for (size_t k = 0; k < lab->n_checks; k++)
            lab->checks[k].shown = rules_shown(course->rules, lab->lab,
                                               lab->checks[k].check, now_s);
    }
}
