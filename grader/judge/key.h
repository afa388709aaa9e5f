/* SPDX-License-Identifier: MIT
 *
 * key.h: all that a compile reads, as a number that nobody can make twice:
 * SHA-256 (libmd). Each part is told from the next by its length.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include <sha2.h>

enum { KEY_TEXT = 2 * SHA256_DIGEST_LENGTH + 1 };

struct key {
    SHA2_CTX state;
};

void key_start(struct key *);
void key_bytes(struct key *, const void *, size_t);
void key_text(struct key *, const char *);
/* Path, size and time of change of a file of the system, which is told by these
 * and not by its bytes: compilers have a hundred MiB. */
void key_program(struct key *, const char *path);
void key_end(struct key *, char hexadecimal[KEY_TEXT]);
