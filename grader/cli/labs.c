/* SPDX-License-Identifier: MIT
 *
 * labs.c: all labs, and finding one by what a student types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "cli.h"
#include "over.h"
#include "rules.h"

/* Labs that the course does not have. It may be meant, or the mistake of a
 * teacher: so they are named, and nothing fails. */
static void note_absent(const struct course *course) {
    for (size_t i = 0; i < course->n_labs; i++) {
        const struct lab *lab = course->labs[i];
        for (size_t k = 0; k < lab->n_requires; k++)
            if (!labs_find(course->labs, course->n_labs, lab->requires[k]))
                cli_fail("note: lab %s requires '%s', which is not here",
                         lab->id, lab->requires[k]);
    }
}

bool course_open(struct course *course, const char *labs_folder) {
    return course_open_over(course, labs_folder, NULL);
}

bool course_open_over(struct course *course, const char *labs_folder,
                      const char *over) {
    *course = (struct course){0};
    if (!paths_find(&course->paths, labs_folder)) return false;
    struct lab_error error;
    bool good = labs_read_over(course->paths.labs, over, &course->labs,
                               &course->n_labs, &error);
    if (good && over)
        good = (course->rules = rules_read(over, &error)) != NULL &&
               rules_fit(course->rules, course->labs, &course->n_labs, &error);
    if (!good) {
        cli_fail("%s", error.message);
        return false;
    }
    if (!over_has_language(course)) return false;
    note_absent(course);
    return true;
}

void course_free(struct course *course) {
    labs_free(course->labs, course->n_labs);
    rules_free(course->rules);
    paths_free(&course->paths);
    *course = (struct course){0};
}

static const char *folder_name(const struct lab *lab) {
    const char *slash = strrchr(lab->folder, '/');
    return slash ? slash + 1 : lab->folder;
}

static bool is_called(const struct lab *lab, const char *name) {
    char *end;
    long number = strtol(name, &end, 10);
    if (end != name && *end == '\0') return number == lab->number;
    /* Or by its file, as it is open in an editor. */
    const char *dot = strrchr(lab->source, '.');
    size_t stem = dot ? (size_t)(dot - lab->source) : strlen(lab->source);
    if (strncmp(lab->source, name, stem) == 0 &&
        (!name[stem] || strcmp(lab->source, name) == 0))
        return true;
    return strcmp(lab->id, name) == 0 || strcmp(folder_name(lab), name) == 0;
}

static void print_unknown(const char *what, const char *name,
                          const char *const *names, size_t n) {
    const char *near = nearest_name(name, names, n);
    if (near)
        cli_fail("unknown %s '%s' (did you mean '%s'?)", what, name, near);
    else
        cli_fail("unknown %s '%s'", what, name);
    fprintf(stderr, "known:");
    for (size_t i = 0; i < n; i++) fprintf(stderr, " %s", names[i]);
    fputc('\n', stderr);
}

struct lab *course_lab(const struct course *course, const char *name) {
    /* "labs/01-naive/", as a shell completes it, means the folder. */
    char *copy = strdup(name);
    if (!copy) cli_fail("out of memory");
    if (!copy) return NULL;
    size_t length = strlen(copy);
    while (length > 1 && copy[length - 1] == '/') copy[--length] = '\0';
    char *slash = strrchr(copy, '/');
    const char *last = slash ? slash + 1 : copy;
    struct lab *found = NULL;
    for (size_t i = 0; i < course->n_labs && !found; i++)
        if (is_called(course->labs[i], last)) found = course->labs[i];
    free(copy);
    if (found) return found;
    const char **names = calloc(course->n_labs + 1, sizeof *names);
    if (!names) cli_fail("out of memory");
    if (!names) return NULL;
    for (size_t i = 0; i < course->n_labs; i++) names[i] = course->labs[i]->id;
    print_unknown("lab", name, names, course->n_labs);
    free(names);
    return NULL;
}

int lab_check_by_id(const struct lab *lab, const char *id) {
    for (size_t i = 0; i < lab->n_checks; i++)
        if (strcmp(lab->checks[i].id, id) == 0) return (int)i;
    const char **names = calloc(lab->n_checks + 1, sizeof *names);
    if (!names) cli_fail("out of memory");
    if (!names) return -1;
    for (size_t i = 0; i < lab->n_checks; i++) names[i] = lab->checks[i].id;
    char what[128];
    snprintf(what, sizeof what, "check of lab %.80s", lab->id);
    print_unknown(what, id, names, lab->n_checks);
    free(names);
    return -1;
}

int lab_function_by_id(const struct lab *lab, const char *id) {
    if (!id && lab->n_functions) return 0;
    for (size_t i = 0; id && i < lab->n_functions; i++)
        if (strcmp(lab->functions[i].id, id) == 0) return (int)i;
    const char **names = calloc(lab->n_functions + 1, sizeof *names);
    if (!names) cli_fail("out of memory");
    if (!names) return -1;
    for (size_t i = 0; i < lab->n_functions; i++)
        names[i] = lab->functions[i].id;
    char what[128];
    snprintf(what, sizeof what, "function of lab %.80s", lab->id);
    print_unknown(what, id ? id : "", names, lab->n_functions);
    free(names);
    return -1;
}
