/* SPDX-License-Identifier: MIT
 *
 * replay.c: a main for fuzz targets: gives the target each file of the folders
 * and files named on the command line. Any compiler will do.
 *   exit 0  all came back, and there were some; else the target ended us, with
 *   the file's name as the last line
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "fuzz.h"

static size_t n_files;

static void replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t bytes = 0, room = 1 << 20;
    uint8_t *data = malloc(room);
    if (file && data) bytes = fread(data, 1, room, file);
    if (!file || !data || ferror(file) || bytes == room) {
        printf("cannot read %s, or it is larger than %zu bytes\n", path, room);
        exit(2);
    }
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    /* An allocation of just this size: reading on is seen. */
    uint8_t *exact = malloc(bytes ? bytes : 1);
    if (!exact) exit(2);
    memcpy(exact, data, bytes);
    LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    free(data);
    n_files++;
}

static void replay(const char *path) {
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort);
    if (n < 0) {
        replay_file(path);
        return;
    }
    for (int i = 0; i < n; i++) {
        char whole[4096];
        snprintf(whole, sizeof whole, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.') replay_file(whole);
        free(entries[i]);
    }
    free(entries);
}

int main(int argc, char **argv) {
    struct rusage used;
    clock_t start = clock();
    for (int i = 1; i < argc; i++) replay(argv[i]);
    getrusage(RUSAGE_SELF, &used);
    printf("%zu files, %.2f s, at most %ld MiB\n", n_files,
           (double)(clock() - start) / CLOCKS_PER_SEC, used.ru_maxrss >> 10);
    return n_files == 0;
}
