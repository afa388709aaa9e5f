/* SPDX-License-Identifier: MIT
 *
 * digest.c: see digest.h.
 */
#include "digest.h"

#include <errno.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static bool is_component(const char *at, size_t size, const char *name) {
    return strlen(name) == size && memcmp(at, name, size) == 0;
}

/* What follows the include folder in the path of a library's header:
 * "cub/cub.cuh" of "/usr/include/cub/cub.cuh". Only a whole name of a folder
 * counts. NULL: it is no such path. */
static const char *below_include(const char *path) {
    const char *found = NULL;
    for (const char *at = path, *slash; (slash = strchr(at, '/'));
         at = slash + 1)
        if (is_component(at, (size_t)(slash - at), "cub") ||
            is_component(at, (size_t)(slash - at), "thrust"))
            found = at;
    return found;
}

/* The folder of the toolkit's headers, by one that nvcc always reads. NULL:
 * none was read. To be freed. */
static char *toolkit_headers(const char *list, int *error) {
    for (char *name; (name = digest_next_name(&list)); free(name)) {
        char *slash = strrchr(name, '/');
        if (*name != '/' || strcmp(slash + 1, "cuda_runtime.h") != 0) continue;
        *slash = '\0';
        return name;
    }
    if (!list) *error = ENOMEM;
    return NULL;
}

/* A folder of the submission may be called cub, too; a copy of the library's
 * header is there under the name that the toolkit has for it. */
static bool toolkit_has(const char *headers, const char *name, int *error) {
    static const char *const folders[] = {"", "/cccl"};
    bool found = false;
    for (size_t i = 0; headers && !found && i < 2; i++) {
        char *path = text_format("%s%s/%s", headers, folders[i], name);
        found = path && access(path, F_OK) == 0;
        if (!found && (!path || (errno != ENOENT && errno != ENOTDIR)))
            *error = path ? errno : ENOMEM;
        free(path);
    }
    return found;
}

char *digest_library_in_depends(const char *list, int *error) {
    *error = 0;
    char *headers = toolkit_headers(list, error), *found = NULL;
    for (char *name; !found && (name = digest_next_name(&list)); free(name)) {
        const char *header = below_include(name);
        if (header && (*name == '/' || toolkit_has(headers, header, error))) {
            found = text_format("%s", header);
            if (!found) *error = ENOMEM;
        }
    }
    if (!list) *error = ENOMEM;
    free(headers);
    return found;
}

char *digest_next_name(const char **list) {
    const char *at = *list + strspn(*list, " \\\n");
    char *name = malloc(strlen(at) + 1);
    size_t size = 0;
    if (!name) {
        *list = NULL;
        return NULL;
    }
    for (; *at && *at != ' ' && *at != '\n'; at++) {
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
