/* SPDX-License-Identifier: MIT
 *
 * cache.h: libraries that were compiled before, each in a folder of its own
 * whose name is the key of all that the compiler read. So an entry is used only
 * for a submission with the same bytes. Only the judge reads and writes the
 * cache; a runner may read the one library that it loads.
 *
 * Headers of the system and of the toolkit are no part of the key. The entry
 * lists their sizes and times of change, and is stale when one differs: no
 * submission can change these files, and hashing 20 MiB of them at each look
 * would take longer than some compiles.
 */
#pragma once

#include <stdbool.h>

#include "key.h"

enum { CACHE_ERROR_BYTES = 512, CACHE_USUAL_MIB = 256, CACHE_ENTRY_MIB = 32 };

struct cache {
    char *folder;
    unsigned most_mib;
};

/* given: the folder that was asked for; NULL: $SCANLAB_CACHE, else submissions/
 * in the build folder, or, if that cannot be written, in the user's cache
 * (own_folder.h). Refuses a folder that others can write. most_mib 0: the
 * usual. Removes what killed graders left there. false: set-up error, in error.
 */
bool cache_open(struct cache *, const char *given, const char *build_folder,
                unsigned most_mib, char error[CACHE_ERROR_BYTES]);
void cache_close(struct cache *);

/* The entry's folder, held so that nobody removes it: *held is a descriptor to
 * be closed. NULL: it is not there, or stale. To be freed. */
char *cache_take(const struct cache *, const char key[KEY_TEXT], int *held);
/* Keeps what lies in a folder of the compiler's: library.so, and depends, its
 * list of files that it read; and what it said. As cache_take. NULL: errno. */
char *cache_keep(const struct cache *, const char key[KEY_TEXT],
                 const char *made, char *warnings, int *held);
/* Removes what was used least recently until the rest is within the bound. What
 * is in use stays. */
void cache_trim(const struct cache *);
