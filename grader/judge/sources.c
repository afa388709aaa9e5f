/* SPDX-License-Identifier: MIT
 *
 * sources.c: see sources.h. A file is looked at without opening it, then opened
 * without following a link, crossing a mount or waiting, and looked at again:
 * between the two it may have become another.
 */
#include "sources.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source_text.h"
#include "translate.h"

static const struct {
    const char *ending;
    bool unit;
} endings[] = {{".h", false},   {".hh", false},  {".hpp", false},
               {".hxx", false}, {".cuh", false}, {".inc", false},
               {".inl", false}, {".ipp", false}, {".tpp", false},
               {".def", false}, {".cu", true},   {".c", true},
               {".cc", true},   {".cpp", true},  {".cxx", true}};

struct reading {
    struct sources *to;
    dev_t device; /* the folder's: no other file system is read */
    bool ours;
    const char *limit; /* the one that was reached; NULL: none */
    int failed;        /* errno: no memory, or the file system said so */
};

/* ---- names ---- */

/* Nothing that a shell, a compiler's command or a report could take for more
 * than a name; letters of any language are bytes above 0x7f. */
static bool plain_name(const char *name) {
    static const char also[] = "._+- ";
    if (*name == '.' || *name == '-' || *name == ' ') return false;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (!(*c >= 0x80 || (*c >= '0' && *c <= '9') ||
              (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
              strchr(also, *c)))
            return false;
    return true;
}

static int ending_of(const char *name) {
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i].ending) == 0) return (int)i;
    return -1;
}

const char *sources_why_not(const char *folder, const char *name,
                            bool *its_fault, bool *there) {
    struct stat file;
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *there = at >= 0 && fstatat(at, name, &file, AT_SYMLINK_NOFOLLOW) == 0;
    const char *why = strerror(errno);
    *its_fault = *there || (at >= 0 && (errno == ENOENT || errno == ENOTDIR));
    if (at >= 0) close(at);
    if (!*there) return why;
    return S_ISLNK(file.st_mode)                ? _("a link, not a file")
           : !S_ISREG(file.st_mode)             ? _("not a file")
           : file.st_size >= SOURCES_FILE_BYTES ? _("larger than 4 MiB")
                                                : _("it cannot be opened");
}

/* ---- files ---- */

static void leave_out(struct reading *r, const char *name, const char *why) {
    if (r->ours || r->to->left_out.size >= 4096) return;
    size_t from = r->to->left_out.size;
    text_add(&r->to->left_out, "%.100s", name);
    /* It is shown in a list, where it must not look like more of it. */
    for (char *at = r->to->left_out.bytes; at && at[from]; from++)
        if (at[from] < ' ' || at[from] == 0x7f) at[from] = '?';
    text_add(&r->to->left_out, ": %s\n", why);
}

/* All of it, or less when it shrinks meanwhile. NULL: errno. */
static char *read_all(int fd, size_t size, size_t *got) {
    char *bytes = malloc(size + 1);
    ssize_t part = 1;
    for (*got = 0; bytes && *got < size && part; *got += (size_t)part) {
        do part = read(fd, bytes + *got, size - *got);
        while (part < 0 && errno == EINTR);
        if (part < 0) {
            free(bytes);
            return NULL;
        }
    }
    if (bytes) bytes[*got] = '\0';
    return bytes;
}

/* GCC takes one of any name out of a folder with a header's name and .gch, and
 * maps it into its own memory: what it holds is as good as its own code. */
static bool is_precompiled(const struct source_file *f) {
    static const char *const marks[] = {"gpch", "CPCH"}; /* GCC's, Clang's */
    return f->bytes && f->size >= 4 &&
           (memcmp(f->bytes, marks[0], 4) == 0 ||
            memcmp(f->bytes, marks[1], 4) == 0);
}

static void add_file(struct reading *r, int fd, size_t size, const char *name,
                     bool unit) {
    struct sources *s = r->to;
    if (s->n == SOURCES_FILES) {
        r->limit = "1000 source files";
        return;
    }
    if (s->bytes + size > SOURCES_BYTES) {
        r->limit = "32 MiB of source files";
        return;
    }
    void *more = realloc(s->files, (s->n + 1) * sizeof *s->files);
    if (more) s->files = more;
    struct source_file file = {.name = strdup(name), .unit = unit};
    file.bytes = read_all(fd, size, &file.size);
    bool bad = is_precompiled(&file);
    if (bad) leave_out(r, name, _("is a precompiled header"));
    if (!bad && !r->ours && file.bytes &&
        !source_text_read(&file.bytes, &file.size, &file.odd)) {
        free(file.bytes);
        file.bytes = NULL;
    }
    if (bad || !more || !file.name || !file.bytes) {
        if (!bad) r->failed = errno;
        free(file.name);
        free(file.bytes);
        return;
    }
    s->bytes += file.size;
    s->files[s->n++] = file;
}

