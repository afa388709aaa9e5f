/* SPDX-License-Identifier: MIT
 *
 * labs_read.c: the folder of labs: all of them, and what only all together can
 * show.
 */
#include "lab.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_keys.h"
#include "rules.h"
#include "text.h"

void labs_free(struct lab **labs, size_t n) {
    for (size_t i = 0; i < n; i++) lab_free(labs[i]);
    free(labs);
}

static int by_number(const void *a, const void *b) {
    const struct lab *const *left = a, *const *right = b;
    return ((*left)->number > (*right)->number) -
           ((*left)->number < (*right)->number);
}

const struct lab *labs_find(struct lab **labs, size_t n, const char *id) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(labs[i]->id, id) == 0) return labs[i];
    return NULL;
}

/* What only all labs together can show. labs is sorted. */
static bool check_together(struct lab **labs, size_t n,
                           struct lab_error *error) {
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/lab.ini", labs[i]->folder);
        struct lab_reader r = {labs[i], path, error, NULL};
        const struct lab *first = labs_find(labs, n, labs[i]->id);
        if (first != labs[i])
            return lab_fail(&r, 0, "id '%s' is already that of %s", labs[i]->id,
                            first->folder);
        if (i > 0 && labs[i - 1]->number == labs[i]->number)
            return lab_fail(&r, 0, "number %d is already that of %s",
                            labs[i]->number, labs[i - 1]->folder);
    }
    return true;
}

static int starts_with_digit(const struct dirent *entry) {
    return isdigit((unsigned char)entry->d_name[0]) != 0;
}

/* A folder without a lab.ini is not a lab yet: whoever is writing one should
 * not stop everybody's grading. Where nobody can say, reading it fails. */
static bool has_ini(const char *folder) {
    char path[4096];
    int used = snprintf(path, sizeof path, "%s/lab.ini", folder);
    return used > 0 && (size_t)used < sizeof path &&
           (access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR));
}

static bool read_each(const char *folder, const char *course,
                      struct dirent **entries, int n, struct lab **labs,
                      size_t *n_labs, struct lab_error *error) {
    for (int i = 0; i < n; i++) {
        char path[4096];
        int used =
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (used < 0 || (size_t)used >= sizeof path) {
            snprintf(error->message, sizeof error->message,
                     "%.400s: the path is too long", folder);
            return false;
        }
        if (!lab_files_fit(path, FILES_OF_A_LAB, error)) return false;
        if (!has_ini(path)) continue;
        if (!(labs[*n_labs] = lab_read_over(path, course, error))) return false;
        ++*n_labs;
    }
    return true;
}

bool labs_read(const char *folder, struct lab ***labs, size_t *n,
               struct lab_error *error) {
    return labs_read_over(folder, NULL, labs, n, error);
}

/* As labs' folders are called. */
static bool is_numbered_folder(const char *path) {
    const char *name = text_base(path);
    DIR *open = isdigit((unsigned char)*name) ? opendir(path) : NULL;
    if (open) closedir(open);
    return open && strchr(name, '-');
}

/* A folder of the course that is no lab's would change nothing, in silence. */
static bool course_fits(const char *course, struct lab **labs, size_t n,
                        struct lab_error *error) {
    DIR *open = opendir(course);
    if (!open) {
        snprintf(error->message, sizeof error->message,
                 "%.400s: cannot read the folder of the course: %s", course,
                 strerror(errno));
        return false;
    }
    const char *names[n + 1];
    for (size_t i = 0; i < n; i++) names[i] = text_base(labs[i]->folder);
    bool good = lab_files_fit(course, FILES_OF_A_COURSE, error);
    for (struct dirent *entry; good && (entry = readdir(open));) {
        char path[4096];
        bool known = false;
        int used = snprintf(path, sizeof path, "%s/%s", course, entry->d_name);
        for (size_t i = 0; i < n; i++)
            known |= strcmp(names[i], entry->d_name) == 0;
        if (used >= (int)sizeof path) continue;
        struct lab_reader r = {NULL, course, error, NULL};
        if (known)
            good = lab_files_fit(path, FILES_OVER_A_LAB, error);
        else if (has_ini(path) || is_numbered_folder(path))
            good = lab_fail_unknown(&r, 0, "lab", entry->d_name, names, n);
    }
    closedir(open);
    return good;
}

bool labs_read_over(const char *folder, const char *course, struct lab ***labs,
                    size_t *n, struct lab_error *error) {
    struct dirent **entries;
    error->message[0] = '\0';
    *labs = NULL;
    *n = 0;
    int found = scandir(folder, &entries, starts_with_digit, alphasort);
    if (found < 0) {
        snprintf(error->message, sizeof error->message,
                 "%.400s: cannot read the folder of labs: %s", folder,
                 strerror(errno));
        return false;
    }
    struct lab **read = calloc((size_t)found + 1, sizeof *read);
    size_t n_read = 0;
    bool good =
        read && read_each(folder, course, entries, found, read, &n_read, error);
    for (int i = 0; i < found; i++) free(entries[i]);
    free(entries);
    if (good && n_read == 0) {
        snprintf(error->message, sizeof error->message,
                 "%.400s: no labs here (folders named as 01-naive)", folder);
        good = false;
    }
    if (good) {
        qsort(read, n_read, sizeof *read, by_number);
        good = check_together(read, n_read, error) &&
               (!course || course_fits(course, read, n_read, error));
    }
    if (!good) {
        if (!read)
            snprintf(error->message, sizeof error->message, "out of memory");
        else
            labs_free(read, n_read);
        return false;
    }
    *labs = read;
    *n = n_read;
    return true;
}
