/* SPDX-License-Identifier: MIT
 *
 * lab_keys.c: the keys of lab.ini. One setter per type of value; lab_keys.def
 * says which key uses which. A setter gets the object whose member it sets (a
 * struct lab, lab_function or lab_check) and the row; generic ones use the
 * row's offset, the others know their member. Everything allocated hangs on the
 * lab at once, so that lab_free is the only clean-up.
 */
#include "lab_keys.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vgpu.h>

#include "inputs.h"
#include "nearest.h"
#include "oracle.h"

enum { REQUIRED = 1, LINES = 2, AGAIN = 4 };

struct key;
typedef bool (*setter)(struct lab_reader *, void *object, const struct key *,
                       const struct ini_entry *);
struct key {
    enum lab_section section;
    const char *name;
    setter set;
    size_t offset, size; /* of the member */
    uint64_t least, most;
    unsigned flags;
};

/* ---- messages ---- */
bool lab_fail(struct lab_reader *r, int line, const char *format, ...) {
    char *text = r->error->message;
    const size_t size = sizeof r->error->message;
    if (*text) return false;
    int used = line > 0 ? snprintf(text, size, "%s:%d: ", r->path, line)
                        : snprintf(text, size, "%s: ", r->path);
    if (used < 0 || (size_t)used >= size) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

bool lab_fail_unknown(struct lab_reader *r, int line, const char *what,
                      const char *given, const char *const *names, size_t n) {
    const char *near = nearest_name(given, names, n);
    if (near)
        return lab_fail(r, line, "unknown %s '%s' (did you mean '%s'?)", what,
                        given, near);
    char known[256] = "";
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                 names[i]);
    }
    return lab_fail(r, line, "unknown %s '%s'; known: %s", what, given,
                    n ? known : "none");
}

static bool no_memory(struct lab_reader *r) {
    return lab_fail(r, 0, "out of memory");
}

/* ---- helpers ---- */
/* The next word of *at, separated by blanks; false at the end. Words that are
 * longer than the buffer are cut: no known word is. */
static bool next_word(const char **at, char word[64]) {
    while (isspace((unsigned char)**at)) ++*at;
    size_t length = strcspn(*at, " \t\n\r\v\f");
    if (length == 0) return false;
    snprintf(word, 64, "%.*s", (int)(length < 63 ? length : 63), *at);
    *at += length;
    return true;
}

static bool parse_number(struct lab_reader *r, const struct key *key,
                         const char *text, uint64_t least, uint64_t most,
                         int line, uint64_t *number) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end != '\0' || errno == ERANGE ||
        value < least || value > most)
        return lab_fail(r, line,
                        "%s: '%s' is not a whole number from %llu to %llu",
                        key->name, text, (unsigned long long)least,
                        (unsigned long long)most);
    *number = value;
    return true;
}

static bool is_name(const char *text, const char *also) {
    if (!isalnum((unsigned char)*text) && *text != '_') return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr(also, *text))
            return false;
    return true;
}

static size_t count_words(const char *text) {
    char word[64];
    size_t n = 0;
    while (next_word(&text, word)) n++;
    return n;
}

/* How many words a list has, when that is allowed. */
static bool list_length(struct lab_reader *r, const struct key *key,
                        const struct ini_entry *entry, size_t *n) {
    *n = count_words(entry->value);
    if (*n < key->least || *n > key->most)
        return lab_fail(r, entry->line,
                        "%s: %zu given, allowed are %llu to %llu", key->name,
                        *n, (unsigned long long)key->least,
                        (unsigned long long)key->most);
    return true;
}

static bool store_text(struct lab_reader *r, void *object,
                       const struct key *key, const char *text) {
    char *copy = strdup(text);
    if (!copy) return no_memory(r);
    for (char *c = copy; *c; c++)
        if (*c == '\n') *c = ' ';
    memcpy((char *)object + key->offset, &copy, sizeof copy);
    return true;
}

