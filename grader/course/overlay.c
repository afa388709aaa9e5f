/* SPDX-License-Identifier: MIT
 *
 * overlay.c: see overlay.h.
 */
#include "overlay.h"

#include <stdlib.h>
#include <string.h>

static struct ini_section *overlay_find(struct ini_file *file, size_t n,
                                        const struct ini_section *like) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(file->sections[i].type, like->type) == 0 &&
            strcmp(file->sections[i].name, like->name) == 0)
            return &file->sections[i];
    return NULL;
}

static void count_on(struct ini_file *over, int lines) {
    for (size_t s = 0; s < over->n_sections; s++) {
        over->sections[s].line += lines;
        for (size_t e = 0; e < over->sections[s].n_entries; e++)
            over->sections[s].entries[e].line += lines;
    }
}

static void remove_key(struct ini_section *section, const char *key) {
    size_t kept = 0;
    for (size_t e = 0; e < section->n_entries; e++) {
        struct ini_entry *entry = &section->entries[e];
        if (strcmp(entry->key, key) != 0) {
            section->entries[kept++] = *entry;
            continue;
        }
        free(entry->key);
        free(entry->value);
    }
    section->n_entries = kept;
}

/* Moves the entries; what is left of `from` owns none. */
static bool replace(struct ini_section *to, struct ini_section *from) {
    struct ini_entry *grown =
        realloc(to->entries, (to->n_entries + from->n_entries) * sizeof *grown);
    if (!grown) return false;
    to->entries = grown;
    for (size_t e = 0; e < from->n_entries; e++)
        remove_key(to, from->entries[e].key);
    memcpy(to->entries + to->n_entries, from->entries,
           from->n_entries * sizeof *grown);
    to->n_entries += from->n_entries;
    from->n_entries = 0;
    return true;
}

static bool append(struct ini_file *base, struct ini_section *section) {
    struct ini_section *grown =
        realloc(base->sections, (base->n_sections + 1) * sizeof *grown);
    if (!grown) return false;
    base->sections = grown;
    grown[base->n_sections++] = *section;
    *section = (struct ini_section){0};
    return true;
}

bool overlay_lay(struct ini_file *base, struct ini_file *over,
                 const struct ini_section **twice) {
    size_t n = base->n_sections;
    count_on(over, base->n_lines);
    *twice = NULL;
    for (size_t s = 1; s < over->n_sections; s++)
        if (overlay_find(over, s, &over->sections[s]))
            *twice = &over->sections[s];
    if (*twice) return false;
    for (size_t s = 0; s < over->n_sections; s++) {
        struct ini_section *own = overlay_find(base, n, &over->sections[s]);
        if (!(own ? replace(own, &over->sections[s])
                  : append(base, &over->sections[s])))
            return false;
    }
    return true;
}
