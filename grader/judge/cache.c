/* SPDX-License-Identifier: MIT
 *
 * cache.c: see cache.h. An entry is made beside its place and moved there
 * whole; its folder's time of change is when it was used last. Who uses an
 * entry holds a shared lock on it, and only what nobody holds is removed.
 */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler_says.h"
#include "digest.h"
#include "own_folder.h"
#include "temporary.h"
#include "text.h"
#include "tree.h"

enum { LIST_BYTES = 4 << 20 };

/* ---- where it is ---- */

static const char *why_not_ours(const char *folder) {
    struct stat file;
    if (!tree_make(folder) || stat(folder, &file) != 0) return strerror(errno);
    if (!S_ISDIR(file.st_mode)) return strerror(ENOTDIR);
    if (file.st_uid != geteuid()) return "it belongs to another user";
    if (file.st_mode & (S_IWGRP | S_IWOTH)) return "others can write there";
    return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

bool cache_open(struct cache *c, const char *given, const char *build_folder,
                unsigned most_mib, char error[CACHE_ERROR_BYTES]) {
    const char *named = given ? given : getenv("SCANLAB_CACHE");
    bool is_named = named && *named;
    char *first = is_named ? text_format("%s", named)
                           : own_folder(build_folder, "submissions");
    char *second = is_named ? NULL : own_folder_of_user("submissions");
    const char *why = first ? why_not_ours(first)
                            : "neither $HOME nor $XDG_CACHE_HOME is set";
    *c = (struct cache){.most_mib = most_mib ? most_mib : CACHE_USUAL_MIB};
    char *chosen = !why                              ? first
                   : second && !why_not_ours(second) ? second
                                                     : NULL;
    c->folder = chosen ? realpath(chosen, NULL) : NULL;
    if (!c->folder)
        snprintf(error, CACHE_ERROR_BYTES,
                 "cannot make the folder %s for what was compiled: %s; name "
                 "another one with --cache",
                 first ? first : "of the user's cache",
                 why ? why : strerror(errno));
    free(first);
    free(second);
    if (c->folder) temporary_sweep(c->folder);
    return c->folder != NULL;
}

void cache_close(struct cache *c) {
    free(c->folder);
    c->folder = NULL;
}

/* ---- the state of an entry: its library, files of the system ---- */

/* A library that a power cut has left half written has another size. */
static void add_library(struct text *t, const char *entry) {
    char *path = text_format("%s/library.so", entry);
    struct stat file;
    if (path && stat(path, &file) == 0)
        text_add(t, "%lld library.so\n", (long long)file.st_size);
    free(path);
}

static void add_state(struct text *t, const char *path) {
    struct stat file;
    if (stat(path, &file) == 0)
        text_add(t, "%lld %lld.%09ld %s\n", (long long)file.st_size,
                 (long long)file.st_mtim.tv_sec, file.st_mtim.tv_nsec, path);
    else
        text_add(t, "- - %s\n", path);
}

/* Relative names are copies of ours, which are in the key. false: no memory. */
static bool state_of_depends(struct text *t, const char *list) {
    for (char *name; (name = digest_next_name(&list)); free(name))
        if (*name == '/' && !strchr(name, '\n')) add_state(t, name);
    return list != NULL;
}

static bool is_current(const char *entry) {
    char *path = text_format("%s/system", entry);
    size_t bytes;
    char *then = path ? tree_read(path, LIST_BYTES, &bytes) : NULL;
    char *copy = then ? strdup(then) : NULL, *rest = copy;
    struct text now = {0};
    add_library(&now, entry);
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *name = strchr(line, ' ');
        if (name && (name = strchr(name + 1, ' '))) add_state(&now, name + 1);
    }
    bool current = then && strcmp(then, text_string(&now)) == 0;
    text_free(&now);
    free(copy);
    free(then);
    free(path);
    return current;
}

/* ---- an entry ---- */

