/* SPDX-License-Identifier: MIT
 *
 * lab_lists.c: values that are lists, bounds, ratios and hints: see
 * lab_setters.h.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vgpu.h>

#include "lab_setters.h"

bool lab_next_word(const char **at, char word[64]) {
    while (isspace((unsigned char)**at)) ++*at;
    size_t length = strcspn(*at, " \t\n\r\v\f");
    if (length == 0) return false;
    snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), *at);
    *at += length;
    return true;
}

static size_t count_words(const char *text) {
    char word[64];
    size_t n = 0;
    while (lab_next_word(&text, word)) n++;
    return n;
}

/* How many words a list has, when that is allowed. */
static bool list_length(struct lab_reader *r, const struct lab_key *key,
                        const struct ini_entry *entry, size_t *n) {
    *n = count_words(entry->value);
    if (*n < key->least || *n > key->most)
        return lab_fail(r, entry->line,
                        "%s: %zu given, allowed are %llu to %llu", key->name,
                        *n, (unsigned long long)key->least,
                        (unsigned long long)key->most);
    return true;
}

/* The list of the parameter that has the key's name. */
bool lab_set_parameter(struct lab_reader *r, void *object,
                       const struct lab_key *key,
                       const struct ini_entry *entry) {
    struct lab_check *check = object;
    enum parameter p = (enum parameter)parameter_by_name(key->name);
    struct int_list *list = &check->parameters[p];
    size_t n;
    if (!list_length(r, key, entry, &n)) return false;
    list->values = calloc(n, sizeof *list->values);
    if (!list->values) return lab_no_memory(r);
    const char *at = entry->value;
    char word[64];
    while (list->n < n && lab_next_word(&at, word)) {
        int least, most;
        parameter_range(p, &least, &most);
        if (!parameter_parse_beyond(p, word, &list->values[list->n]))
            return lab_fail(r, entry->line,
                            "%s: '%s' is no value of it (a name, or a whole "
                            "number from %d to %d)",
                            key->name, word, least, most);
        list->n++;
    }
    return true;
}

static bool set_watch(struct lab_reader *r, struct lab_check *check,
                      const struct lab_key *key,
                      const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(NAME, name, text) #name,
#include "watches.def"
#undef X
    };
    enum { N_NAMES = sizeof names / sizeof *names };
    const char *at = entry->value;
    char word[64];
    while (lab_next_word(&at, word)) {
        size_t row = 0;
        while (row < N_NAMES && strcmp(names[row], word) != 0) row++;
        if (row == N_NAMES)
            return lab_fail_unknown(r, entry->line, key->name, word, names,
                                    N_NAMES);
        check->watch |= 1u << row;
    }
    return true;
}

bool lab_set_vgpu_checks(struct lab_reader *r, void *object,
                         const struct lab_key *key,
                         const struct ini_entry *entry) {
    static const char *const names[] = {"memcheck", "initcheck", "racecheck",
                                        "synccheck", "leakcheck"};
    struct lab_check *check = object;
    const char *at = entry->value;
    char word[64];
    if (r->lab->language == LAB_C) return set_watch(r, check, key, entry);
    while (lab_next_word(&at, word)) {
        unsigned bit = vgpu_check_by_name(word);
        if (bit == 0)
            return lab_fail_unknown(r, entry->line, key->name, word, names,
                                    sizeof names / sizeof *names);
        check->vgpu_checks |= bit;
    }
    return true;
}

