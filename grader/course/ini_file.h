/* SPDX-License-Identifier: MIT
 *
 * ini_file.h: an ini file as sections and entries that know their lines. inih
 * splits the lines; what is added here are line numbers, joined continuation
 * lines, and errors for what inih lets pass (long lines, empty sections).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ini_entry {
    char *key, *value; /* continuation lines joined by '\n' */
    int line;
    bool continued;
};

struct ini_section {
    char *type,
        *name; /* "[check any-size]": "check", "any-size"; "[lab]": "" */
    int line;
    struct ini_entry *entries;
    size_t n_entries;
};

struct ini_file {
    struct ini_section *sections;
    size_t n_sections;
    int n_lines;
};

enum { INI_ERROR = 512 };

/* false on error, with "path:line: ..." in error; *file is empty then. */
bool ini_file_read(const char *path, struct ini_file *file,
                   char error[INI_ERROR]);
void ini_file_free(struct ini_file *);
