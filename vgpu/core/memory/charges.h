/* SPDX-License-Identifier: MIT
 *
 * charges.h: adds up the memory of the host that a device uses for a program:
 * the bytes that the program asked for, its images and what is decoded from
 * them, the blocks of a launch, and the shadows of checks.
 *
 * How to read this: code that allocates memory because of the program allocates
 * it here, and says in a text what for. Several devices may run at the same
 * time. Each may always use `share`, a part of its limit. The first time that
 * it needs more, it calls `more`, which may wait until another device is done;
 * if `more` returns true, the device may use its whole limit from then on. The
 * first refusal is kept, for a finding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct charges {
    uint64_t held, peak;
    uint64_t limit; /* 0: none */
    uint64_t share; /* so much of it may be used without calling `more` */
    bool (*more)(void *);
    void *user;    /* more's argument */
    bool has_more; /* `more` has returned true */
    /* The first refusal; refused NULL: none. */
    const char *refused; /* what for */
    uint64_t refused_bytes, refused_held;
};

/* False: refused. what: a text that is never freed, such as "an image". NULL:
 * the caller can do without the memory, so that a refusal is no finding. */
bool charges_add(struct charges *, uint64_t bytes, const char *what);
void charges_drop(struct charges *, uint64_t bytes);
/* Notes a refusal of so many bytes by code that counts its memory itself. */
void charges_refuse(struct charges *, uint64_t bytes, const char *what);
/* How many bytes may still be added. all: of the whole limit, for which `more`
 * is called if it has not been; else of what the device may use already. */
uint64_t charges_room(struct charges *, bool all);

/* Allocates memory and charges it: zeroed memory; memory with any contents,
 * aligned to 64 bytes. NULL: refused, or the host has none, or `bytes` is more
 * than malloc can be asked for. */
void *charges_zeroed(struct charges *, uint64_t bytes, const char *what);
void *charges_bytes(struct charges *, uint64_t bytes, const char *what);
void charges_free(struct charges *, void *); /* NULL: nothing to do */
/* For a new block that will be accessed at random: asks the system for large
 * pages, with which such accesses are faster. The system may refuse. */
void charges_large_pages(void *block, size_t bytes);
/* Zeroed memory, on large pages if it is as large as one and the system has
 * them. charges_unmap with the same number of bytes frees it. NULL: refused, or
 * the host has none. */
void *charges_map(struct charges *, uint64_t bytes, const char *what);
/* NULL: does nothing. */
void charges_unmap(struct charges *, void *, uint64_t bytes);
/* As realloc: a larger block with the bytes of this one, which is freed. NULL:
 * no memory, and this one is still there. */
void *charges_grown(struct charges *, void *block, size_t old, size_t bytes,
                    const char *what);
char *charges_text(struct charges *, const char *text, const char *what);
