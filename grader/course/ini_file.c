/* SPDX-License-Identifier: MIT
 *
 * ini_file.c: inih asks next_line for each line, then calls on_entry for what
 * stood on it. So at the time of a call the reader knows the line's number and
 * whether it was indented (a continuation), neither of which inih tells.
 */
#include "ini_file.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    FILE *stream;
    const char *path;
    struct ini_file *file;
    char *error;
    int line;
    int section_line; /* of the last line that began with '[' */
    bool indented;    /* the last line began with a blank */
    bool failed;
};

__attribute__((format(printf, 3, 4))) static void
fail(struct reader *r, int line, const char *format, ...) {
    if (r->failed) return; /* the first one counts */
    r->failed = true;
    int used = line > 0
                   ? snprintf(r->error, INI_ERROR, "%s:%d: ", r->path, line)
                   : snprintf(r->error, INI_ERROR, "%s: ", r->path);
    if (used < 0 || used >= INI_ERROR) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error + used, (size_t)(INI_ERROR - used), format, arguments);
    va_end(arguments);
}

static struct ini_section *last_section(const struct reader *r) {
    struct ini_file *file = r->file;
    return file->n_sections ? &file->sections[file->n_sections - 1] : NULL;
}

/* A section shows up in the file only with its first key. */
static void check_section_used(struct reader *r) {
    const struct ini_section *last = last_section(r);
    if (r->section_line > 0 && (!last || last->line != r->section_line))
        fail(r, r->section_line, "the section is empty");
}

/* A byte order mark is no part of the text. */
static bool begins_as_text(struct reader *r, char *buffer, size_t *length) {
    static const char mark[] = "\xef\xbb\xbf";
    const unsigned char *bytes = (const unsigned char *)buffer;
    if (*length > 1 && bytes[0] + bytes[1] == 0xff + 0xfe) {
        fail(r, 1, "the file is UTF-16; save it as UTF-8");
        return false;
    }
    if (strncmp(buffer, mark, sizeof mark - 1) != 0) return true;
    *length -= sizeof mark - 1;
    memmove(buffer, buffer + sizeof mark - 1, *length + 1);
    return true;
}

static char *next_line(char *buffer, int size, void *user) {
    struct reader *r = user;
    if (r->failed) return NULL;
    if (!fgets(buffer, size, r->stream)) {
        if (ferror(r->stream)) fail(r, 0, "cannot read: %s", strerror(errno));
        return NULL;
    }
    r->line++;
    size_t length = strlen(buffer);
    if (r->line == 1 && !begins_as_text(r, buffer, &length)) return NULL;
    if (length == (size_t)size - 1 && buffer[length - 1] != '\n') {
        fail(r, r->line,
             "the line is longer than %d characters; go on in an indented line",
             size - 2);
        return NULL;
    }
    r->indented = isspace((unsigned char)*buffer) != 0;
    const char *start = buffer;
    while (isspace((unsigned char)*start)) start++;
    if (*start == '[') {
        check_section_used(r);
        r->section_line = r->line;
    }
    return buffer;
}

/* Grows an array by one zeroed element; NULL without memory. */
static void *grow(void *array, size_t *n, size_t size) {
    void *base; /* array is the address of some pointer, of any type */
    memcpy(&base, array, sizeof base);
    char *grown = realloc(base, (*n + 1) * size);
    if (!grown) return NULL;
    memcpy(array, &grown, sizeof grown);
    memset(grown + *n * size, 0, size);
    return grown + (*n)++ * size;
}

static struct ini_section *section_for(struct reader *r, const char *heading) {
    struct ini_section *section = last_section(r);
    if (section && section->line == r->section_line) return section;
    section = grow(&r->file->sections, &r->file->n_sections, sizeof *section);
    if (!section) return NULL;
    size_t length = strcspn(heading, " \t");
    const char *name = heading + length;
    while (isspace((unsigned char)*name)) name++;
    section->type = strndup(heading, length);
    section->name = strdup(name);
    section->line = r->section_line;
    return section->type && section->name ? section : NULL;
}

/* Length without a comment: inih takes it off first lines only. */
static size_t without_comment(const char *value) {
    const char *end = value;
    while ((end = strchr(end, ';')) != NULL) {
        if (end == value || isspace((unsigned char)end[-1])) break;
        end++;
    }
    size_t length = end ? (size_t)(end - value) : strlen(value);
    while (length > 0 && isspace((unsigned char)value[length - 1])) length--;
    return length;
}

static bool continue_entry(struct ini_entry *entry, const char *value) {
    size_t length = strlen(entry->value), more = without_comment(value);
    char *joined = realloc(entry->value, length + more + 2);
    if (!joined) return false;
    joined[length] = '\n';
    memcpy(joined + length + 1, value, more);
    joined[length + 1 + more] = '\0';
    entry->value = joined;
    entry->continued = true;
    return true;
}

static bool new_entry(struct ini_section *section, const char *key,
                      const char *value, int line) {
    struct ini_entry *entry =
        grow(&section->entries, &section->n_entries, sizeof *entry);
    if (!entry) return false;
    entry->key = strdup(key);
    entry->value = strdup(value);
    entry->line = line;
    return entry->key && entry->value;
}

static int on_entry(void *user, const char *heading, const char *key,
                    const char *value) {
    struct reader *r = user;
    if (r->failed) return 0;
    if (r->section_line == 0) {
        fail(r, r->line, "'%s' stands before the first [section]", key);
        return 0;
    }
    struct ini_section *section = section_for(r, heading);
    bool good = false;
    if (section) {
        struct ini_entry *last = section->n_entries
                                     ? &section->entries[section->n_entries - 1]
                                     : NULL;
        if (r->indented && last && strcmp(last->key, key) == 0)
            good = continue_entry(last, value);
        else
            good = new_entry(section, key, value, r->line);
    }
    if (!good) fail(r, r->line, "out of memory");
    return good;
}

bool ini_file_read(const char *path, struct ini_file *file,
                   char error[INI_ERROR]) {
    *file = (struct ini_file){0};
    struct reader r = {.path = path, .file = file, .error = error};
    r.stream = fopen(path, "r");
    if (!r.stream) {
        fail(&r, 0, "cannot open: %s", strerror(errno));
        return false;
    }
    int bad_line = ini_parse_stream(next_line, &r, on_entry, &r);
    if (bad_line != 0)
        fail(&r, bad_line > 0 ? bad_line : 0,
             bad_line > 0 ? "neither '[section]' nor 'key = value'"
                          : "out of memory");
    check_section_used(&r);
    file->n_lines = r.line;
    fclose(r.stream);
    if (r.failed) ini_file_free(file);
    return !r.failed;
}

void ini_file_free(struct ini_file *file) {
    for (size_t s = 0; s < file->n_sections; s++) {
        struct ini_section *section = &file->sections[s];
        for (size_t e = 0; e < section->n_entries; e++) {
            free(section->entries[e].key);
            free(section->entries[e].value);
        }
        free(section->entries);
        free(section->type);
        free(section->name);
    }
    free(file->sections);
    *file = (struct ini_file){0};
}
