/* SPDX-License-Identifier: MIT
 *
 * support.c: errors and memory of the parser.
 */
#include "parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places are pointers into the text; line and column are computed only when an
 * error is reported, which happens once. */
static void locate(const struct ptx_parser *p, const char *at,
                   struct ptx_error *error) {
    const char *start = p->text;
    error->line = 1;
    for (const char *c = p->text; c < at; c++)
        if (*c == '\n') {
            error->line++;
            start = c + 1;
        }
    error->column = (uint32_t)(at - start) + 1;
    size_t n = strcspn(start, "\r\n");
    if (n >= sizeof error->text) n = sizeof error->text - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)start[i];
        error->text[i] = (char)(c < ' ' || c == 127 ? ' ' : c);
    }
    error->text[n] = 0;
}

void ptx_fail(struct ptx_parser *p, const char *at, const char *format, ...) {
    locate(p, at, p->error);
    va_list list;
    va_start(list, format);
    vsnprintf(p->error->message, sizeof p->error->message, format, list);
    va_end(list);
    longjmp(p->failed, 1);
}

void ptx_fail_expected(struct ptx_parser *p, const char *what) {
    const struct ptx_token *t = &p->token;
    if (t->kind == PTX_TOKEN_END)
        ptx_fail(p, t->start, "expected %s before the end of the text", what);
    ptx_fail(p, t->start, "expected %s before '%.*s'", what,
             (int)(t->length < 60 ? t->length : 60), t->start);
}

static _Noreturn void fail_memory(struct ptx_parser *p) {
    *p->error = (struct ptx_error){0};
    snprintf(p->error->message, sizeof p->error->message,
             "no memory for the PTX module (limit %zu MiB)", p->limit >> 20);
    longjmp(p->failed, 1);
}

void *ptx_take(struct ptx_parser *p, uint64_t bytes) {
    if (bytes > PTX_ARENA_LIMIT) fail_memory(p);
    void *taken = ptx_arena_take(&p->storage->arena, (size_t)bytes);
    if (!taken) fail_memory(p);
    return taken;
}

void *ptx_take_array(struct ptx_parser *p, size_t n, size_t item_bytes) {
    if (n > PTX_ARENA_LIMIT / item_bytes) fail_memory(p);
    return n ? ptx_take(p, n * item_bytes) : NULL;
}

struct ptx_name *ptx_intern(struct ptx_parser *p, const char *text,
                            size_t length) {
    struct ptx_name *name = ptx_name_intern(p->storage, text, length);
    if (!name) fail_memory(p);
    return name;
}

static void support_grow(struct ptx_parser *p, struct ptx_list *list,
                         size_t capacity, size_t item_bytes) {
    size_t more = (capacity - list->capacity) * item_bytes;
    struct ptx_arena *arena = &p->storage->arena;
    size_t taken = arena->spared + arena->total;
    if (taken > PTX_ARENA_LIMIT || more > PTX_ARENA_LIMIT - taken)
        fail_memory(p);
    void *items = realloc(list->items, capacity * item_bytes);
    if (!items) fail_memory(p);
    arena->spared += more; /* one limit for both */
    list->items = items;
    list->capacity = capacity;
}

void ptx_list_reserve_bytes(struct ptx_parser *p, struct ptx_list *list,
                            uint64_t n) {
    if (n <= list->n) return;
    if (n > PTX_ARENA_LIMIT) fail_memory(p);
    if (n > list->capacity) {
        size_t twice = list->capacity * 2;
        support_grow(p, list, n > twice ? (size_t)n : twice, 1);
    }
    memset((char *)list->items + list->n, 0, (size_t)n - list->n);
    list->n = (size_t)n;
}

void *ptx_list_add(struct ptx_parser *p, struct ptx_list *list,
                   size_t item_bytes) {
    if (list->n == list->capacity)
        support_grow(p, list, list->capacity ? list->capacity * 2 : 16,
                     item_bytes);
    void *item = (char *)list->items + list->n++ * item_bytes;
    return memset(item, 0, item_bytes);
}

void *ptx_list_take(struct ptx_parser *p, struct ptx_list *list,
                    size_t item_bytes, uint32_t *n) {
    void *copy = ptx_take_array(p, list->n, item_bytes);
    if (list->n) memcpy(copy, list->items, list->n * item_bytes);
    *n = (uint32_t)list->n;
    list->n = 0;
    return copy;
}
