/* SPDX-License-Identifier: MIT
 *
 * watch.h: watches a call of a library: each of its accesses to memory and
 * atomics calls a function here. The library is compiled with the compiler's
 * instrumentation for a thread sanitizer (-fsanitize=thread), but linked to
 * none: the functions that the compiler calls, __tsan_read4 and its like, are
 * this program's, and so are malloc, memcpy and pthread_create in the student's
 * code (--wrap). So a grade needs no sanitizer's library and no shadow of the
 * address space, and all walls stand. Beside races and accesses out of bounds
 * these functions count how much each thread works, and can hold a thread back.
 *
 *   watch.c         a call from begin to end; what was found
 *   watch_access.c  the compiler's calls for accesses and atomics
 *   watch_wide.c    atomics of 16 bytes and of sizes of no register
 *   watch_undefined.c  and for what C leaves undefined
 *   watch_heap.c    malloc and its like, memcpy and its like
 *   watch_statics.c static variables, which end where the next one begins
 *   watch_threads.c threads and what they wait for
 *   watch_race.c    happens-before: a vector clock per thread
 *   watch_idea.c    which threads work, and which wait for which
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct watch_array {
    uintptr_t map, map_end; /* with what lies around it; 0: none */
    uintptr_t begin, end;
};

/* Most threads at a time; slots of threads that were joined are used again. */
enum { WATCH_SLOTS = 288, WATCH_RECENT = 64 };

struct watch_clock {
    uint32_t at[WATCH_SLOTS];
};

struct watch_thread {
    unsigned slot;
    uintptr_t stack_top; /* 0: the thread that calls the function */
    struct watch_clock now, fenced, pending; /* see watch_race.c */
    /* ---- watch_idea.c ---- */
    uintptr_t recent[WATCH_RECENT];
    uintptr_t last, low, high; /* of words that it read atomically */
    unsigned same;             /* times the last one, in a row */
    unsigned naps;             /* so often it has waited for the others */
    unsigned lingered;         /* and so often it was kept behind a store */
    _Atomic uint64_t loads, in_loads, out_stores, steps;
    atomic_bool waits;
    _Atomic uint64_t told; /* what it stored for others after it read in */
};

/* One call's. */
struct watch_state {
    bool on, lost; /* lost: not all threads are known, or no memory */
    unsigned bits;
    struct watch_array in, out;
    bool in_place;
    size_t n;
    unsigned threads;
    atomic_bool found[WIRE_N_WATCHES];
    struct watch_thread slots[WATCH_SLOTS];
    atomic_uint used; /* slots */
};
extern struct watch_state watch;
extern _Thread_local struct watch_thread *watch_self;

static inline bool watch_has(enum wire_watch w) {
    return watch.bits >> w & 1;
}

/* ---- watch.c ---- */
void watch_begin(const struct wire_call *, struct watch_array in,
                 struct watch_array out);
void watch_end(void);
/* Reports the first finding of each kind. pc 0: its place is not known. */
void watch_found(enum wire_watch, uintptr_t pc, uint64_t value,
                 uint64_t value2);
/* Held around all work on state that threads share. */
void watch_lock(void);
void watch_unlock(void);

/* ---- watch_access.c, for memcpy and its like ---- */
void watch_range(uintptr_t at, size_t bytes, bool write, uintptr_t pc);
/* And for atomics. Around one: what the first returns is given to the second.
 * order: as C11 counts them. */
enum watch_atomic { WATCH_LOAD, WATCH_STORE, WATCH_CHANGE };
bool watch_atomic_begin(enum watch_atomic, uintptr_t at, size_t bytes,
                        int order, uintptr_t pc);
void watch_atomic_end(enum watch_atomic, bool locked);

/* ---- watch_heap.c ---- */
void watch_heap_begin(void);
void watch_heap_end(void);
/* Locked. Is one of the bytes in no array? Then its enum wire_access, else -1.
 */
int watch_heap_bad(uintptr_t at, size_t bytes);
/* Locked. write: word i of the output is written now. Else: was it written? */
bool watch_heap_output(size_t i, bool write);

/* ---- watch_statics.c ---- */
/* The library's file, before it is loaded. false: it cannot be read (errno). */
bool watch_statics_read(int fd);
/* Where it was loaded. */
void watch_statics_at(uintptr_t base);
/* Is the access in the library's data, but outside of its variables? */
bool watch_statics_bad(uintptr_t at, size_t bytes);

/* ---- watch_race.c: all locked ---- */
enum watch_order { WATCH_RELAXED, WATCH_ACQUIRE, WATCH_RELEASE, WATCH_BOTH };
bool watch_race_begin(void);
void watch_race_end(void);
/* true: a race. */
bool watch_race_access(uintptr_t at, size_t bytes, bool write, bool atomic);
void watch_race_forget(uintptr_t at, size_t bytes);
void watch_race_load(uintptr_t at, enum watch_order);
void watch_race_store(uintptr_t at, enum watch_order);
void watch_race_change(uintptr_t at, enum watch_order);
void watch_race_fence(enum watch_order);
void watch_race_join(struct watch_clock *to, const struct watch_clock *from);

/* ---- watch_threads.c ---- */
/* The one that runs; NULL: none of ours. */
struct watch_thread *watch_thread_self(void);
void watch_threads_begin(void);

/* ---- watch_idea.c ---- */
void watch_idea_begin(void);
void watch_idea_load(struct watch_thread *, uintptr_t at, size_t bytes);
void watch_idea_store(struct watch_thread *, uintptr_t at, size_t bytes);
/* An atomic one; change: it is read, too. */
void watch_idea_look(struct watch_thread *, uintptr_t at);
void watch_idea_tell(struct watch_thread *, uintptr_t at);
/* Behind an atomic store: the thread stays there for a while, so that others
 * see what was stored before they can see what follows. */
void watch_idea_linger(void);
void watch_idea_end(void);
