/* SPDX-License-Identifier: MIT
 *
 * rules_fit.c: what the rules of a course and its labs show only together.
 */
#include <stdio.h>

#include "lab_keys.h"
#include "rules.h"

static bool check_fits(const struct course_rules *rules, const struct lab *lab,
                       const struct lab_check *check, struct lab_error *error) {
    char path[4096];
    snprintf(path, sizeof path, "%s/lab.ini", lab->folder);
    struct lab_reader r = {(struct lab *)lab, path, error, NULL};
    const struct lab_rules *own = rules_of(rules, lab);
    const struct lab_check *parent =
        check->parent >= 0 ? &lab->checks[check->parent] : NULL;
    if (check->visibility == VISIBILITY_AFTER_DEADLINE && !(own && own->due_s))
        return lab_fail(&r, check->line,
                        "check '%s' is for after the deadline, and %s has no "
                        "'due' in a section [lab %s]",
                        check->id, rules->path, lab->id);
    if (parent && parent->visibility > check->visibility)
        return lab_fail(&r, check->line,
                        "check '%s' would tell students of its parent '%s', "
                        "which they are not to see",
                        check->id, parent->id);
    return true;
}

/* Frees the labs that the course does not offer, and closes the gaps. */
static size_t rules_leave_out(const struct course_rules *rules,
                              struct lab **labs, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct lab_rules *own = rules_of(rules, labs[i]);
        if (!own || own->offered)
            labs[kept++] = labs[i];
        else
            lab_free(labs[i]);
    }
    return kept;
}

bool rules_fit(const struct course_rules *rules, struct lab **labs,
               size_t *n_labs, struct lab_error *error) {
    size_t n = *n_labs;
    struct lab_reader r = {NULL, rules->path, error, NULL};
    error->message[0] = '\0';
    const char *ids[n + 1];
    for (size_t i = 0; i < n; i++) ids[i] = labs[i]->id;
    for (size_t i = 0; i < rules->n_labs; i++)
        if (!labs_find(labs, n, rules->labs[i].id))
            return lab_fail_unknown(&r, rules->labs[i].line, "lab",
                                    rules->labs[i].id, ids, n);
    *n_labs = n = rules_leave_out(rules, labs, n);
    if (n == 0) return lab_fail(&r, 0, "offered: no lab is left");
    for (size_t i = 0; i < n; i++) {
        const struct lab_rules *own = rules_of(rules, labs[i]);
        labs[i]->repairs &= rules->repairs;
        int usual = own && own->visibility != VISIBILITY_UNSAID
                        ? own->visibility
                        : rules->visibility;
        for (size_t k = 0; k < labs[i]->n_checks; k++) {
            struct lab_check *check = &labs[i]->checks[k];
            if (check->visibility == VISIBILITY_UNSAID)
                check->visibility = usual;
            if (!check_fits(rules, labs[i], check, error)) return false;
        }
    }
    return true;
}
