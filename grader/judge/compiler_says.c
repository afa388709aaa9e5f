/* SPDX-License-Identifier: MIT
 *
 * compiler_says.c: see compiler_says.h.
 */
#include "compiler_says.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "text.h"

enum { MESSAGE_LIMIT = 4000 };

/* Takes every occurrence of `part` out of `said`. */
static void remove_part(char *said, const char *part) {
    size_t size = strlen(part);
    for (char *at = said; size && (at = strstr(at, part));)
        memmove(at, at + size, strlen(at + size) + 1);
}

char *compiler_words(char *said, const char *fresh, const char *root) {
    static const char *const format = "%s/";
    char *parts[] = {text_format(format, fresh), text_format(format, root)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]) remove_part(said, parts[i]);
        free(parts[i]);
    }
    return text_printable(said, strlen(said), MESSAGE_LIMIT);
}

/* nvcc goes over a source twice, for host and device, and says most things
 * twice; how to switch a warning off is nothing a student should do. */
static char *without_repeats(char *said) {
    struct text kept = {0};
    char *rest = said;
    bool again = false;
    for (char *line; (line = strsep(&rest, "\n"));) {
        if (strstr(line, "): warning"))
            again = strstr(text_string(&kept), line) != NULL;
        if (again || !*line || strncmp(line, "Remark:", 7) == 0) continue;
        text_add(&kept, "%s\n", line);
    }
    return kept.bytes;
}

static char *file_in(const char *folder) {
    return text_format("%s/warnings", folder);
}

void compiler_warnings_write(const char *folder, char *words) {
    char *once = words ? without_repeats(words) : NULL;
    char *path = once ? file_in(folder) : NULL;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fputs(once, file);
        fclose(file);
    }
    free(path);
    free(once);
}

char *compiler_warnings_read(const char *folder) {
    size_t bytes;
    char *path = file_in(folder),
         *words = path ? digest_read(path, &bytes) : NULL;
    free(path);
    return words;
}
