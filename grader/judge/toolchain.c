/* SPDX-License-Identifier: MIT
 *
 * toolchain.c: see toolchain.h.
 */
#include "toolchain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static bool is_program(const char *path) {
    struct stat file;
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
           access(path, X_OK) == 0;
}

static char *if_program(char *path) {
    if (path && is_program(path)) return path;
    free(path);
    return NULL;
}

char *toolchain_in_path(const char *name) {
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t size = strcspn(path, ":");
        char *found = if_program(text_format("%.*s/%s", (int)size, path, name));
        if (found) return found;
        path += size + (path[size] == ':');
    }
    return NULL;
}

static char *first_line(const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file) return NULL;
    if (getline(&line, &room, file) < 0) {
        free(line);
        line = NULL;
    } else {
        line[strcspn(line, "\r\n")] = '\0';
    }
    fclose(file);
    return line;
}

/* Of an installed ScanLab, which can be moved, with the nvcc that it brings. */
static char *path_from(const char *folder, const char *path) {
    return *path == '/' ? text_format("%s", path)
                        : text_format("%s/%s", folder, path);
}

char *toolchain_nvcc(const char *build_folder) {
    const char *given = getenv("SCANLAB_NVCC"), *home = getenv("CUDA_HOME");
    char *found = given && *given ? if_program(text_format("%s", given)) : NULL;
    if (!found) {
        char *note = text_format("%s/nvcc-path", build_folder);
        char *noted = note ? first_line(note) : NULL;
        if (noted) found = if_program(path_from(build_folder, noted));
        free(noted);
        free(note);
    }
    if (!found) found = toolchain_in_path("nvcc");
    if (!found && home && *home)
        found = if_program(text_format("%s/bin/nvcc", home));
    if (!found) found = if_program(text_format("/usr/local/cuda/bin/nvcc"));
    return found;
}

/* lib/, as the wheels have it: no lib64, or a folder of links to it. */
static char *wheel_libraries(const char *nvcc, int *version) {
    char *top = realpath(nvcc, NULL);
    for (int up = 0; top && up < 2; up++) {
        char *slash = strrchr(top, '/');
        if (slash) *slash = '\0';
    }
    char *usual = top ? text_format("%s/lib64", top) : NULL, *found = NULL;
    bool is_usual = !usual || access(usual, F_OK) == 0;
    for (int number = 13; !is_usual && !found && number >= 12; number--) {
        char *file = text_format("%s/lib/libcudart.so.%d", top, number);
        if (file && access(file, R_OK) == 0) {
            found = text_format("%s/lib", top);
            *version = number;
        }
        free(file);
    }
    free(usual);
    free(top);
    return found;
}

void toolchain_runtime(const char *nvcc, char *words[TOOLCHAIN_RUNTIME]) {
    int version = 0;
    char *folder = wheel_libraries(nvcc, &version);
    words[0] = text_format("-cudart");
    words[1] = text_format(folder ? "none" : "shared");
    words[2] = folder ? text_format("-L%s", folder) : NULL;
    words[3] = folder ? text_format("-l:libcudart.so.%d", version) : NULL;
    free(folder);
}

char *toolchain_compiler(const char *build_folder, enum lab_language language,
                         const char **why) {
    if (language != LAB_CUDA) {
        *why = "no C compiler: cc is not in PATH";
        return toolchain_in_path("cc");
    }
    *why = "no CUDA compiler: nvcc is not in $SCANLAB_NVCC, PATH, "
           "$CUDA_HOME/bin or /usr/local/cuda/bin; `make grade` gets one, or "
           "install the CUDA toolkit";
    char *found = toolchain_nvcc(build_folder);
    char *whole = found ? realpath(found, NULL) : NULL;
    if (!whole) return found;
    free(found);
    return whole;
}
