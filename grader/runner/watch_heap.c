/* SPDX-License-Identifier: MIT
 *
 * watch_heap.c: the student's malloc and its like in a watched library, with
 * room around each block that nobody may touch; what is freed stays until the
 * call ends, and nobody may touch that either.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "watch.h"

#define HOOK   __attribute__((visibility("default"), used))
#define CALLER ((uintptr_t)__builtin_return_address(0))

enum { ROOM = 64, MOST_BLOCKS = 4096 };

struct block {
    uintptr_t begin;
    size_t bytes;
    bool freed;
};

static struct {
    struct block blocks[MOST_BLOCKS];
    size_t n, last; /* last: the one that was touched last */
    uintptr_t low, high;
    unsigned char *written; /* a bit for each word of the output */
} heap;

void watch_heap_begin(void) {
    heap.written = calloc(watch.n / 8 + 1, 1);
}

static void drop(size_t i) {
    free((void *)(heap.blocks[i].begin - ROOM));
    heap.blocks[i] = heap.blocks[--heap.n];
    heap.last = 0;
}

void watch_heap_end(void) {
    free(heap.written);
    heap.written = NULL;
    for (size_t i = heap.n; i-- > 0;)
        if (heap.blocks[i].freed) drop(i);
}

bool watch_heap_output(size_t i, bool write) {
    if (!heap.written || i >= watch.n) return true;
    unsigned char bit = (unsigned char)(1u << i % 8);
    bool was = heap.written[i / 8] & bit;
    if (write) heap.written[i / 8] |= bit;
    return was || write;
}

static bool touches(const struct block *b, uintptr_t at) {
    return at >= b->begin - ROOM && at < b->begin + b->bytes + ROOM;
}

int watch_heap_bad(uintptr_t at, size_t bytes) {
    if (at < heap.low || at >= heap.high) return -1;
    size_t i = heap.last;
    if (i >= heap.n || !touches(&heap.blocks[i], at))
        for (i = 0; i < heap.n && !touches(&heap.blocks[i], at);) i++;
    if (i >= heap.n) return -1;
    const struct block *b = &heap.blocks[i];
    heap.last = i;
    if (at < b->begin) return WIRE_ACCESS_BEFORE;
    if (at + bytes > b->begin + b->bytes) return WIRE_ACCESS_PAST;
    return b->freed ? WIRE_ACCESS_FREED : -1;
}

/* ---- blocks ---- */

static void *watch_heap_keep(unsigned char *raw, size_t bytes) {
    if (!raw) return NULL;
    uintptr_t begin = (uintptr_t)raw + ROOM;
    watch_lock();
    for (size_t i = heap.n; i-- > 0 && heap.n == MOST_BLOCKS;)
        if (heap.blocks[i].freed) drop(i);
    if (heap.n < MOST_BLOCKS)
        heap.blocks[heap.n++] = (struct block){begin, bytes, false};
    if (!heap.low || heap.low > begin - ROOM) heap.low = begin - ROOM;
    if (heap.high < begin + bytes + ROOM) heap.high = begin + bytes + ROOM;
    if (watch.on && watch_has(WIRE_WATCH_THREAD) && !watch.lost)
        watch_race_forget(begin - ROOM, bytes + 2 * ROOM);
    watch_unlock();
    return (void *)begin;
}

static struct block *block_at(const void *at) {
    for (size_t i = heap.n; i-- > 0;)
        if (heap.blocks[i].begin == (uintptr_t)at) return &heap.blocks[i];
    return NULL;
}

HOOK void *__wrap_malloc(size_t bytes);
HOOK void *__wrap_malloc(size_t bytes) {
    if (bytes > PTRDIFF_MAX - 2 * ROOM) return malloc(bytes);
    return watch_heap_keep(malloc(bytes + 2 * ROOM), bytes);
}

HOOK void *__wrap_calloc(size_t n, size_t each);
HOOK void *__wrap_calloc(size_t n, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(n, each, &bytes) ||
        bytes > PTRDIFF_MAX - 2 * ROOM)
        return calloc(n, each);
    return watch_heap_keep(calloc(1, bytes + 2 * ROOM), bytes);
}

static void give_back(void *at, uintptr_t pc) {
    watch_lock();
    struct block *b = at ? block_at(at) : NULL;
    bool ours = b != NULL;
    if (ours && b->freed)
        watch_found(WIRE_WATCH_ADDRESS, pc, WIRE_ACCESS_FREED, 0);
    if (ours) b->freed = true;
    if (ours && !watch.on) drop((size_t)(b - heap.blocks));
    watch_unlock();
    if (!ours) free(at);
}

HOOK void __wrap_free(void *at);
HOOK void __wrap_free(void *at) {
    give_back(at, CALLER);
}

HOOK void *__wrap_realloc(void *at, size_t bytes);
HOOK void *__wrap_realloc(void *at, size_t bytes) {
    watch_lock();
    struct block *b = at ? block_at(at) : NULL;
    size_t had = b ? b->bytes : 0;
    watch_unlock();
    if (at && !b) return realloc(at, bytes);
    void *fresh = __wrap_malloc(bytes);
    if (!fresh) return NULL;
    if (had) memcpy(fresh, at, had < bytes ? had : bytes);
    give_back(at, CALLER);
    return fresh;
}

/* ---- many bytes at a time ---- */

HOOK void *__wrap_memcpy(void *to, const void *from, size_t bytes);
HOOK void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
    watch_range((uintptr_t)from, bytes, false, CALLER);
    watch_range((uintptr_t)to, bytes, true, CALLER);
    return memmove(to, from, bytes);
}

HOOK void *__wrap_memmove(void *to, const void *from, size_t bytes);
HOOK void *__wrap_memmove(void *to, const void *from, size_t bytes) {
    watch_range((uintptr_t)from, bytes, false, CALLER);
    watch_range((uintptr_t)to, bytes, true, CALLER);
    return memmove(to, from, bytes);
}

HOOK void *__wrap_memset(void *to, int value, size_t bytes);
HOOK void *__wrap_memset(void *to, int value, size_t bytes) {
    watch_range((uintptr_t)to, bytes, true, CALLER);
    return memset(to, value, bytes);
}