/* ---- setters ---- */
static bool set_text(struct lab_reader *r, void *object, const struct key *key,
                     const struct ini_entry *entry) {
    if (!*entry->value)
        return lab_fail(r, entry->line, "%s is empty", key->name);
    return store_text(r, object, key, entry->value);
}

static bool set_id(struct lab_reader *r, void *object, const struct key *key,
                   const struct ini_entry *entry) {
    if (!is_name(entry->value, "-_"))
        return lab_fail(r, entry->line,
                        "%s: '%s' is not a name of letters, digits, - and _",
                        key->name, entry->value);
    return store_text(r, object, key, entry->value);
}

static bool set_symbol(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    if (!is_name(entry->value, "_") || isdigit((unsigned char)*entry->value))
        return lab_fail(r, entry->line, "symbol: '%s' is not a name in C",
                        entry->value);
    return store_text(r, object, key, entry->value);
}

static bool set_source(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    const char *dot = strrchr(entry->value, '.');
    bool cuda = dot && strcmp(dot, ".cu") == 0;
    if (!is_name(entry->value, "-_.") ||
        !(cuda || (dot && strcmp(dot, ".c") == 0)))
        return lab_fail(r, entry->line,
                        "source: '%s' is not a file name ending in .c or .cu",
                        entry->value);
    r->lab->language = cuda ? LAB_CUDA : LAB_C;
    return store_text(r, object, key, entry->value);
}

static bool set_header(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    if (!is_name(entry->value, "-_."))
        return lab_fail(r, entry->line, "header: '%s' is not a file name",
                        entry->value);
    char path[4096];
    int used =
        snprintf(path, sizeof path, "%s/%s", r->lab->folder, entry->value);
    if (used < 0 || (size_t)used >= sizeof path || access(path, R_OK) != 0)
        return lab_fail(r, entry->line, "header: cannot read %s: %s", path,
                        strerror(errno));
    return store_text(r, object, key, entry->value);
}

static bool set_number(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    uint64_t number;
    if (!parse_number(r, key, entry->value, key->least, key->most, entry->line,
                      &number))
        return false;
    uint32_t narrow = (uint32_t)number;
    memcpy((char *)object + key->offset,
           key->size == sizeof narrow ? (void *)&narrow : (void *)&number,
           key->size);
    return true;
}

static bool set_yes_no(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    bool yes = strcmp(entry->value, "yes") == 0;
    if (!yes && strcmp(entry->value, "no") != 0)
        return lab_fail(r, entry->line, "%s: '%s' is neither yes nor no",
                        key->name, entry->value);
    memcpy((char *)object + key->offset, &yes, sizeof yes);
    return true;
}

/* A row of a table of names, found by name. */
static bool set_row(struct lab_reader *r, void *object, const struct key *key,
                    const struct ini_entry *entry, const char *const *names,
                    size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], entry->value) != 0) continue;
        int row = (int)i;
        memcpy((char *)object + key->offset, &row, sizeof row);
        return true;
    }
    return lab_fail_unknown(r, entry->line, key->name, entry->value, names, n);
}

#define SET_ROW(table)                                                         \
    return set_row(r, object, key, entry, table, sizeof table / sizeof *table)

static bool set_signature(struct lab_reader *r, void *object,
                          const struct key *key,
                          const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, types, call, prototype) #name,
#include "../judge/signatures.def"
#undef X
    };
    SET_ROW(names);
}

static bool set_oracle(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, function, shape, text) #name,
#include "oracles.def"
#undef X
    };
    SET_ROW(names);
}

static bool set_inputs(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, fill, text) #name,
#include "inputs.def"
#undef X
    };
    SET_ROW(names);
}

static bool set_kind(struct lab_reader *r, void *object, const struct key *key,
                     const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(NAME, name, text) #name,
#include "check_kinds.def"
#undef X
    };
    SET_ROW(names);
}

