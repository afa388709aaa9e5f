/* SPDX-License-Identifier: MIT
 *
 * bits.h: a bit for every byte of memory. Two shadows are stored so: *written*,
 * and *data*, the taint (memory.h).
 *
 * The bits of the bytes 4k to 4k + 3 are the low four bits of bits[k]. Lanes
 * mostly access whole words, and often words that are not neighbours; with a
 * byte for each word, its bits are read and written without shifts. In *data*,
 * BITS_JOINED says that the word is joined (taint.h), which only a tainted word
 * can be. The upper three bits are 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BITS_WORD = 15 /* all of a word's */, BITS_JOINED = 16 };

/* The size in bytes of the array that has the bits of so many bytes. */
static inline uint64_t bits_size(uint64_t bytes) {
    return bytes / 4 + 16;
}

/* Sets, or asks for, the bits of `count` bytes from byte `from` on. */
void bits_set(uint8_t *bits, uint64_t from, uint64_t count, bool value);
bool bits_all(const uint8_t *bits, uint64_t from, uint64_t count);
bool bits_any(const uint8_t *bits, uint64_t from, uint64_t count);
/* Marks the words that these bytes lie in as joined, where a byte is tainted.
 * bits_joined: is one of the words joined? */
void bits_join(uint8_t *bits, uint64_t from, uint64_t count);
bool bits_joined(const uint8_t *bits, uint64_t from, uint64_t count);
/* Copies the bits of `count` bytes, from byte `from` of `source` to byte `at`
 * of `to`. Both may be the same array; then only ranges of whole words may
 * overlap. to NULL: does nothing. source NULL: counts as bits that are all
 * `absent`. */
void bits_copy(uint8_t *to, uint64_t at, const uint8_t *source, uint64_t from,
               uint64_t count, bool absent);
