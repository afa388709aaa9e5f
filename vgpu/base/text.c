/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool reserve(struct text *t, size_t more) {
    if (t->size + more + 1 <= t->room) return true;
    size_t room = t->room ? t->room : 64;
    while (room < t->size + more + 1) room *= 2;
    char *bytes = realloc(t->bytes, room);
    if (!bytes) return false;
    t->bytes = bytes;
    t->room = room;
    return true;
}

void text_add_list(struct text *t, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size >= 0 && reserve(t, (size_t)size)) {
        vsnprintf(t->bytes + t->size, (size_t)size + 1, format, again);
        t->size += (size_t)size;
    }
    va_end(again);
}

void text_add(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_add_list(t, format, arguments);
    va_end(arguments);
}

void text_sentence(struct text *t, const char *sentence) {
    size_t size = sentence ? strlen(sentence) : 0;
    if (size == 0) return;
    text_add(t, "%s%s%s", t->size ? " " : "", sentence,
             strchr(".!?:\n", sentence[size - 1]) ? "" : ".");
}

static const char *read_ordinary(struct text *t, int fd, size_t most) {
    struct stat status;
    if (fstat(fd, &status) != 0) return strerror(errno);
    if (!S_ISREG(status.st_mode)) return "it is no ordinary file";
    if ((uintmax_t)status.st_size > most) return "it is too large";
    size_t left = (size_t)status.st_size;
    if (!reserve(t, left)) return "out of memory";
    for (ssize_t n; left && (n = read(fd, t->bytes + t->size, left)) != 0;) {
        if (n < 0) return strerror(errno);
        t->size += (size_t)n;
        left -= (size_t)n;
    }
    t->bytes[t->size] = '\0';
    return NULL;
}

const char *text_read_file(struct text *t, const char *path, size_t most) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return strerror(errno);
    const char *why = read_ordinary(t, fd, most);
    close(fd);
    return why;
}

bool text_append(struct text *t, const void *bytes, size_t size, size_t most) {
    size_t fits = most > t->size ? most - t->size : 0;
    bool whole = size <= fits;
    if (!whole) size = fits;
    if (!reserve(t, size)) return false;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
    t->bytes[t->size] = '\0';
    return whole;
}

void text_cut(struct text *t, size_t size) {
    if (size >= t->size) return;
    t->size = size;
    t->bytes[size] = '\0';
}

const char *text_string(const struct text *t) {
    return t->bytes ? t->bytes : "";
}

void text_free(struct text *t) {
    free(t->bytes);
    *t = (struct text){0};
}

char *text_format(const char *format, ...) {
    struct text t = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_list(&t, format, arguments);
    va_end(arguments);
    return t.bytes;
}

char *text_printable(const char *bytes, size_t size, size_t most) {
    struct text t = {0};
    if (size == 0) return NULL;
    bool whole = text_append(&t, bytes, size, most);
    for (size_t i = 0; i < t.size; i++) {
        unsigned char c = (unsigned char)t.bytes[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c >= 127) t.bytes[i] = '?';
    }
    while (t.size && t.bytes[t.size - 1] == '\n') t.bytes[--t.size] = '\0';
    if (!whole) text_add(&t, "\n[%zu bytes more]", size - most);
    return t.bytes;
}

bool text_ends_in(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

const char *text_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
