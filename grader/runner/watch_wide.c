/* SPDX-License-Identifier: MIT
 *
 * watch_wide.c: atomics of 16 bytes, and of sizes that no register has. For
 * those a compiler calls libatomic; a submission is linked without it, and gets
 * these, which take a lock, as libatomic does. A watched library's calls of
 * them are seen like other atomics. Their names are the compiler's, which would
 * not let a function of C have them: they stand in strings.
 */
#include <stdatomic.h>
#include <string.h>

#include "watch.h"

#define HOOK   __attribute__((visibility("default"), used))
#define CALLER ((uintptr_t)__builtin_return_address(0))

__extension__ typedef unsigned __int128 wide;

enum { LOCKS = 64, LINE = 64 };
static atomic_flag locks[LOCKS];

static atomic_flag *lock_of(uintptr_t at) {
    return &locks[at / LINE % LOCKS];
}

static bool watch_wide_begin(enum watch_atomic kind, uintptr_t at, size_t bytes,
                             int order, uintptr_t pc) {
    bool locked = watch_atomic_begin(kind, at, bytes, order, pc);
    while (atomic_flag_test_and_set(lock_of(at))) {
    }
    return locked;
}

static void watch_wide_end(enum watch_atomic kind, uintptr_t at, bool locked) {
    atomic_flag_clear(lock_of(at));
    watch_atomic_end(kind, locked);
}

/* ---- of any size ---- */

static void watch_wide_load(const void *at, void *to, size_t bytes, int order,
                            uintptr_t pc) {
    bool locked = watch_wide_begin(WATCH_LOAD, (uintptr_t)at, bytes, order, pc);
    memcpy(to, at, bytes);
    watch_wide_end(WATCH_LOAD, (uintptr_t)at, locked);
}

static void watch_wide_store(void *at, const void *from, size_t bytes,
                             int order, uintptr_t pc) {
    bool locked =
        watch_wide_begin(WATCH_STORE, (uintptr_t)at, bytes, order, pc);
    memcpy(at, from, bytes);
    watch_wide_end(WATCH_STORE, (uintptr_t)at, locked);
}

static void watch_wide_exchange(void *at, const void *from, void *was,
                                size_t bytes, int order, uintptr_t pc) {
    bool locked =
        watch_wide_begin(WATCH_CHANGE, (uintptr_t)at, bytes, order, pc);
    memmove(was, at, bytes);
    memcpy(at, from, bytes);
    watch_wide_end(WATCH_CHANGE, (uintptr_t)at, locked);
}

static bool watch_wide_compare_exchange(void *at, void *was, const void *value,
                                        size_t bytes, int order, uintptr_t pc) {
    bool locked =
        watch_wide_begin(WATCH_CHANGE, (uintptr_t)at, bytes, order, pc);
    bool same = memcmp(at, was, bytes) == 0;
    memcpy(same ? at : was, same ? value : at, bytes);
    watch_wide_end(WATCH_CHANGE, (uintptr_t)at, locked);
    return same;
}

HOOK void wide_load(size_t, const void *, void *, int) __asm__("__atomic_load");
HOOK void wide_load(size_t bytes, const void *at, void *to, int order) {
    watch_wide_load(at, to, bytes, order, CALLER);
}

HOOK void wide_store(size_t, void *, const void *,
                     int) __asm__("__atomic_store");
HOOK void wide_store(size_t bytes, void *at, const void *from, int order) {
    watch_wide_store(at, from, bytes, order, CALLER);
}

HOOK void wide_exchange(size_t, void *, const void *, void *,
                        int) __asm__("__atomic_exchange");
HOOK void wide_exchange(size_t bytes, void *at, const void *from, void *was,
                        int order) {
    watch_wide_exchange(at, from, was, bytes, order, CALLER);
}

HOOK bool wide_compare(size_t, void *, void *, const void *, int,
                       int) __asm__("__atomic_compare_exchange");
HOOK bool wide_compare(size_t bytes, void *at, void *was, const void *value,
                       int order, int failed) {
    (void)failed;
    return watch_wide_compare_exchange(at, was, value, bytes, order, CALLER);
}

HOOK bool wide_is_free(size_t, const void *) __asm__("__atomic_is_lock_free");
HOOK bool wide_is_free(size_t bytes, const void *at) {
    (void)at;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

/* ---- of 16 bytes, as libatomic and as thread sanitizers call them ---- */

#define SIXTEEN(family, name_load, name_store, name_exchange, name_strong)     \
    HOOK wide family##_load(const void *, int) __asm__(name_load);             \
    HOOK wide family##_load(const void *at, int order) {                       \
        wide to;                                                               \
        watch_wide_load(at, &to, sizeof to, order, CALLER);                    \
        return to;                                                             \
    }                                                                          \
    HOOK void family##_store(void *, wide, int) __asm__(name_store);           \
    HOOK void family##_store(void *at, wide value, int order) {                \
        watch_wide_store(at, &value, sizeof value, order, CALLER);             \
    }                                                                          \
    HOOK wide family##_exchange(void *, wide, int) __asm__(name_exchange);     \
    HOOK wide family##_exchange(void *at, wide value, int order) {             \
        wide was;                                                              \
        watch_wide_exchange(at, &value, &was, sizeof was, order, CALLER);      \
        return was;                                                            \
    }                                                                          \
    HOOK int family##_strong(void *, void *, wide, int,                        \
                             int) __asm__(name_strong);                        \
    HOOK int family##_strong(void *at, void *was, wide value, int order,       \
                             int failed) {                                     \
        (void)failed;                                                          \
        return watch_wide_compare_exchange(at, was, &value, sizeof value,      \
                                           order, CALLER);                     \
    }
SIXTEEN(wide_16, "__atomic_load_16", "__atomic_store_16",
        "__atomic_exchange_16", "__atomic_compare_exchange_16")
SIXTEEN(wide_128, "__tsan_atomic128_load", "__tsan_atomic128_store",
        "__tsan_atomic128_exchange", "__tsan_atomic128_compare_exchange_strong")

HOOK int wide_128_weak(void *, void *, wide, int,
                       int) __asm__("__tsan_atomic128_compare_exchange_weak");
HOOK int wide_128_weak(void *at, void *was, wide value, int order, int failed) {
    (void)failed;
    return watch_wide_compare_exchange(at, was, &value, sizeof value, order,
                                       CALLER);
}

#define FETCH(name, made)                                                      \
    static wide fetch_##name(wide *at, wide value, int order, uintptr_t pc) {  \
        bool locked = watch_wide_begin(WATCH_CHANGE, (uintptr_t)at,            \
                                       sizeof value, order, pc);               \
        wide was = *at;                                                        \
        *at = made;                                                            \
        watch_wide_end(WATCH_CHANGE, (uintptr_t)at, locked);                   \
        return was;                                                            \
    }                                                                          \
    HOOK wide wide_16_fetch_##name(wide *, wide, int) __asm__(                 \
        "__atomic_fetch_" #name "_16");                                        \
    HOOK wide wide_16_fetch_##name(wide *at, wide value, int order) {          \
        return fetch_##name(at, value, order, CALLER);                         \
    }                                                                          \
    HOOK wide wide_128_fetch_##name(wide *, wide, int) __asm__(                \
        "__tsan_atomic128_fetch_" #name);                                      \
    HOOK wide wide_128_fetch_##name(wide *at, wide value, int order) {         \
        return fetch_##name(at, value, order, CALLER);                         \
    }
FETCH(add, was + value)
FETCH(sub, was - value)
FETCH(and, was &value)
FETCH(or, was | value)
FETCH(xor, was ^ value)
