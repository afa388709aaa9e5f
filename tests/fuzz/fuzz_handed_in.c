/* SPDX-License-Identifier: MIT
 *
 * fuzz_handed_in.c: a folder as a submission may look: files, folders, links,
 * FIFOs of any name. What is taken in has a plain name below the folder, and is
 * the same when it is written and read again.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "sources.h"
#include "tree.h"

static char base[64], in[80], out[80];

static void remove_base(void) {
    tree_remove(base);
}

static void make_base(void) {
    snprintf(base, sizeof base, "%s/fuzz-handed-in.XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(base)) abort();
    snprintf(in, sizeof in, "%s/in", base);
    snprintf(out, sizeof out, "%s/out", base);
    atexit(remove_base);
}

static void empty_folder(const char *path) {
    tree_remove(path);
    if (mkdir(path, 0700) != 0) abort();
}

/* ---- the input, piece by piece ---- */

struct bytes {
    const uint8_t *at;
    size_t left;
};

static unsigned next(struct bytes *b) {
    if (b->left == 0) return 0;
    b->left--;
    return *b->at++;
}

/* A length, and so many bytes as a string. */
static void next_text(struct bytes *b, char text[256]) {
    size_t size = next(b);
    if (size > b->left) size = b->left;
    memcpy(text, b->at, size);
    text[size] = '\0';
    b->at += size;
    b->left -= size;
}

/* ---- folders ---- */

static void write_file(int folder, const char *name, const char *bytes,
                       size_t size) {
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
                    0600);
    if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) abort();
    if (fd >= 0) close(fd);
}

static void fill(struct bytes *b) {
    int folder = open(in, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 24 && b->left > 1 && folder >= 0; i++) {
        static const char *const endings[] = {"", ".c", ".h", ".cu", ".inc"};
        char name[270], content[256];
        unsigned kind = next(b);
        next_text(b, name);
        strcat(name, endings[kind / 8 % 5]);
        for (char *c = name; *c; c++)
            if (*c == '/') *c = '_';
        next_text(b, content);
        switch (kind % 8) {
        case 0: (void)!symlinkat(content, folder, name); break;
        case 1: mkfifoat(folder, name, 0600); break;
        case 2: (void)!linkat(folder, content, folder, name, 0); break;
        case 3:
        case 4: {
            mkdirat(folder, name, 0700);
            int below =
                openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
            if (below < 0 || kind % 8 == 4 || strcmp(name, "..") == 0) {
                if (below >= 0) close(below);
                break;
            }
            close(folder);
            folder = below;
            break;
        }
        default: write_file(folder, name, content, strlen(content));
        }
    }
    if (folder >= 0) close(folder);
}

static void must_be_plain(const char *name) {
    if (*name == '/' || *name == '-' || *name == '.' || strstr(name, "/.") ||
        strstr(name, "//"))
        abort();
    for (const char *c = name; *c; c++)
        if (strchr("\n\r\t\"'\\$`;&|<>(){}[]*?!#~%^=:@,", *c) ||
            (unsigned char)*c < ' ' || *c == 0x7f)
            abort();
}

static void read_folder(struct bytes *b) {
    struct sources one, two;
    char *why;
    empty_folder(in);
    empty_folder(out);
    fill(b);
    if (!sources_read(&one, in, false, &why)) {
        free(why);
        return;
    }
    for (const char *c = text_string(&one.left_out); *c; c++)
        if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f) abort();
    for (size_t i = 0; i < one.n; i++) must_be_plain(one.files[i].name);
    if (sources_write(&one, out, "", true)) {
        if (!sources_read(&two, out, false, &why)) abort();
        if (one.n != two.n || one.bytes != two.bytes) abort();
        for (size_t i = 0; i < one.n; i++)
            if (strcmp(one.files[i].name, two.files[i].name) != 0 ||
                one.files[i].size != two.files[i].size ||
                memcmp(one.files[i].bytes, two.files[i].bytes,
                       one.files[i].size) != 0)
                abort();
        sources_free(&two);
    } else {
        abort();
    }
    sources_free(&one);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    struct bytes b = {data, bytes};
    if (bytes > 4096) return 0;
    if (!*base) make_base();
    read_folder(&b);
    return 0;
}