static bool set_parent(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    const struct lab *lab = r->lab;
    const char *names[lab->n_checks];
    for (size_t i = 0; i < lab->n_checks; i++) names[i] = lab->checks[i].id;
    /* The last check is the one being read. */
    const char *own = names[lab->n_checks - 1];
    if (strcmp(own, entry->value) == 0)
        return lab_fail(r, entry->line, "check '%s' is its own parent", own);
    return set_row(r, object, key, entry, names, lab->n_checks - 1);
}

static bool set_function(struct lab_reader *r, void *object,
                         const struct key *key, const struct ini_entry *entry) {
    const struct lab *lab = r->lab;
    const char *names[lab->n_functions + 1];
    for (size_t i = 0; i < lab->n_functions; i++)
        names[i] = lab->functions[i].id;
    return set_row(r, object, key, entry, names, lab->n_functions);
}

static bool set_sizes(struct lab_reader *r, void *object, const struct key *key,
                      const struct ini_entry *entry) {
    struct lab_check *check = object;
    size_t n;
    if (!list_length(r, key, entry, &n)) return false;
    check->sizes = calloc(n, sizeof *check->sizes);
    if (!check->sizes) return no_memory(r);
    const char *at = entry->value;
    char word[64];
    while (check->n_sizes < n && next_word(&at, word)) {
        uint64_t number;
        if (!parse_number(r, key, word, 0, LAB_MAX_SIZE, entry->line, &number))
            return false;
        check->sizes[check->n_sizes++] = (size_t)number;
    }
    return true;
}

static bool set_threads(struct lab_reader *r, void *object,
                        const struct key *key, const struct ini_entry *entry) {
    struct lab_check *check = object;
    size_t n;
    if (!list_length(r, key, entry, &n)) return false;
    check->threads = calloc(n, sizeof *check->threads);
    if (!check->threads) return no_memory(r);
    const char *at = entry->value;
    char word[64];
    while (check->n_threads < n && next_word(&at, word)) {
        uint64_t number;
        if (!parse_number(r, key, word, 1, 1024, entry->line, &number))
            return false;
        check->threads[check->n_threads++] = (int)number;
    }
    return true;
}

static bool set_vgpu_checks(struct lab_reader *r, void *object,
                            const struct key *key,
                            const struct ini_entry *entry) {
    static const char *const names[] = {"memcheck", "initcheck", "racecheck",
                                        "synccheck", "leakcheck"};
    struct lab_check *check = object;
    const char *at = entry->value;
    char word[64];
    while (next_word(&at, word)) {
        unsigned bit = vgpu_check_by_name(word);
        if (bit == 0)
            return lab_fail_unknown(r, entry->line, key->name, word, names,
                                    sizeof names / sizeof *names);
        check->vgpu_checks |= bit;
    }
    return true;
}

/* Words into a list of strings; the list is the object's as soon as it is made.
 */
static bool set_words(struct lab_reader *r, const struct key *key,
                      const struct ini_entry *entry, char ***words,
                      size_t *n_words) {
    size_t n;
    if (!list_length(r, key, entry, &n)) return false;
    *words = calloc(n + 1, sizeof **words);
    if (!*words) return no_memory(r);
    const char *at = entry->value;
    char word[64];
    while (*n_words < n && next_word(&at, word)) {
        (*words)[*n_words] = strdup(word);
        if (!(*words)[(*n_words)++]) return no_memory(r);
    }
    return true;
}

static bool set_requires(struct lab_reader *r, void *object,
                         const struct key *key, const struct ini_entry *entry) {
    struct lab *lab = object;
    return set_words(r, key, entry, &lab->requires, &lab->n_requires);
}

