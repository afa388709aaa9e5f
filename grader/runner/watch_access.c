/* SPDX-License-Identifier: MIT
 *
 * watch_access.c: what the compiler's instrumentation calls. The names are the
 * compiler's (gcc's and clang's thread sanitizer).
 */
#include "watch.h"

#define HOOK   __attribute__((visibility("default"), used))
#define CALLER ((uintptr_t)__builtin_return_address(0))

enum { NEAR_BYTES = 16384 };

/* Is it a variable on the thread's own stack? The calling thread has no
 * stack_top: other threads may have pointers to its variables. */
static bool is_own(const struct watch_thread *t, uintptr_t at) {
    return t->stack_top && at < t->stack_top &&
           at >= (uintptr_t)__builtin_frame_address(0);
}

static bool is_near(uintptr_t at) {
    return at - (uintptr_t)__builtin_frame_address(0) < NEAR_BYTES;
}

static bool is_outside(const struct watch_array *a, uintptr_t at,
                       size_t bytes) {
    return at >= a->map && at < a->map_end &&
           (at < a->begin || at + bytes > a->end);
}

static void look_at_address(uintptr_t at, size_t bytes, uintptr_t pc) {
    int bad = -1;
    if (is_outside(&watch.out, at, bytes))
        bad = WIRE_ACCESS_OUT;
    else if (!watch.in_place && is_outside(&watch.in, at, bytes))
        bad = WIRE_ACCESS_IN;
    else
        bad = watch_heap_bad(at, bytes);
    if (bad >= 0)
        watch_found(WIRE_WATCH_ADDRESS, pc, (uint64_t)bad,
                    at - (bad == WIRE_ACCESS_IN ? watch.in : watch.out).begin);
}

/* Takes no lock: the table of variables never changes. */
static void look_at_statics(uintptr_t at, size_t bytes, uintptr_t pc) {
    if (!watch_statics_bad(at, bytes)) return;
    watch_found(WIRE_WATCH_ADDRESS, pc, WIRE_ACCESS_STATIC, 0);
    watch_found(WIRE_WATCH_STATICS, pc, 0, 0);
}

/* An element of the output that no thread has written yet holds what the array
 * held before the call. */
static void look_at_output(uintptr_t at, size_t bytes, bool write,
                           uintptr_t pc) {
    uintptr_t begin = watch.out.begin;
    if (watch.in_place || at < begin || at + bytes > watch.out.end) return;
    for (size_t i = (at - begin) / 4; i <= (at - begin + bytes - 1) / 4; i++)
        if (!watch_heap_output(i, write))
            watch_found(WIRE_WATCH_ADDRESS, pc, WIRE_ACCESS_UNWRITTEN, i * 4);
}

static void seen(uintptr_t at, size_t bytes, bool write, bool atomic,
                 uintptr_t pc) {
    struct watch_thread *t = watch_thread_self();
    if (!watch.on || !t) return;
    if (!is_near(at)) {
        if (write)
            watch_idea_store(t, at, bytes);
        else
            watch_idea_load(t, at, bytes);
    }
    if (is_own(t, at)) return;
    look_at_statics(at, bytes, pc);
    if (!(watch_has(WIRE_WATCH_ADDRESS) || watch_has(WIRE_WATCH_THREAD)))
        return;
    watch_lock();
    if (watch_has(WIRE_WATCH_ADDRESS)) {
        look_at_address(at, bytes, pc);
        look_at_output(at, bytes, write, pc);
    }
    if (watch_has(WIRE_WATCH_THREAD) && !watch.lost &&
        watch_race_access(at, bytes, write, atomic))
        watch_found(WIRE_WATCH_THREAD, pc, at, write);
    watch_unlock();
}

void watch_range(uintptr_t at, size_t bytes, bool write, uintptr_t pc) {
    enum { PART = 8 };
    for (size_t i = 0; i < bytes; i += PART)
        seen(at + i, bytes - i < PART ? bytes - i : PART, write, false, pc);
}

/* ---- plain accesses ---- */

#define ACCESS(name, bytes, write)                                             \
    HOOK void __tsan_##name(void *at);                                         \
    HOOK void __tsan_##name(void *at) {                                        \
        seen((uintptr_t)at, bytes, write, false, CALLER);                      \
    }
