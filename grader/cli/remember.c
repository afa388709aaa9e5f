/* SPDX-License-Identifier: MIT
 *
 * remember.c: see remember.h. progress/LAB-HASH, where the hash is of the
 * submission's whole path, holds a line: score, bonus, size and time of the
 * source, the check that comes next.
 */
#include "remember.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "own_folder.h"
#include "text.h"
#include "tree.h"

enum { MOST_POINTS = 1000000 }; /* of a lab; more was not written by us */

static uint64_t hash(const char *text) { /* FNV-1a */
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return h;
}

static char *place(const char *build_folder, const char *submission,
                   const struct lab *lab) {
    char *whole = realpath(submission, NULL);
    char *folder = own_folder(build_folder, "progress");
    char *path = whole && folder ? text_format("%s/%s-%016" PRIx64, folder,
                                               lab->id, hash(whole))
                                 : NULL;
    free(folder);
    free(whole);
    return path;
}

struct stamp {
    long long size, seconds, nanoseconds;
};

static struct stamp stamp_of(const char *submission, const struct lab *lab) {
    struct stat s = {0};
    char *path = text_format("%s/%s", submission, lab->source);
    if (!path || stat(path, &s) != 0) s.st_size = -1;
    free(path);
    return (struct stamp){s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

void remember_lab(const char *build_folder, const char *submission,
                  const struct lab_result *lab, time_t began) {
    struct stamp stamp = stamp_of(submission, lab->lab);
    if (stamp.seconds > began) stamp.size = -2; /* saved meanwhile */
    const char *next = "-";
    for (size_t i = lab->n_checks; i-- > 0;)
        if (lab->checks[i].status != STATUS_PASS &&
            !lab->checks[i].check->bonus)
            next = lab->checks[i].check->id;
    char *folder = own_folder(build_folder, "progress");
    char *path = place(build_folder, submission, lab->lab);
    char *fresh = path ? text_format("%s.%d", path, (int)getpid()) : NULL;
    if (folder) tree_make(folder);
    FILE *file = fresh ? fopen(fresh, "w") : NULL;
    if (file) {
        fprintf(file, "%d %d %lld %lld %lld %s\n", lab->score, lab_bonus(lab),
                stamp.size, stamp.seconds, stamp.nanoseconds, next);
        if (fclose(file) != 0 || rename(fresh, path) != 0) unlink(fresh);
    }
    free(fresh);
    free(path);
    free(folder);
}

bool remembered_lab(const char *build_folder, const char *submission,
                    const struct lab *lab, struct remembered *out) {
    const struct stamp now = stamp_of(submission, lab);
    struct stamp then;
    struct text text = {0};
    char *path = place(build_folder, submission, lab);
    *out = (struct remembered){0};
    bool is_read =
        path && !text_read_file(&text, path, 256) &&
        sscanf(text_string(&text), "%d %d %lld %lld %lld %63[a-z0-9-]",
               &out->score, &out->bonus, &then.size, &then.seconds,
               &then.nanoseconds, out->next) == 6 &&
        out->score >= 0 && out->score <= MOST_POINTS && out->bonus >= 0 &&
        out->bonus <= out->score;
    if (strcmp(out->next, "-") == 0) out->next[0] = '\0';
    out->is_changed =
        is_read && (then.size != now.size || then.seconds != now.seconds ||
                    then.nanoseconds != now.nanoseconds);
    text_free(&text);
    free(path);
    return is_read;
}