static bool set_schedules(struct lab_reader *r, void *object,
                          const struct key *key,
                          const struct ini_entry *entry) {
    static const char *const names[] = {"in-order", "reverse", "random",
                                        "random:1"};
    struct lab_check *check = object;
    if (!set_words(r, key, entry, &check->schedules, &check->n_schedules))
        return false;
    for (size_t i = 0; i < check->n_schedules; i++) {
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
    if (!grown) return no_memory(r);
    check->bounds = grown;
    struct lab_bound *bound = &grown[check->n_bounds++];
    *bound = (struct lab_bound){.text = strdup(text)};
    if (!bound->text) return no_memory(r);
    char name[64], error[FORMULA_ERROR];
    const char *rest;
    if (!formula_split(text, name, sizeof name, &bound->compare, &rest, error))
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
    return bound->limit || lab_fail(r, line, "bound: %s", error);
}

static bool set_bounds(struct lab_reader *r, void *object,
                       const struct key *key, const struct ini_entry *entry) {
    struct lab_check *check = object;
    char *copy = strdup(entry->value), *state = NULL;
    if (!copy) return no_memory(r);
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

static bool set_ratio(struct lab_reader *r, void *object, const struct key *key,
                      const struct ini_entry *entry) {
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
        return check->ratio_baseline || no_memory(r);
    }
    return lab_fail_unknown(r, entry->line, "baseline", name, names,
                            sizeof names / sizeof *names);
}

static bool set_hint(struct lab_reader *r, void *object, const struct key *key,
                     const struct ini_entry *entry) {
    struct lab_check *check = object;
    char **grown = realloc(check->hints, (check->n_hints + 1) * sizeof *grown);
    if (!grown) return no_memory(r);
    check->hints = grown;
    grown[check->n_hints] = NULL;
    struct key at_hint = *key;
    at_hint.offset = 0;
    if (!set_text(r, &grown[check->n_hints], &at_hint, entry)) return false;
    check->n_hints++;
    return true;
}

/* ---- the table ---- */
static const struct key keys[] = {
#define X(object, name, set, member, least, most, flags)                       \
    {SECTION_##object,                                                         \
     #name,                                                                    \
     set,                                                                      \
     offsetof(struct object, member),                                          \
     sizeof(((struct object *)NULL)->member),                                  \
     least,                                                                    \
     most,                                                                     \
     flags},
#include "lab_keys.def"
#undef X
};
enum { N_KEYS = sizeof keys / sizeof *keys };

bool lab_has_key(const struct ini_section *section, const char *key) {
    return lab_key_line(section, key) > 0;
}

int lab_key_line(const struct ini_section *section, const char *key) {
    for (size_t i = 0; i < section->n_entries; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return section->entries[i].line;
    return 0;
}

static const struct key *find_key(struct lab_reader *r,
                                  enum lab_section section,
                                  const struct ini_entry *entry) {
    const char *names[N_KEYS];
    size_t n = 0;
    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].section != section) continue;
        if (strcmp(keys[i].name, entry->key) == 0) return &keys[i];
        names[n++] = keys[i].name;
    }
    lab_fail_unknown(r, entry->line, "key", entry->key, names, n);
    return NULL;
}

static bool set_entry(struct lab_reader *r, enum lab_section section,
                      void *object, const struct ini_section *ini, size_t i) {
    const struct ini_entry *entry = &ini->entries[i];
    const struct key *key = find_key(r, section, entry);
    if (!key) return false;
    int first = lab_key_line(ini, entry->key);
    if (first != entry->line && !(key->flags & AGAIN))
        return lab_fail(r, entry->line, "%s is already set in line %d",
                        key->name, first);
    if (entry->continued && !(key->flags & LINES))
        return lab_fail(r, entry->line + 1,
                        "this indented line continues '%s', which takes one "
                        "line; do not indent keys",
                        key->name);
    return key->set(r, object, key, entry);
}

bool lab_set_keys(struct lab_reader *r, enum lab_section section, void *object,
                  const struct ini_section *ini) {
    for (size_t i = 0; i < ini->n_entries; i++)
        if (!set_entry(r, section, object, ini, i)) return false;
    for (size_t i = 0; i < N_KEYS; i++)
        if (keys[i].section == section && (keys[i].flags & REQUIRED) &&
            !lab_has_key(ini, keys[i].name))
            return lab_fail(r, ini->line, "[%s%s%s] has no '%s'", ini->type,
                            *ini->name ? " " : "", ini->name, keys[i].name);
    return true;
}