/* A profile of the clock and, if it wants one, of the device. */
bool lab_set_clock(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    struct lab_check *check = object;
    const char *names[32], *at = entry->value;
    const struct vgpu_profile *devices;
    size_t n = 0, n_devices = vgpu_profiles(&devices);
    char clock[64] = "", device[64], more[64];
    while (n < sizeof names / sizeof *names && vgpu_clock_name(n)) {
        names[n] = vgpu_clock_name(n);
        n++;
    }
    if (!lab_next_word(&at, clock) || !vgpu_is_clock(clock))
        return lab_fail_unknown(r, entry->line, key->name, clock, names, n);
    check->clock.name = strdup(clock);
    if (!check->clock.name) return lab_no_memory(r);
    if (!lab_next_word(&at, device)) return true;
    for (size_t i = 0; i < n_devices; i++)
        if (strcmp(devices[i].name, device) == 0)
            check->clock.device = strdup(device);
    if (check->clock.device && !lab_next_word(&at, more)) return true;
    return lab_fail(r, entry->line,
                    "%s: '%s' is not a profile of the clock and one of the "
                    "device",
                    key->name, entry->value);
}

/* Pairs of a name and a number. */
bool lab_set_parts(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    struct lab *lab = object;
    const char *at = entry->value;
    char name[64], number[64];
    lab->parts = calloc(key->most, sizeof *lab->parts);
    if (!lab->parts) return lab_no_memory(r);
    while (lab_next_word(&at, name)) {
        uint64_t size = 0;
        struct lab_part *part = &lab->parts[lab->n_parts];
        if (lab->n_parts == key->most || strlen(name) >= sizeof part->name ||
            !lab_next_word(&at, number))
            return lab_fail(r, entry->line,
                            "%s: a short name and a size, at most %d of them",
                            key->name, (int)key->most);
        if (!lab_parse_number(r, key, number, 16, LAB_MAX_SIZE, entry->line,
                              &size))
            return false;
        memcpy(part->name, name, strlen(name) + 1);
        part->size = (size_t)size;
        lab->n_parts++;
    }
    return true;
}

bool lab_set_status_word(struct lab_reader *r, void *object,
                         const struct lab_key *key,
                         const struct ini_entry *entry) {
    struct lab_function *function = object;
    char error[STATUS_ERROR];
    function->status_word = calloc(1, sizeof *function->status_word);
    if (!function->status_word) return lab_no_memory(r);
    return status_word_parse(entry->value, function->status_word, error) ||
           lab_fail(r, entry->line, "%s: %s", key->name, error);
}

/* Words into a list of strings; the list is the object's as soon as it is made.
 */
static bool set_words(struct lab_reader *r, const struct lab_key *key,
                      const struct ini_entry *entry, char ***words,
                      size_t *n_words) {
    size_t n;
    if (!list_length(r, key, entry, &n)) return false;
    *words = calloc(n + 1, sizeof **words);
    if (!*words) return lab_no_memory(r);
    const char *at = entry->value;
    char word[64];
    while (*n_words < n && lab_next_word(&at, word)) {
        char *copy = strdup(word);
        if (!copy) return lab_no_memory(r);
        (*words)[(*n_words)++] = copy;
    }
    return true;
}

bool lab_set_requires(struct lab_reader *r, void *object,
                      const struct lab_key *key,
                      const struct ini_entry *entry) {
    struct lab *lab = object;
    return set_words(r, key, entry, &lab->requires, &lab->n_requires);
}

bool lab_set_schedules(struct lab_reader *r, void *object,
                       const struct lab_key *key,
                       const struct ini_entry *entry) {
    static const char *const names[] = {"in-order", "reverse", "random",
                                        "random:1"};
    struct lab_check *check = object;
    if (!set_words(r, key, entry, &check->schedules, &check->n_schedules))
        return false;
    for (size_t i = 0; i < check->n_schedules && check->schedules[i]; i++) {
        struct vgpu_options options = {0};
        const char *schedule = check->schedules[i];
        if (strcmp(schedule, "random") != 0 &&
            !vgpu_parse_schedule(schedule, &options))
            return lab_fail_unknown(r, entry->line, "schedule", schedule, names,
                                    sizeof names / sizeof *names);
    }
    return true;
}

