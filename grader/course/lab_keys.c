/* SPDX-License-Identifier: MIT
 *
 * lab_keys.c: the table of keys, made from lab_keys.def, and the messages of
 * everything that reads a lab.
 */
#include "lab_keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab_setters.h"
#include "nearest.h"
#include "rules.h"

enum { REQUIRED = 1, LINES = 2, AGAIN = 4, MOST_VALUES = 64 };

/* ---- messages ---- */
static bool is_over(const struct lab_reader *r, int line) {
    return r->lab && r->lab->overlay && line > r->lab->overlay_from;
}

int lab_own_line(const struct lab_reader *r, int line) {
    return is_over(r, line) ? line - r->lab->overlay_from : line;
}

bool lab_fail(struct lab_reader *r, int line, const char *format, ...) {
    char *text = r->error->message;
    const char *path = is_over(r, line) ? r->lab->overlay : r->path;
    line = lab_own_line(r, line);
    const size_t size = sizeof r->error->message;
    if (*text) return false;
    int used = line > 0 ? snprintf(text, size, "%s:%d: ", path, line)
                        : snprintf(text, size, "%s: ", path);
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

/* ---- the table ---- */
static const struct lab_key keys[] = {
#define X(object, name, set, member, least, most, flags)                       \
    {SECTION_##object,                                                         \
     #name,                                                                    \
     lab_##set,                                                                \
     offsetof(struct object, member),                                          \
     sizeof(((struct object *)NULL)->member),                                  \
     least,                                                                    \
     most,                                                                     \
     flags},
#include "lab_keys.def"
#include "course_keys.def"
#undef X
#define X(name, least, most, usual, values, text)                              \
    {SECTION_lab_check,                                                        \
     #name,                                                                    \
     lab_set_parameter,                                                        \
     offsetof(struct lab_check, parameters[PARAMETER_##name]),                 \
     sizeof(struct int_list),                                                  \
     1,                                                                        \
     MOST_VALUES,                                                              \
     LINES},
#include "parameters.def"
#undef X
};
enum { N_KEYS = sizeof keys / sizeof *keys };

/* Is the key written in the section? */
static bool lab_has_key(const struct ini_section *section, const char *key) {
    return lab_key_line(section, key) > 0;
}

int lab_key_line(const struct ini_section *section, const char *key) {
    for (size_t i = 0; i < section->n_entries; i++)
        if (strcmp(section->entries[i].key, key) == 0)
            return section->entries[i].line;
    return 0;
}

static const struct lab_key *find_key(struct lab_reader *r,
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
    const struct lab_key *key = find_key(r, section, entry);
    if (!key) return false;
    int first = lab_key_line(ini, entry->key);
    if (first != entry->line && !(key->flags & AGAIN))
        return lab_fail(r, entry->line, "%s is already set in line %d",
                        key->name, lab_own_line(r, first));
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
