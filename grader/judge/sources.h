/* SPDX-License-Identifier: MIT
 *
 * sources.h: the files of a submission, or of a lab's headers, read once and
 * kept, so that what is hashed, compiled and judged is the same. Of a
 * submission only regular files come in, with a source's ending and a plain
 * name; links, FIFOs and devices are not opened. Everything has a bound.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "key.h"
#include "text.h"

enum {
    SOURCES_FILE_BYTES = 4 << 20, /* of one file: fewer */
    SOURCES_BYTES = 32 << 20,
    SOURCES_FILES = 1000,
    SOURCES_ENTRIES = 20000, /* names that are looked at */
    SOURCES_DEPTH = 8
};

struct source_file {
    char *name;  /* below the folder: "scan.cu", "parts/add.cuh" */
    char *bytes; /* with a NUL behind them */
    size_t size;
    bool unit;       /* compiled by itself (.cu, .c, ...), no header */
    const char *odd; /* why its text cannot be read; NULL: it can */
};

struct sources {
    struct source_file *files; /* by name */
    size_t n, bytes, entries;
    struct text left_out; /* a line for each file that looks like a source */
    bool are_too_many;    /* why sources_read read none */
};

/* ours: a lab's folder, whose headers alone are read, also behind links. false:
 * why is to be freed; NULL: out of memory. */
bool sources_read(struct sources *, const char *folder, bool ours, char **why);
const struct source_file *sources_find(const struct sources *,
                                       const char *name);
/* Why a file is not among them: "is a link". its_fault: of the submission, not
 * of a machine on which folders vanish or cannot be read. there: the folder
 * has something of that name. */
const char *sources_why_not(const char *folder, const char *name,
                            bool *its_fault, bool *there);
/* Writes them below a folder; the units only, but for one, when they are asked
 * for. false: errno. */
bool sources_write(const struct sources *, const char *folder, const char *unit,
                   bool all_units);
/* Do they differ in what sources_write writes with and without all_units? */
bool sources_has_other_units(const struct sources *, const char *unit);
/* Names and bytes of those that sources_write would write. */
void sources_key(const struct sources *, struct key *, const char *unit,
                 bool all_units);
void sources_free(struct sources *);