static bool add_bound(struct lab_reader *r, struct lab_check *check,
                      const char *text, int line) {
    struct lab_bound *grown =
        realloc(check->bounds, (check->n_bounds + 1) * sizeof *check->bounds);
    if (!grown) return lab_no_memory(r);
    check->bounds = grown;
    struct lab_bound *bound = &grown[check->n_bounds++];
    *bound = (struct lab_bound){.text = strdup(text)};
    if (!bound->text) return lab_no_memory(r);
    char name[64], error[FORMULA_ERROR];
    const char *rest;
    char *zero = strstr(bound->text, " zero ");
    if (zero) *zero = '\0';
    if (!formula_split(bound->text, name, sizeof name, &bound->compare, &rest,
                       error))
        return lab_fail(r, line, "bound: %s", error);
    bound->counter = vgpu_counter_by_name(name);
    if (bound->counter < 0) {
        const char *names[VGPU_N_COUNTERS];
        for (int i = 0; i < VGPU_N_COUNTERS; i++)
            names[i] = vgpu_counter_name((vgpu_counter)i);
        return lab_fail_unknown(r, line, "counter", name, names,
                                VGPU_N_COUNTERS);
    }
    bound->limit = formula_parse(rest, error);
    if (bound->limit && zero)
        bound->zero = formula_parse(zero + strlen(" zero "), error);
    bool both = bound->limit && (bound->zero || !zero);
    return both || lab_fail(r, line, "bound: %s", error);
}

bool lab_set_bounds(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    struct lab_check *check = object;
    char *copy = strdup(entry->value), *state = NULL;
    if (!copy) return lab_no_memory(r);
    bool good = true;
    int line = entry->line;
    for (char *text = strtok_r(copy, "\n", &state); text && good;
         text = strtok_r(NULL, "\n", &state))
        good = check->n_bounds < key->most
                   ? add_bound(r, check, text, line++)
                   : lab_fail(r, line, "more than %d bounds", (int)key->most);
    free(copy);
    return good;
}

bool lab_set_ratio(struct lab_reader *r, void *object,
                   const struct lab_key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, text) #name,
#include "baselines.def"
#undef X
    };
    (void)key;
    struct lab_check *check = object;
    char name[64], error[FORMULA_ERROR], *end;
    const char *rest;
    enum formula_compare compare;
    if (!formula_split(entry->value, name, sizeof name, &compare, &rest,
                       error) ||
        compare != FORMULA_GE)
        return lab_fail(r, entry->line,
                        "ratio: '%s' is not 'baseline >= number'",
                        entry->value);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) != 0) continue;
        check->ratio = strtod(rest, &end);
        if (end == rest || *end || !isfinite(check->ratio) ||
            check->ratio <= 0 || check->ratio > 1000)
            return lab_fail(r, entry->line,
                            "ratio: '%s' is not a number above 0, up to 1000",
                            rest);
        check->ratio_baseline = strdup(name);
        return check->ratio_baseline || lab_no_memory(r);
    }
    return lab_fail_unknown(r, entry->line, "baseline", name, names,
                            sizeof names / sizeof *names);
}

bool lab_set_full(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    struct lab_check *check = object;
    char *end;
    (void)key;
    check->full = strtod(entry->value, &end);
    if (end != entry->value && !*end && isfinite(check->full) &&
        check->full > 0 && check->full <= 1000)
        return true;
    return lab_fail(r, entry->line,
                    "full: '%s' is not a number above 0, up to 1000",
                    entry->value);
}

bool lab_set_hint(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    struct lab_check *check = object;
    char **grown = realloc(check->hints, (check->n_hints + 1) * sizeof *grown);
    if (!grown) return lab_no_memory(r);
    check->hints = grown;
    grown[check->n_hints] = NULL;
    struct lab_key at_hint = *key;
    at_hint.offset = 0;
    if (!lab_set_text(r, &grown[check->n_hints], &at_hint, entry)) return false;
    check->n_hints++;
    return true;
}
