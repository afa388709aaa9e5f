/* SPDX-License-Identifier: MIT
 *
 * lab_setters.c: values of one word or text: see lab_setters.h. Lists are
 * lab_lists.c's.
 */
#include "lab_setters.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vgpu.h>

#include "oracle.h"

bool lab_no_memory(struct lab_reader *r) {
    return lab_fail(r, 0, "out of memory");
}

bool lab_parse_number(struct lab_reader *r, const struct lab_key *key,
                      const char *text, uint64_t least, uint64_t most, int line,
                      uint64_t *number) {
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

static bool store_text(struct lab_reader *r, void *object,
                       const struct lab_key *key, const char *text) {
    char *copy = strdup(text);
    if (!copy) return lab_no_memory(r);
    for (char *c = copy; *c; c++)
        if (*c == '\n') *c = ' ';
    memcpy((char *)object + key->offset, &copy, sizeof copy);
    return true;
}

/* ---- setters ---- */
bool lab_set_text(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    if (!*entry->value)
        return lab_fail(r, entry->line, "%s is empty", key->name);
    return store_text(r, object, key, entry->value);
}

bool lab_set_id(struct lab_reader *r, void *object, const struct lab_key *key,
                const struct ini_entry *entry) {
    if (!is_name(entry->value, "-_"))
        return lab_fail(r, entry->line,
                        "%s: '%s' is not a name of letters, digits, - and _",
                        key->name, entry->value);
    return store_text(r, object, key, entry->value);
}

bool lab_set_symbol(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    if (!is_name(entry->value, "_") || isdigit((unsigned char)*entry->value))
        return lab_fail(r, entry->line, "symbol: '%s' is not a name in C",
                        entry->value);
    return store_text(r, object, key, entry->value);
}

bool lab_set_source(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
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

bool lab_set_header(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
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

bool lab_set_number(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    uint64_t number = 0;
    if (!lab_parse_number(r, key, entry->value, key->least, key->most,
                          entry->line, &number))
        return false;
    uint32_t narrow = (uint32_t)number;
    memcpy((char *)object + key->offset,
           key->size == sizeof narrow ? (void *)&narrow : (void *)&number,
           key->size);
    return true;
}

bool lab_set_yes_no(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    bool yes = strcmp(entry->value, "yes") == 0;
    if (!yes && strcmp(entry->value, "no") != 0)
        return lab_fail(r, entry->line, "%s: '%s' is neither yes nor no",
                        key->name, entry->value);
    memcpy((char *)object + key->offset, &yes, sizeof yes);
    return true;
}

bool lab_set_row(struct lab_reader *r, void *object, const struct lab_key *key,
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
    return lab_set_row(r, object, key, entry, table,                           \
                       sizeof table / sizeof *table)

bool lab_set_signature(struct lab_reader *r, void *object,
                       const struct lab_key *key,
                       const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, in, in2, out, out2, takes, types, call, prototype) #name,
#include "signatures.def"
#undef X
    };
    SET_ROW(names);
}

bool lab_set_oracle(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, function, shape, in, in2, out, out2, text) #name,
#include "oracles.def"
#undef X
    };
    SET_ROW(names);
}

bool lab_set_rule(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    struct lab_function *function = object;
    char error[FORMULA_ERROR];
    if (!function->rule) function->rule = calloc(1, sizeof *function->rule);
    if (!function->rule) return lab_no_memory(r);
    struct formula **of = strcmp(key->name, "keep") == 0 ? &function->rule->keep
                          : strcmp(key->name, "rule2") == 0
                              ? &function->rule->out2
                              : &function->rule->out;
    *of = formula_parse_rule(entry->value, error);
    return *of || lab_fail(r, entry->line, "%s: %s", key->name, error);
}

bool lab_set_way(struct lab_reader *r, void *object, const struct lab_key *key,
                 const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, text) #name,
#include "ways.def"
#undef X
    };
    SET_ROW(names);
}

bool lab_set_inputs(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(name, fill, text) #name,
#include "inputs.def"
#undef X
    };
    SET_ROW(names);
}

bool lab_set_kind(struct lab_reader *r, void *object, const struct lab_key *key,
                  const struct ini_entry *entry) {
    static const char *const names[] = {
#define X(NAME, name, text) #name,
#include "check_kinds.def"
#undef X
    };
    SET_ROW(names);
}

bool lab_set_memory_model(struct lab_reader *r, void *object,
                          const struct lab_key *key,
                          const struct ini_entry *entry) {
    static const char *const names[] = {
        [LAB_MEMORY_SC] = "sc", [LAB_MEMORY_WEAK] = "weak"};
    SET_ROW(names);
}

bool lab_set_profile(struct lab_reader *r, void *object,
                     const struct lab_key *key, const struct ini_entry *entry) {
    const struct vgpu_profile *profiles;
    size_t n = vgpu_profiles(&profiles);
    const char *names[n];
    for (size_t i = 0; i < n; i++) {
        names[i] = profiles[i].name;
        if (strcmp(names[i], entry->value) == 0)
            return store_text(r, object, key, entry->value);
    }
    return lab_fail_unknown(r, entry->line, key->name, entry->value, names, n);
}

bool lab_set_parent(struct lab_reader *r, void *object,
                    const struct lab_key *key, const struct ini_entry *entry) {
    const struct lab *lab = r->lab;
    const char *names[lab->n_checks];
    for (size_t i = 0; i < lab->n_checks; i++) names[i] = lab->checks[i].id;
    /* The last check is the one being read. */
    const char *own = names[lab->n_checks - 1];
    if (strcmp(own, entry->value) == 0)
        return lab_fail(r, entry->line, "check '%s' is its own parent", own);
    return lab_set_row(r, object, key, entry, names, lab->n_checks - 1);
}

bool lab_set_function(struct lab_reader *r, void *object,
                      const struct lab_key *key,
                      const struct ini_entry *entry) {
    const struct lab *lab = r->lab;
    const char *names[lab->n_functions + 1];
    for (size_t i = 0; i < lab->n_functions; i++)
        names[i] = lab->functions[i].id;
    return lab_set_row(r, object, key, entry, names, lab->n_functions);
}