static void read_folder(struct reading *r, int folder, const char *prefix,
                        int depth);

/* Which mount a descriptor is of; -1: there is no /proc. */
static int mount_number(int fd) {
    char name[40], line[80];
    int mount = -1;
    snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
    FILE *file = fopen(name, "re");
    while (file && mount < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "mnt_id: %d", &mount) != 1) mount = -1;
    if (file) fclose(file);
    return mount;
}

/* Where the kernel or a filter of calls has no openat2. Then it is opened
 * before it is known to be another mount's. */
static int open_old(int folder, const char *entry, int flags) {
    int fd = openat(folder, entry, flags);
    if (fd < 0 || mount_number(fd) == mount_number(folder)) return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

/* By one name. What is mounted there is refused before anything is asked of it:
 * the server of a FUSE might never answer. */
static int open_below(const struct reading *r, int folder, const char *entry,
                      int flags) {
    struct open_how how = {
        .flags = (uint64_t)(unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
        .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH};
    flags |= O_CLOEXEC | (r->ours ? 0 : O_NOFOLLOW);
    if (r->ours) return openat(folder, entry, flags);
    long fd = -1;
    for (int k = 0; k < 100 && fd < 0; k++) {
        fd = syscall(SYS_openat2, folder, entry, &how, sizeof how);
        if (fd < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)fd;
    return open_old(folder, entry, flags);
}

/* What it is, without opening it. */
static bool sources_look(const struct reading *r, int folder, const char *entry,
                         struct stat *file) {
    int fd = open_below(r, folder, entry, O_PATH);
    bool seen = fd >= 0 && fstat(fd, file) == 0;
    int error = errno;
    if (fd >= 0) close(fd);
    errno = error;
    return seen;
}

/* Said by a file that is no file, or not to be read; not by a system that has
 * no memory or a disk that does not answer. */
static bool is_of_file(int error) {
    static const int said[] = {ENOENT, ENOTDIR, EACCES, EPERM,
                               ELOOP,  ENXIO,   EISDIR, ENAMETOOLONG};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (error == said[i]) return true;
    return false;
}

/* Why it is left out; or it is not: the grader itself lacks something, which is
 * no fault of a submission. */
static void not_opened(struct reading *r, const char *name, int error) {
    if (error == EXDEV)
        leave_out(r, name, _("another file system is mounted there"));
    else if (is_of_file(error))
        leave_out(r, name, strerror(error));
    else
        r->failed = error;
}

/* A second name, in this folder, of a file that belongs to another user than
 * the folder: a hard link to what only the grader may read, perhaps. A copy
 * that is made of links (cp -l) has one owner. */
static bool is_anothers(int folder, const struct stat *file) {
    struct stat here;
    return file->st_nlink > 1 &&
           (fstat(folder, &here) != 0 || here.st_uid != file->st_uid);
}

/* Opened as it was seen: a folder, or a regular file. */
static void read_entry(struct reading *r, int folder, const char *entry,
                       const char *name, int depth) {
    struct stat file;
    int ending = ending_of(entry);
    if (!sources_look(r, folder, entry, &file)) {
        if (errno != ENOENT) not_opened(r, name, errno);
        return;
    }
    bool is_folder = S_ISDIR(file.st_mode);
    if (is_folder ? r->ours : ending < 0 || (r->ours && endings[ending].unit))
        return;
    if (!is_folder && !S_ISREG(file.st_mode)) {
        leave_out(r, name,
                  S_ISLNK(file.st_mode) ? _("is a link") : _("is no file"));
        return;
    }
    int fd = open_below(r, folder, entry, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &file) != 0)
        not_opened(r, name, errno);
    else if (S_ISDIR(file.st_mode) && file.st_dev != r->device)
        not_opened(r, name, EXDEV);
    else if (S_ISDIR(file.st_mode) && depth < SOURCES_DEPTH)
        read_folder(r, fd, name, depth + 1);
    else if (S_ISREG(file.st_mode) && !r->ours && is_anothers(folder, &file))
        leave_out(r, name, _("is a second name of somebody else's file"));
    else if (S_ISREG(file.st_mode) && file.st_size >= SOURCES_FILE_BYTES)
        leave_out(r, name, _("is larger than 4 MiB"));
    else if (S_ISREG(file.st_mode) && ending >= 0)
        add_file(r, fd, (size_t)file.st_size, name, endings[ending].unit);
    if (fd >= 0) close(fd);
}

/* The descriptor stays the caller's. */
static void read_folder(struct reading *r, int folder, const char *prefix,
                        int depth) {
    int own = dup(folder);
    DIR *open = own >= 0 ? fdopendir(own) : NULL;
    if (!open && own >= 0) close(own);
    if (!open) r->failed = errno;
    for (struct dirent *e; open && !r->limit && !r->failed;) {
        errno = 0; /* it stays so at the end */
        e = readdir(open);
        if (!e) r->failed = errno;
        if (!e) break;
        if (r->to->entries++ == SOURCES_ENTRIES) {
            r->limit = "20000 files";
            break;
        }
        if (*e->d_name == '.') continue;
        char *name = *prefix ? text_format("%s/%s", prefix, e->d_name)
                             : strdup(e->d_name);
        if (!name)
            r->failed = ENOMEM;
        else if (plain_name(e->d_name))
            read_entry(r, folder, e->d_name, name, depth);
        else if (ending_of(e->d_name) >= 0)
            leave_out(r, name, _("has an unusual name"));
        free(name);
    }
    if (open) closedir(open);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct source_file *)a)->name,
                  ((const struct source_file *)b)->name);
}