#define BOTH(bytes)                                                            \
    ACCESS(read##bytes, bytes, false)                                          \
    ACCESS(write##bytes, bytes, true)                                          \
    ACCESS(unaligned_read##bytes, bytes, false)                                \
    ACCESS(unaligned_write##bytes, bytes, true)                                \
    ACCESS(volatile_read##bytes, bytes, false)                                 \
    ACCESS(volatile_write##bytes, bytes, true)
/* clang-format off */
BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)
/* clang-format on */

HOOK void __tsan_read_range(void *at, size_t bytes);
HOOK void __tsan_read_range(void *at, size_t bytes) {
    watch_range((uintptr_t)at, bytes, false, CALLER);
}

HOOK void __tsan_write_range(void *at, size_t bytes);
HOOK void __tsan_write_range(void *at, size_t bytes) {
    watch_range((uintptr_t)at, bytes, true, CALLER);
}

HOOK void __tsan_func_entry(void *caller);
HOOK void __tsan_func_entry(void *caller) {
    (void)caller;
}

HOOK void __tsan_func_exit(void);
HOOK void __tsan_func_exit(void) {}

HOOK void __tsan_init(void);
HOOK void __tsan_init(void) {}

/* ---- atomics: noted and done while nobody else does one ---- */

static enum watch_order order_of(int order) {
    switch (order) {
    case __ATOMIC_RELAXED: return WATCH_RELAXED;
    case __ATOMIC_CONSUME:
    case __ATOMIC_ACQUIRE: return WATCH_ACQUIRE;
    case __ATOMIC_RELEASE: return WATCH_RELEASE;
    default: return WATCH_BOTH;
    }
}

bool watch_atomic_begin(enum watch_atomic kind, uintptr_t at, size_t bytes,
                        int order, uintptr_t pc) {
    static void (*const know[])(uintptr_t, enum watch_order) = {
        watch_race_load, watch_race_store, watch_race_change};
    struct watch_thread *t = watch_thread_self();
    if (!watch.on || !t) return false;
    if (kind == WATCH_LOAD)
        watch_idea_look(t, at);
    else
        watch_idea_tell(t, at);
    look_at_statics(at, bytes, pc);
    if (!watch_has(WIRE_WATCH_ADDRESS) && !watch_has(WIRE_WATCH_THREAD))
        return false;
    watch_lock();
    if (watch_has(WIRE_WATCH_ADDRESS)) look_at_address(at, bytes, pc);
    if (watch_has(WIRE_WATCH_THREAD) && !watch.lost) {
        if (watch_race_access(at, bytes, kind != WATCH_LOAD, true))
            watch_found(WIRE_WATCH_THREAD, pc, at, kind != WATCH_LOAD);
        know[kind](at, order_of(order));
    }
    return true;
}

void watch_atomic_end(enum watch_atomic kind, bool locked) {
    if (locked) watch_unlock();
    if (kind != WATCH_LOAD && watch_has(WIRE_WATCH_THREAD)) watch_idea_linger();
}

#define ATOMIC(type, kind, ...)                                                \
    bool locked =                                                              \
        watch_atomic_begin(kind, (uintptr_t)at, sizeof *at, order, CALLER);    \
    type result = __VA_ARGS__;                                                 \
    watch_atomic_end(kind, locked);                                            \
    return result
#define CHANGES(bits, type, hook, name)                                        \
    HOOK type __tsan_atomic##bits##_##hook(volatile type *at, type value,      \
                                           int order);                         \
    HOOK type __tsan_atomic##bits##_##hook(volatile type *at, type value,      \
                                           int order) {                        \
        ATOMIC(type, WATCH_CHANGE,                                             \
               __atomic_##name(at, value, __ATOMIC_SEQ_CST));                  \
    }
#define SWAPS(bits, type, name, weak)                                          \
    HOOK int __tsan_atomic##bits##_compare_exchange_##name(                    \
        volatile type *at, type *was, type value, int order, int failed);      \
    HOOK int __tsan_atomic##bits##_compare_exchange_##name(                    \
        volatile type *at, type *was, type value, int order, int failed) {     \
        (void)failed;                                                          \
        ATOMIC(int, WATCH_CHANGE,                                              \
               __atomic_compare_exchange_n(                                    \
                   at, was, value, weak, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
    }
#define ATOMICS(bits, type)                                                    \
    HOOK type __tsan_atomic##bits##_load(const volatile type *at, int order);  \
    HOOK type __tsan_atomic##bits##_load(const volatile type *at, int order) { \
        ATOMIC(type, WATCH_LOAD, __atomic_load_n(at, __ATOMIC_SEQ_CST));       \
    }                                                                          \
    HOOK void __tsan_atomic##bits##_store(volatile type *at, type value,       \
                                          int order);                          \
    HOOK void __tsan_atomic##bits##_store(volatile type *at, type value,       \
                                          int order) {                         \
        bool locked = watch_atomic_begin(WATCH_STORE, (uintptr_t)at,           \
                                         sizeof *at, order, CALLER);           \
        __atomic_store_n(at, value, __ATOMIC_SEQ_CST);                         \
        watch_atomic_end(WATCH_STORE, locked);                                 \
    }                                                                          \
    CHANGES(bits, type, exchange, exchange_n)                                  \
    CHANGES(bits, type, fetch_add, fetch_add)                                  \
    CHANGES(bits, type, fetch_sub, fetch_sub)                                  \
    CHANGES(bits, type, fetch_and, fetch_and)                                  \
    CHANGES(bits, type, fetch_or, fetch_or)                                    \
    CHANGES(bits, type, fetch_xor, fetch_xor)                                  \
    CHANGES(bits, type, fetch_nand, fetch_nand)                                \
    SWAPS(bits, type, strong, 0)                                               \
    SWAPS(bits, type, weak, 1)
ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

HOOK void __tsan_atomic_thread_fence(int order);
HOOK void __tsan_atomic_thread_fence(int order) {
    struct watch_thread *t = watch_thread_self();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!watch.on || !t || !watch_has(WIRE_WATCH_THREAD)) return;
    watch_lock();
    watch_race_fence(order_of(order));
    watch_unlock();
}

HOOK void __tsan_atomic_signal_fence(int order);
HOOK void __tsan_atomic_signal_fence(int order) {
    (void)order;
}

/* ---- what libgcc has ---- */

/* A source that asks for features of the processor (__builtin_cpu_supports)
 * hears that there are none, and takes its plain path. */
#if defined(__x86_64__)
HOOK unsigned __wrap___cpu_model[4];
HOOK unsigned __wrap___cpu_features2[4];
HOOK int __wrap___cpu_indicator_init(void);
HOOK int __wrap___cpu_indicator_init(void) {
    return 0;
}
#endif
