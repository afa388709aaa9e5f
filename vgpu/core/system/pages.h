/* SPDX-License-Identifier: MIT
 *
 * pages.h: what the virtual GPU asks of the system it runs on, beside the C
 * library: pages of memory; words that several allocations share until one is
 * written; a file that the host program maps, too; how much memory there is.
 *
 * How to read this: pages_linux.c answers on Linux, pages_wasm.c in a web page,
 * where memory is one array that grows: there all pages are malloc's, and what
 * only asks for speed does nothing. CMake takes one of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many bytes as whole pages. */
uint64_t pages_whole(uint64_t bytes);
/* Of the machine; 0: not known. */
uint64_t pages_of_machine(void);

/* Zeros, in as large pages as there are; NULL: no memory. */
enum { LARGE_PAGE = 1 << 21 };
void *pages_map(size_t large_pages);
void pages_unmap(void *, size_t large_pages);
/* Wishes large pages for what lies in whole ones of the block. */
void pages_want_large(void *block, size_t bytes);

/* Words that are given out again and again, and copied where they are written.
 */
struct shared_words;
/* `repeats` copies of the bytes, one behind the other; NULL: no memory, or the
 * system has no such thing. */
struct shared_words *shared_words_new(const uint8_t *bytes, size_t n,
                                      size_t repeats);
void shared_words_free(struct shared_words *);
/* So many bytes of them, from the first on, begun again at their end. NULL: no
 * memory. */
uint8_t *shared_words_map(const struct shared_words *, size_t bytes);
/* Gives back what lies behind the first `left` bytes. */
void shared_words_cut(uint8_t *, size_t bytes, size_t left);
void shared_words_unmap(uint8_t *, size_t bytes);

/* Bytes of a file, seen by all that map it; NULL: not to be had. */
uint8_t *file_map(int file, uint64_t at, size_t bytes);
/* The file's bytes there are zeros from now on, and take no memory. */
void file_unmap(uint8_t *, int file, uint64_t at, size_t bytes);