bool sources_read(struct sources *s, const char *folder, bool ours,
                  char **why) {
    struct reading r = {.to = s, .ours = ours};
    *s = (struct sources){0};
    *why = NULL;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        *why = text_format("cannot read the folder %s: %s", folder,
                           strerror(errno));
        return false;
    }
    struct stat top;
    if (fstat(fd, &top) != 0)
        r.failed = errno;
    else
        r.device = top.st_dev;
    if (!r.failed) read_folder(&r, fd, "", 0);
    close(fd);
    if (r.failed)
        *why = text_format("cannot read the folder %s: %s", folder,
                           strerror(r.failed));
    if (s->n) qsort(s->files, s->n, sizeof *s->files, by_name);
    if (!r.limit && !r.failed) return true;
    if (r.limit && !r.failed)
        *why = text_format("the submission has more than %s; leave out what is "
                           "no part of it",
                           r.limit);
    sources_free(s);
    s->are_too_many = !r.failed;
    return false;
}

const struct source_file *sources_find(const struct sources *s,
                                       const char *name) {
    const struct source_file key = {.name = (char *)name};
    return s->n ? bsearch(&key, s->files, s->n, sizeof *s->files, by_name)
                : NULL;
}

/* ---- writing ---- */

static bool is_wanted(const struct source_file *f, const char *unit,
                      bool all_units) {
    return !f->unit || all_units || strcmp(f->name, unit) == 0;
}

bool sources_has_other_units(const struct sources *s, const char *unit) {
    for (size_t i = 0; i < s->n; i++)
        if (!is_wanted(&s->files[i], unit, false)) return true;
    return false;
}

void sources_key(const struct sources *s, struct key *key, const char *unit,
                 bool all_units) {
    for (size_t i = 0; i < s->n; i++) {
        const struct source_file *f = &s->files[i];
        if (!is_wanted(f, unit, all_units)) continue;
        key_text(key, f->name);
        key_bytes(key, f->bytes, f->size);
    }
    key_text(key, ""); /* no file's name: here the folder ends */
}

static bool write_file(const char *path, const struct source_file *f) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    size_t done = 0;
    if (fd < 0) return false;
    while (done < f->size) {
        ssize_t part = write(fd, f->bytes + done, f->size - done);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        done += (size_t)part;
    }
    int error = errno;
    bool closed = close(fd) == 0;
    if (done < f->size) errno = error;
    return done == f->size && closed;
}

static bool make_parents(char *path, size_t from) {
    for (char *at = path + from + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
    }
    return true;
}

bool sources_write(const struct sources *s, const char *folder,
                   const char *unit, bool all_units) {
    bool ok = true;
    for (size_t i = 0; ok && i < s->n; i++) {
        if (!is_wanted(&s->files[i], unit, all_units)) continue;
        char *path = text_format("%s/%s", folder, s->files[i].name);
        errno = ENOMEM;
        ok = path && make_parents(path, strlen(folder)) &&
             write_file(path, &s->files[i]);
        free(path);
    }
    return ok;
}

void sources_free(struct sources *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->files[i].name);
        free(s->files[i].bytes);
    }
    free(s->files);
    text_free(&s->left_out);
    *s = (struct sources){0};
}