static int hold(const char *entry, int how) {
    int fd = open(entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int held = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1; /* 0: none */
    if (fd >= 0) close(fd);
    if (held >= 0 && flock(held, how) == 0) return held;
    if (held >= 0) close(held);
    return 0;
}

char *cache_take(const struct cache *c, const char key[KEY_TEXT], int *held) {
    char *entry = text_format("%s/%s", c->folder, key);
    char *library = text_format("%s/library.so", entry ? entry : "");
    *held = entry && library ? hold(entry, LOCK_SH) : 0;
    if (*held && access(library, R_OK) == 0 && is_current(entry)) {
        futimens(*held, NULL);
        free(library);
        return entry;
    }
    if (*held) close(*held);
    *held = 0;
    free(library);
    free(entry);
    return NULL;
}

static bool copy_library(const char *made, const char *entry) {
    char *from = text_format("%s/library.so", made);
    char *to = text_format("%s/library.so", entry);
    size_t bytes = 0;
    char *library = from && to
                        ? tree_read(from, (size_t)CACHE_ENTRY_MIB << 20, &bytes)
                        : NULL;
    bool ok = library && tree_write(to, library, bytes);
    int error = errno;
    free(library);
    free(to);
    free(from);
    errno = error;
    return ok;
}

static bool write_state(const char *made, const char *entry) {
    char *from = text_format("%s/depends", made);
    char *to = text_format("%s/system", entry);
    size_t bytes;
    char *list = from ? tree_read(from, LIST_BYTES, &bytes) : NULL;
    int error = errno;
    struct text state = {0};
    add_library(&state, entry);
    bool none = !list && error == ENOENT; /* not every compiler writes one */
    bool ok = (none || (list && state_of_depends(&state, list))) && to &&
              tree_write(to, text_string(&state), state.size);
    if (!list && !none) errno = error;
    text_free(&state);
    free(list);
    free(to);
    free(from);
    return ok;
}

/* Another grader may have been faster; what is stale gives way. */
static bool move(struct temporary *from, const char *entry, int *held) {
    if (temporary_keep(from, entry, held)) return true;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return false;
    if (unlink(entry) != 0) tree_remove(entry); /* a link, a file; a folder */
    return temporary_keep(from, entry, held);
}

char *cache_keep(const struct cache *c, const char key[KEY_TEXT],
                 const char *made, char *warnings, int *held) {
    char *entry = text_format("%s/%s", c->folder, key);
    struct temporary beside;
    *held = 0;
    if (entry && temporary_make(&beside, c->folder, "new")) {
        bool ok =
            copy_library(made, beside.path) && write_state(made, beside.path);
        if (ok) compiler_warnings_write(beside.path, warnings);
        if (ok && move(&beside, entry, held)) return entry;
        int error = errno;
        temporary_remove(&beside);
        errno = error;
    }
    free(entry);
    return NULL;
}

/* ---- its size ---- */

struct entry {
    char *path;
    uint64_t bytes;
    struct timespec used;
};

static int least_recent(const void *a, const void *b) {
    const struct timespec *x = &((const struct entry *)a)->used,
                          *y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec    ? (x->tv_sec < y->tv_sec ? -1 : 1)
           : x->tv_nsec < y->tv_nsec ? -1
                                     : x->tv_nsec > y->tv_nsec;
}

static size_t list_entries(const struct cache *c, struct entry **list) {
    DIR *open = opendir(c->folder);
    size_t n = 0;
    *list = NULL;
    for (struct dirent *e; open && (e = readdir(open));) {
        struct stat file;
        char *path = text_format("%s/%s", c->folder, e->d_name);
        bool there = path && *e->d_name != '.' && lstat(path, &file) == 0 &&
                     S_ISDIR(file.st_mode);
        bool counts = there && !strchr(e->d_name, '.');
        void *more = counts ? realloc(*list, (n + 1) * sizeof **list) : NULL;
        if (more) {
            *list = more;
            (*list)[n++] = (struct entry){path, tree_bytes(path), file.st_mtim};
        } else
            free(path);
    }
    if (open) closedir(open);
    return n;
}

void cache_trim(const struct cache *c) {
    struct entry *list;
    size_t n = list_entries(c, &list);
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += list[i].bytes;
    if (n) qsort(list, n, sizeof *list, least_recent);
    for (size_t i = 0; i < n; i++) {
        int held = sum > (uint64_t)c->most_mib << 20
                       ? hold(list[i].path, LOCK_EX | LOCK_NB)
                       : 0;
        if (held) {
            tree_remove(list[i].path);
            sum -= list[i].bytes;
            close(held);
        }
        free(list[i].path);
    }
    free(list);
}
