/* SPDX-License-Identifier: MIT
 *
 * tree.c: see tree.h.
 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

bool tree_make(const char *path) {
    char *copy = text_format("%s", path);
    bool ok = copy != NULL;
    for (char *at = copy ? copy + 1 : NULL; ok && at;) {
        at = strchr(at, '/');
        if (at) *at = '\0';
        ok = mkdir(copy, at ? 0777 : 0700) == 0 || errno == EEXIST;
        if (at) *at++ = '/';
    }
    free(copy);
    return ok;
}

static DIR *open_folder(int at, const char *name) {
    enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
    int fd = openat(at, name, HOW);
    if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
        fd = openat(at, name, HOW);
    DIR *open = fd >= 0 ? fdopendir(fd) : NULL;
    if (!open && fd >= 0) close(fd);
    return open;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Files go; folders move up to the top, so that depth costs nothing. */
static void flatten(int top, const char *name, unsigned long *moved) {
    DIR *open = open_folder(top, name);
    for (struct dirent *e; open && (e = readdir(open));) {
        char up[40];
        if (is_dots(e->d_name) || unlinkat(dirfd(open), e->d_name, 0) == 0)
            continue;
        snprintf(up, sizeof up, "moved.%lu", ++*moved);
        renameat(dirfd(open), e->d_name, top, up);
    }
    if (open) closedir(open);
    unlinkat(top, name, AT_REMOVEDIR);
}

void tree_remove(const char *path) {
    enum { MOST_ROUNDS = 100000 };
    DIR *top = open_folder(AT_FDCWD, path);
    unsigned long moved = 0;
    bool found = top != NULL;
    for (int round = 0; found && round < MOST_ROUNDS; round++) {
        found = false;
        rewinddir(top);
        for (struct dirent *e; (e = readdir(top));) {
            if (is_dots(e->d_name)) continue;
            found = true;
            if (unlinkat(dirfd(top), e->d_name, 0) != 0)
                flatten(dirfd(top), e->d_name, &moved);
        }
    }
    if (top) closedir(top);
    rmdir(path);
}

struct sum {
    unsigned files, most_files;
    uint64_t blocks, most_blocks;
};

/* It is gone; or the machine lacks something, and it is looked at again. */
static bool says_nothing(int error) {
    static const int errors[] = {ENOENT, EMFILE, ENFILE, ENOMEM, EIO, EINTR};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (error == errors[i]) return true;
    return false;
}

static bool add_folder(struct sum *s, int at, const char *name, int depth) {
    enum { DEEPEST = 12, HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW };
    int fd = openat(at, name, HOW | O_CLOEXEC);
    DIR *open = fd >= 0 ? fdopendir(fd) : NULL;
    bool within = (open || says_nothing(errno)) && depth <= DEEPEST;
    if (!open && fd >= 0) close(fd);
    for (struct dirent *e; within && open && (e = readdir(open));) {
        struct stat file;
        if (is_dots(e->d_name) ||
            fstatat(dirfd(open), e->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0)
            continue; /* it went meanwhile */
        s->blocks += (uint64_t)file.st_blocks;
        within = ++s->files <= s->most_files && s->blocks <= s->most_blocks &&
                 (!S_ISDIR(file.st_mode) ||
                  add_folder(s, dirfd(open), e->d_name, depth + 1));
    }
    if (open) closedir(open);
    return within;
}

bool tree_within(const char *const *folders, unsigned most_files,
                 unsigned most_mib) {
    enum { BLOCKS_OF_MIB = (1 << 20) / 512 };
    struct sum s = {.most_files = most_files,
                    .most_blocks = (uint64_t)most_mib * BLOCKS_OF_MIB};
    bool within = true;
    for (; within && *folders; folders++)
        within = add_folder(&s, AT_FDCWD, *folders, 0);
    return within;
}

uint64_t tree_bytes(const char *path) {
    DIR *open = open_folder(AT_FDCWD, path);
    uint64_t sum = 0;
    struct stat file;
    for (struct dirent *e; open && (e = readdir(open));)
        if (fstatat(dirfd(open), e->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(file.st_mode))
            sum += (uint64_t)file.st_blocks * 512;
    if (open) closedir(open);
    return sum;
}

char *tree_read(const char *path, size_t most, size_t *bytes) {
    struct stat file;
    char *content = NULL;
    *bytes = 0;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    errno = EINVAL;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
        (uint64_t)file.st_size <= most)
        content = malloc((size_t)file.st_size + 1);
    ssize_t got = 1;
    while (content && got > 0 && *bytes < (size_t)file.st_size) {
        got = read(fd, content + *bytes, (size_t)file.st_size - *bytes);
        if (got > 0) *bytes += (size_t)got;
        if (got < 0 && errno == EINTR) got = 1;
    }
    int error = errno;
    if (content) content[*bytes] = '\0';
    if (got < 0) { /* a part of it would be another file */
        free(content);
        content = NULL;
    }
    close(fd);
    errno = error;
    return content;
}

bool tree_write(const char *path, const void *bytes, size_t size) {
    int fd =
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    const char *at = bytes;
    bool ok = fd >= 0;
    while (ok && size > 0) {
        ssize_t part = write(fd, at, size);
        if (part < 0 && errno == EINTR) continue;
        ok = part > 0;
        if (!ok) break;
        at += part;
        size -= (size_t)part;
    }
    int error = errno;
    if (fd >= 0 && close(fd) != 0)
        ok = false;
    else
        errno = error;
    return ok;
}

bool tree_is(const char *a, const char *b) {
    struct stat x, y;
    return b && stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}
