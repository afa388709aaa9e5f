/* SPDX-License-Identifier: MIT
 *
 * fuzz_walls.c: what reads the words of scanlab-walls. The input is cut at NULs
 * into words; whatever they are, all that was understood lies in the tables,
 * and the command is one of the words.
 */
#define _GNU_SOURCE
#define main walls_main /* the program's, which nobody calls here */
#include "main.c"
#undef main

#include <stdint.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    enum { MOST_WORDS = 400 };
    char *words[MOST_WORDS + 1] = {0}, *text = malloc(bytes + 1);
    struct request r = {0};
    size_t n = 0;
    if (!text) abort();
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    for (size_t at = 0; at < bytes && n < MOST_WORDS; n++) {
        words[n] = text + at;
        at += strlen(text + at) + 1;
    }
    bool understood = read_words(&r, words);
    if (r.n_paths > MOST_PATHS) abort();
    if (understood && !r.probe && !*r.command) abort();
    if (understood && (r.command < words || r.command > words + n)) abort();
    for (size_t i = 0; i < r.n_paths; i++)
        if (!r.paths[i].path || r.paths[i].access > WALLS_FILL) abort();
    free(text);
    return 0;
}
