/* SPDX-License-Identifier: MIT
 *
 * charges.h: adds up the memory of this machine that a device holds because of
 * the program: not only the bytes it asked for, but also images, what is made
 * of them, the blocks of a launch, and what checks remember.
 *
 * How to read this: memory that a program causes to be allocated is allocated
 * here, with a text that says what for. Several devices may run at the same
 * time: each always has a part of the limit, its share. A device that needs
 * more calls `more` once, which may wait until another device has ended. The
 * first refusal is kept, for a finding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct charges {
    uint64_t held, peak;
    uint64_t limit; /* 0: none */
    uint64_t share; /* below the limit: as much may be held without `more` */
    bool (*more)(void *);
    void *user;
    bool has_more;
    /* The first refusal; refused NULL: none. */
    const char *refused; /* what for */
    uint64_t refused_bytes, refused_held;
};

/* False: refused. what: a text that stays, such as "an image"; NULL: the
 * caller does without the memory, and nothing is reported. */
bool charges_add(struct charges *, uint64_t bytes, const char *what);
void charges_drop(struct charges *, uint64_t bytes);
/* Notes a refusal of so many bytes by code that counts its memory itself. */
void charges_refuse(struct charges *, uint64_t bytes, const char *what);
/* How many bytes may still be added; all: calls `more` first, if it has to. */
uint64_t charges_room(struct charges *, bool all);

/* Memory that is charged; NULL: refused, or there is none, as where `bytes` is
 * no size_t. Zeroed; or as it comes, aligned to 64 bytes. */
void *charges_zeroed(struct charges *, uint64_t bytes, const char *what);
void *charges_bytes(struct charges *, uint64_t bytes, const char *what);
void charges_free(struct charges *, void *); /* NULL: nothing to do */
/* For a new block that will be accessed at random: asks the system for large
 * pages, with which such accesses are faster. The system may refuse. */
void charges_large_pages(void *block, size_t bytes);
/* Zeroed memory that asks for large pages first, if it is worth one; the same
 * number of bytes gives it back. NULL: refused, or there is none. */
void *charges_map(struct charges *, uint64_t bytes, const char *what);
/* NULL: nothing. */
void charges_unmap(struct charges *, void *, uint64_t bytes);
/* A larger block with the bytes of this one, which is gone; NULL: it stays. */
void *charges_grown(struct charges *, void *block, size_t old, size_t bytes,
                    const char *what);
char *charges_text(struct charges *, const char *text, const char *what);
