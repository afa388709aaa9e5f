/* SPDX-License-Identifier: MIT
 *
 * place.c: see place.h. binutils' addr2line does the work; it comes with gcc.
 */
#include "place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "text.h"

enum { MOST_OFFSETS = 16, OFFSET_BYTES = 24, LIMIT_MS = 5000 };

static void first_in_source(char *lines, const char *source,
                            struct place *place) {
    char *rest = lines;
    for (char *line; (line = strsep(&rest, "\n"));) {
        const char *base = text_base(line);
        size_t size = strlen(source);
        if (strncmp(base, source, size) != 0 || base[size] != ':') continue;
        unsigned long number = strtoul(base + size + 1, NULL, 10);
        if (!number) continue;
        place->file = text_format("%s", source);
        place->line = (unsigned)number;
        return;
    }
}

void place_find(const char *library, const char *source,
                const uint64_t *offsets, size_t n, struct place *place) {
    char words[MOST_OFFSETS][OFFSET_BYTES];
    const char *arguments[4 + MOST_OFFSETS + 1] = {"addr2line", "-i", "-e",
                                                   library};
    if (n > MOST_OFFSETS) n = MOST_OFFSETS;
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) {
        snprintf(words[i], sizeof words[i], "0x%llx",
                 (unsigned long long)offsets[i]);
        arguments[4 + i] = words[i];
    }
    struct command c = {
        .arguments = arguments, .limit_ms = LIMIT_MS, .output_limit = 1 << 16};
    if (command_run(&c) && c.output.bytes)
        first_in_source(c.output.bytes, source, place);
    text_free(&c.output);
}
