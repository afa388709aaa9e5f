/* SPDX-License-Identifier: MIT
 *
 * rules_read.c: course.ini as a whole; the values of its keys are set as those
 * of lab.ini are (lab_keys.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_setters.h"
#include "rules.h"

/* ---- values ---- */

bool lab_set_seeds(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
        [SEEDS_CLASS] = "class", [SEEDS_STUDENT] = "student"};
    return lab_set_row(r, object, key, entry, names, 2);
}

bool lab_set_visibility(struct lab_reader *r, void *object,
                        const struct lab_key *key,
                        const struct ini_entry *entry) {
    static const char *const names[N_VISIBILITIES] = {
        [VISIBILITY_VISIBLE] = "visible",
        [VISIBILITY_AFTER_DEADLINE] = "after-deadline",
        [VISIBILITY_HIDDEN] = "hidden"};
    if (r->lab && (!r->lab->overlay || entry->line <= r->lab->overlay_from))
        return lab_fail(r, entry->line,
                        "visibility: students have this file; it belongs into "
                        "one of a folder for --course");
    return lab_set_row(r, object, key, entry, names, N_VISIBILITIES);
}

bool lab_set_duration(struct lab_reader *r, void *object,
                      const struct lab_key *key,
                      const struct ini_entry *entry) {
    static const struct {
        char unit;
        int64_t seconds;
    } units[] = {{'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end = NULL;
    errno = 0;
    unsigned long n = strtoul(entry->value, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strspn(entry->value, "0123456789") ==
                (size_t)(end - entry->value) &&
            n > 0 && n <= 100000 && !errno && *end == units[i].unit &&
            !end[1]) {
            int64_t seconds = (int64_t)n * units[i].seconds;
            memcpy((char *)object + key->offset, &seconds, sizeof seconds);
            return true;
        }
    return lab_fail(r, entry->line,
                    "%s: '%s' is not a time such as 15m, 24h, 7d", key->name,
                    entry->value);
}

bool lab_set_time(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    int64_t seconds = 0;
    if (!rules_time(entry->value, &seconds))
        return lab_fail(r, entry->line,
                        "%s: '%s' is not a time such as 2026-11-30T23:59+01:00 "
                        "or 2026-11-30T22:59Z",
                        key->name, entry->value);
    memcpy((char *)object + key->offset, &seconds, sizeof seconds);
    return true;
}

/* ---- sections ---- */

static bool read_lab(struct lab_reader *r, struct course_rules *rules,
                     const struct ini_section *ini) {
    for (size_t i = 0; i < rules->n_labs; i++)
        if (strcmp(rules->labs[i].id, ini->name) == 0)
            return lab_fail(r, ini->line, "a second [lab %s]", ini->name);
    struct lab_rules *grown =
        realloc(rules->labs, (rules->n_labs + 1) * sizeof *grown);
    if (!grown) return lab_no_memory(r);
    rules->labs = grown;
    struct lab_rules *own = &grown[rules->n_labs++];
    *own = (struct lab_rules){.id = strdup(ini->name),
                              .offered = true,
                              .visibility = VISIBILITY_UNSAID,
                              .line = ini->line};
    return own->id ? lab_set_keys(r, SECTION_lab_rules, own, ini)
                   : lab_no_memory(r);
}

static bool read_course(struct lab_reader *r, struct course_rules *rules,
                        const struct ini_section *ini) {
    if (!lab_set_keys(r, SECTION_course_rules, rules, ini)) return false;
    rules->has_seed = lab_key_line(ini, "seed") > 0;
    if (rules->seeds == SEEDS_STUDENT && !rules->has_seed)
        return lab_fail(r, lab_key_line(ini, "seeds"),
                        "seeds: those of students are made of a 'seed', and "
                        "there is none");
    return true;
}

static bool read_late(struct lab_reader *r, struct course_rules *rules,
                      const struct ini_section *ini) {
    struct late_rules *late = &rules->late;
    *late = (struct late_rules){.each_s = 24 * 3600, .most = 100};
    if (!lab_set_keys(r, SECTION_late_rules, late, ini)) return false;
    if (late->until_s && late->until_s <= late->grace_s)
        return lab_fail(r, lab_key_line(ini, "until"),
                        "until: that is over before 'grace' is");
    if (late->most < late->percent)
        return lab_fail(r, lab_key_line(ini, "most"),
                        "most: %u is less than the first %u percent",
                        late->most, late->percent);
    return true;
}

static bool read_section(struct lab_reader *r, struct course_rules *rules,
                         const struct ini_file *file, size_t i) {
    static const struct {
        const char *type;
        bool named;
        bool (*read)(struct lab_reader *, struct course_rules *,
                     const struct ini_section *);
    } types[] = {{"course", false, read_course},
                 {"late", false, read_late},
                 {"lab", true, read_lab}};
    static const char *const names[] = {"course", "late", "lab"};
    const struct ini_section *ini = &file->sections[i];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        if (strcmp(types[t].type, ini->type) != 0) continue;
        if (types[t].named != (*ini->name != '\0'))
            return lab_fail(r, ini->line,
                            types[t].named ? "write [%s id], id of a lab"
                                           : "write [%s], without a name",
                            ini->type);
        for (size_t k = 0; k < i && !types[t].named; k++)
            if (strcmp(file->sections[k].type, ini->type) == 0)
                return lab_fail(r, ini->line, "a second [%s]", ini->type);
        return types[t].read(r, rules, ini);
    }
    return lab_fail_unknown(r, ini->line, "section", ini->type, names,
                            sizeof names / sizeof *names);
}

static bool read_file(struct course_rules *rules, struct lab_error *error) {
    struct ini_file file;
    struct lab_reader r = {NULL, rules->path, error, NULL};
    if (access(rules->path, F_OK) != 0 && errno == ENOENT) return true;
    if (!ini_file_read(rules->path, &file, error->message)) return false;
    bool good = true;
    for (size_t i = 0; good && i < file.n_sections; i++)
        good = read_section(&r, rules, &file, i);
    ini_file_free(&file);
    return good;
}

struct course_rules *rules_read(const char *folder, struct lab_error *error) {
    struct course_rules *rules = calloc(1, sizeof *rules);
    size_t size = strlen(folder) + sizeof "/course.ini";
    error->message[0] = '\0';
    if (rules) rules->repairs = true;
    if (rules) rules->path = malloc(size);
    if (!rules || !rules->path) {
        snprintf(error->message, sizeof error->message, "out of memory");
    } else {
        snprintf(rules->path, size, "%s/course.ini", folder);
        if (read_file(rules, error)) return rules;
    }
    rules_free(rules);
    return NULL;
}

void rules_free(struct course_rules *rules) {
    if (!rules) return;
    for (size_t i = 0; i < rules->n_labs; i++) free(rules->labs[i].id);
    free(rules->labs);
    free(rules->path);
    free(rules->language);
    free(rules);
}
