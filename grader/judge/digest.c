/* SPDX-License-Identifier: MIT
 *
 * digest.c: see digest.h.
 */
#include "digest.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "text.h"

void digest_bytes(struct digest *h, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        h->a = (h->a ^ at[i]) * 0x100000001b3ull;
        h->b = (h->b ^ at[i]) * 0x10000000233ull;
    }
    h->a = (h->a ^ 0xff) * 0x100000001b3ull; /* where one part ends */
}

char *digest_read(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    struct text t = {0};
    char part[16384];
    size_t got;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        if (!text_append(&t, part, got, DIGEST_FILE_LIMIT)) break;
    int failed = ferror(file);
    fclose(file);
    if (failed)
        text_free(&t);
    else if (!t.bytes)
        t.bytes = calloc(1, 1);
    *bytes = t.size;
    return t.bytes;
}

static void hash_file(struct digest *h, const char *path) {
    size_t bytes = 0;
    char *content = path ? digest_read(path, &bytes) : NULL;
    if (content) digest_bytes(h, content, bytes);
    free(content);
}

void digest_headers(struct digest *h, const char *folder) {
    struct dirent **entries;
    int n = folder ? scandir(folder, &entries, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        char *path = text_format("%s/%s", folder, name);
        if (dot && (strncmp(dot, ".h", 2) == 0 || strncmp(dot, ".cuh", 4) == 0))
            hash_file(h, path);
        free(path);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

/* ---- libraries ---- */

/* The header's name from behind the mark's first character on, to its end. */
static char *name_at(const char *text, const char *const *marks) {
    for (; *marks; marks++) {
        const char *at = strstr(text, *marks);
        if (at)
            return text_format("%.*s", (int)strcspn(at + 1, " \\\n\">"),
                               at + 1);
    }
    return NULL;
}

/* Only what stands on the line of an #include. */
char *digest_library_in_source(const char *source) {
    static const char *const marks[] = {"<cub/", "<thrust/", "\"cub/",
                                        "\"thrust/", NULL};
    char *found = NULL;
    for (const char *at = source; !found && (at = strstr(at, "include"));) {
        at += strlen("include");
        char *line = text_format("%.*s", (int)strcspn(at, "\n"), at);
        if (line) found = name_at(line, marks);
        free(line);
    }
    return found;
}

char *digest_library_in_depends(const char *list) {
    static const char *const marks[] = {"/cub/", "/thrust/", NULL};
    return name_at(list, marks);
}

char *digest_next_name(const char **list) {
    const char *at = *list + strspn(*list, " \\\n");
    char *name = malloc(strlen(at) + 1);
    size_t size = 0;
    for (; name && *at && *at != ' ' && *at != '\n'; at++) {
        if (*at == '\\' && at[1]) at++;
        name[size++] = *at;
    }
    *list = at;
    if (size == 0) {
        free(name);
        return NULL;
    }
    name[size] = '\0';
    return name;
}
