/* SPDX-License-Identifier: MIT
 *
 * key.c: see key.h.
 */
#include "key.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void key_start(struct key *k) {
    SHA256Init(&k->state);
    key_text(k, "scanlab 1");
}

void key_bytes(struct key *k, const void *bytes, size_t size) {
    uint64_t length = size;
    SHA256Update(&k->state, (const uint8_t *)&length, sizeof length);
    SHA256Update(&k->state, bytes, size);
}

void key_text(struct key *k, const char *text) {
    key_bytes(k, text, strlen(text));
}

void key_program(struct key *k, const char *path) {
    struct stat file;
    char *whole = realpath(path, NULL);
    key_text(k, whole ? whole : path);
    if (whole && stat(whole, &file) == 0) {
        key_bytes(k, &file.st_size, sizeof file.st_size);
        key_bytes(k, &file.st_mtim, sizeof file.st_mtim);
    }
    free(whole);
}

void key_end(struct key *k, char hexadecimal[KEY_TEXT]) {
    SHA256End(&k->state, hexadecimal);
}
