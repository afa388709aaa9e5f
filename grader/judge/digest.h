/* SPDX-License-Identifier: MIT
 *
 * digest.h: a digest of what a compile depends on; and whether the compiler has
 * read CUB or Thrust.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two FNV-1a sums from different starts. A student who makes a collision harms
 * only their own grade. */
struct digest {
    uint64_t a, b;
};
#define DIGEST_START                                                           \
    { 0xcbf29ce484222325ull, 0x84222325cbf29ce4ull }

enum { DIGEST_FILE_LIMIT = 4 << 20 }; /* bytes of a file that are read */

/* The file's text with a NUL behind it; NULL: errno. */
char *digest_read(const char *path, size_t *bytes);
void digest_bytes(struct digest *, const void *bytes, size_t size);
/* All headers of a folder (.h..., .cuh), in the order of their names. */
void digest_headers(struct digest *, const char *folder);

/* The CUB or Thrust header that stands in a compiler's list of the files that
 * it has read: the toolkit's, or a copy of it in the submission. NULL: none; or
 * *error is errno of what could not be asked. To be freed. */
char *digest_library_in_depends(const char *list, int *error);
/* The next file name of such a list as make reads it, blanks in names behind a
 * backslash, without the backslashes. NULL: no more; or, with *list NULL as
 * well, no memory. To be freed. */
char *digest_next_name(const char **list);
