/* SPDX-License-Identifier: MIT
 *
 * bits.h: a bit for every byte of memory, as the shadows *written* and *data*
 * have them (memory.h).
 *
 * The bits of the bytes 4k to 4k + 3 are the low four bits of bits[k]: lanes
 * mostly access whole words, often not neighbouring ones, and so one word's
 * bits are read and written without shifts. One of the other four bits says
 * that the word is joined (taint.h), if it is tainted; the rest stay 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { BITS_WORD = 15 /* all of a word's */, BITS_JOINED = 16 };

/* Bytes that the bits of so many bytes take. */
static inline uint64_t bits_size(uint64_t bytes) {
    return bytes / 4 + 16;
}

/* Of `count` bytes from byte `from` on. */
void bits_set(uint8_t *bits, uint64_t from, uint64_t count, bool value);
bool bits_all(const uint8_t *bits, uint64_t from, uint64_t count);
bool bits_any(const uint8_t *bits, uint64_t from, uint64_t count);
/* The words of these bytes are joined, if they have data; one of them is. */
void bits_join(uint8_t *bits, uint64_t from, uint64_t count);
bool bits_joined(const uint8_t *bits, uint64_t from, uint64_t count);
/* From byte `from` of another (or the same, but only whole words may overlap).
 * to NULL: nothing to do; source NULL: its bits are all `absent`. */
void bits_copy(uint8_t *to, uint64_t at, const uint8_t *source, uint64_t from,
               uint64_t count, bool absent);
