/* SPDX-License-Identifier: MIT
 *
 * tree.h: folders that the judge makes, fills and removes, which a hostile
 * compile may have filled too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a folder and those above it, for us alone. false: errno. */
bool tree_make(const char *path);
/* Removes a folder with all that is in it, however deep; follows no links. */
void tree_remove(const char *path);
/* Do these folders, NULL at the end, have together at most so many files and
 * folders and so many MiB, and none of them many levels? False also if one
 * cannot be read. */
bool tree_within(const char *const *folders, unsigned most_files,
                 unsigned most_mib);
/* The bytes of the files that lie directly in a folder. */
uint64_t tree_bytes(const char *path);
/* An ordinary file, no link, no larger than `most`: its bytes with a NUL behind
 * them; NULL: it is none, or errno. To be freed. */
char *tree_read(const char *path, size_t most, size_t *bytes);
/* false: errno. */
bool tree_write(const char *path, const void *bytes, size_t size);
/* Is it the same folder, however it is named? No folder is none (NULL). */
bool tree_is(const char *, const char *or_null);
