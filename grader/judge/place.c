/* SPDX-License-Identifier: MIT
 *
 * place.c: see place.h. binutils' addr2line does the work; it comes with gcc.
 */
#include "place.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "toolchain.h"
#include "walled.h"

enum { OPTIONS = 5, MOST_OFFSETS = 32, OFFSET_BYTES = 24, LIMIT_MS = 5000 };

/* Calls as addr2line says them, innermost first: a function's name, and where
 * it is called from. What nvcc makes of <<<...>>> is two calls, of a stub and,
 * from there on, of a function with the kernel's name and line: no place of
 * theirs is where the program launched. */
static void first_in_source(char *lines, const char *source,
                            struct place *place) {
    static const char stub[] = "_device_stub_";
    char *rest = lines;
    bool from_stub = false;
    size_t n = 0;
    for (char *function, *line;
         (function = strsep(&rest, "\n")) && (line = strsep(&rest, "\n"));) {
        bool launches = from_stub;
        from_stub = strstr(function, stub) != NULL;
        if (launches || from_stub) continue;
        const char *base = text_base(line);
        size_t size = strlen(source);
        if (strncmp(base, source, size) != 0 || base[size] != ':') continue;
        unsigned long number = strtoul(base + size + 1, NULL, 10);
        if (!number || number > UINT_MAX) continue;
        if (place->file) {
            if (n < PLACE_CALLERS) place->callers[n++] = (unsigned)number;
            continue;
        }
        place->file = text_format("%s", source);
        place->line = (unsigned)number;
    }
}

/* What addr2line says; NULL: it cannot be run, or said nothing. To be freed. */
static char *ask(const struct walled *walled, const char *library,
                 const char *const *arguments) {
    char *folder = text_format("%s", library), *said = NULL;
    char *slash = folder ? strrchr(folder, '/') : NULL;
    char *toolkit = walled_toolkit(arguments[0]);
    if (slash) *slash = '\0';
    const struct walled_tool tool = {.arguments = arguments,
                                     .folder = folder,
                                     .reads = {folder, toolkit},
                                     .limit_ms = LIMIT_MS,
                                     .output_limit = 1 << 16};
    struct walled_words words;
    struct command c;
    struct command_run run;
    if (slash && walled_start(walled, &tool, &words, &c, &run) == 0) {
        command_finish(&c, &run);
        if (command_worked(&c)) {
            said = c.output.bytes;
            c.output = (struct text){0};
        }
        text_free(&c.output);
        text_free(&c.trouble);
        walled_words_free(&words);
    }
    free(toolkit);
    free(folder);
    return said;
}

void place_find(const struct walled *walled, const char *library,
                const char *source, const uint64_t *offsets, size_t n,
                struct place *place) {
    char numbers[MOST_OFFSETS][OFFSET_BYTES];
    char *program = n && walled ? toolchain_in_path("addr2line") : NULL;
    const char *arguments[OPTIONS + MOST_OFFSETS + 1] = {program, "-i", "-f",
                                                         "-e", library};
    if (!program) return;
    for (size_t i = 0; i < n && i < MOST_OFFSETS; i++) {
        snprintf(numbers[i], sizeof numbers[i], "0x%llx",
                 (unsigned long long)offsets[i]);
        arguments[OPTIONS + i] = numbers[i];
    }
    char *said = ask(walled, library, arguments);
    if (said) first_in_source(said, source, place);
    free(said);
    free(program);
}
