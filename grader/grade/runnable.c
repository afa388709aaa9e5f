/* SPDX-License-Identifier: MIT
 *
 * runnable.c: see runnable.h.
 */
#include "runnable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* ---- what was asked ---- */

static void free_asked(struct vgpu_asked_list *asked) {
    for (size_t i = 0; i < asked->n; i++) {
        free((void *)asked->list[i].name);
        free((void *)asked->list[i].data);
    }
    free((void *)asked->list);
    *asked = (struct vgpu_asked_list){0};
}

static bool copy_one(struct vgpu_asked *to, const struct vgpu_asked *from) {
    bool has_data = from->data && from->kind != VGPU_ASKED_LOAD;
    unsigned char *data = has_data ? malloc(from->data_bytes + 1) : NULL;
    *to = *from;
    to->name = from->name ? strdup(from->name) : NULL;
    to->data = data;
    if (data) memcpy(data, from->data, from->data_bytes);
    if (!has_data) to->data_bytes = 0;
    return (data || !has_data) && (to->name || !from->name);
}

bool runnable_copy(struct vgpu_asked_list *to,
                   const struct vgpu_asked_list *from) {
    struct vgpu_asked *list = calloc(from->n + 1, sizeof *list);
    *to = (struct vgpu_asked_list){.list = list};
    bool good = list && !from->is_cut;
    for (size_t i = 0; good && i < from->n; i++) {
        good = copy_one(&list[i], &from->list[i]);
        to->n++;
    }
    if (!good) free_asked(to);
    return good;
}

/* ---- PTX ---- */

/* A line `.file 1 "/home/me/student/naive.cu"` names no folder of this machine;
 * what is the toolkit's can still be told from what is not. */
static void add_file_line(struct text *to, const char *line, size_t size) {
    const char *begin = memchr(line, '"', size);
    const char *end =
        begin ? memchr(begin + 1, '"', size - (size_t)(begin + 1 - line))
              : NULL;
    char *path =
        end ? text_format("%.*s", (int)(end - begin - 1), begin + 1) : NULL;
    if (!path) {
        text_add(to, "%.*s", (int)size, line);
        return;
    }
    text_add(to, "%.*s%s%s%.*s", (int)(begin + 1 - line), line,
             vgpu_is_toolkit_file(path) ? "/usr/include/" : "", text_base(path),
             (int)(size - (size_t)(end - line)), end);
    free(path);
}

static char *without_folders(const char *ptx) {
    struct text t = {0};
    while (*ptx) {
        size_t size = strcspn(ptx, "\n");
        size += ptx[size] == '\n';
        if (strncmp(ptx + strspn(ptx, " \t"), ".file", 5) == 0)
            add_file_line(&t, ptx, size);
        else
            text_add(&t, "%.*s", (int)size, ptx);
        ptx += size;
    }
    return t.bytes;
}

/* The name of the kernel whose head the line is; NULL: it is none. */
static char *kernel_in(const char *line, size_t size) {
    static const char word[] = ".entry ";
    const char *at = memmem(line, size, word, sizeof word - 1);
    if (!at || *line != '.') return NULL;
    at += sizeof word - 1;
    return text_format("%.*s", (int)strcspn(at, "( \n"), at);
}

/* nvcc writes the brace that ends a kernel, and no other, at the beginning of a
 * line. */
char *runnable_ptx_of(const char *ptx,
                      bool (*is_wanted)(void *user, const char *kernel),
                      void *user) {
    struct text t = {0};
    bool skips = false;
    while (*ptx) {
        size_t size = strcspn(ptx, "\n");
        size += ptx[size] == '\n';
        char *kernel = skips ? NULL : kernel_in(ptx, size);
        skips |= kernel && !is_wanted(user, kernel);
        free(kernel);
        bool is_comment = strncmp(ptx + strspn(ptx, " \t"), "//", 2) == 0;
        if (!skips && !is_comment) text_add(&t, "%.*s", (int)size, ptx);
        skips &= *ptx != '}';
        ptx += size;
    }
    return t.bytes;
}

char *runnable_ptx(const void *image, size_t bytes) {
    char why[VGPU_TEXT], *text = NULL;
    size_t size = 0;
    struct vgpu_dump dump = {0};
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    vgpu_status status = vgpu_dump_ptx(to, image, bytes, &dump, why);
    bool good =
        fclose(to) == 0 && status == VGPU_OK && dump.n_modules == 1 && text;
    char *clean = good ? without_folders(text) : NULL;
    free(text);
    return clean;
}

void runnable_free(struct runnable *r) {
    if (!r) return;
    for (size_t i = 0; i < r->n_cases; i++) {
        free_asked(&r->cases[i].asked);
        free(r->cases[i].expected);
    }
    free(r->profile);
    free(r->contents);
    free(r->ptx);
    free(r);
}
