/* SPDX-License-Identifier: MIT
 *
 * clocks.h: inside the referee (referee.h): who knows of what.
 *
 * A *clock* has a number for each thread, and one for each half of an
 * asynchronous copy, which is a thread of its own. A thread counts its own
 * operations; what it has of another one's number is how many of that one's
 * operations happen before its next. Nothing is forgotten or shared.
 */
#pragma once

#include "event.h"
#include "referee.h"

typedef uint32_t *clocks; /* referee.n_clocks numbers */

/* What a barrier hands on from those who arrive to those who wait. */
struct knowledge {
    clocks before;        /* what happens before the next operation */
    clocks fenced;        /* what happened before a fence made before */
    clocks fenced_wide;   /* of these, a fence for the device */
    clocks fenced_system; /* a fence for the system */
    clocks seen_system;   /* as seen_wide, of other GPUs */
    clocks seen;      /* what a store that was read released, in the block */
    clocks seen_wide; /* by other blocks, with the scope of the device */
    clocks done;      /* reads that have returned */
    clocks seen_done; /* as a store that was read tells */
};

struct open_copy {
    uint32_t read, write; /* their places in a clock */
    uint32_t group;       /* 0: not committed yet */
    bool bulk;
    uint32_t op;
};

struct thread {
    struct knowledge knows;
    struct open_copy copies[2 * MOST_OPS];
    uint32_t n_copies, groups, bulk_groups;
    struct proxy_fence { /* fence.proxy.async */
        uint32_t time;
        clocks before;
    } proxy_fences[MOST_OPS];
    uint32_t n_proxy_fences;
    uint32_t pauses; /* fences, barriers and releases that it has executed */
};

/* A store, or the write of an atomic operation. */
struct write {
    struct write *from; /* an atomic operation: what it observed */
    struct seen_by {
        struct seen_by *next;
        uint32_t thread, time;
    } * seen_by;
    uint32_t thread, scope, start, bytes;
    uint64_t value;
    bool strong;
    /* What it releases: to its block; to the device. Of these, what it or an
     * earlier release of its thread to the same place releases itself. */
    clocks block, device, own_block, own_device;
    clocks system, own_system; /* to all GPUs, where there are several */
    clocks done;               /* reads that have returned by then; or NULL */
    clocks at;                 /* what happened before it */
};

struct access {
    struct access *next;              /* older one of the word */
    uint32_t op, thread, place, time; /* in a clock */
    uint32_t start, bytes, order;
    uint32_t pauses, block_pauses; /* of its thread and block until then */
    uint8_t scope;
    bool writes, strong, is_volatile, copies;
    bool bulk_store; /* reads shared memory through another proxy */
    struct write *write;
};

struct writes {          /* of a word */
    struct writes *next; /* older ones */
    struct write *write;
};

/* What one thread has read of a word and not acquired. */
struct unacquired {
    struct unacquired *next;
    uint32_t thread, start, bytes;
    clocks block, device, system;
};

struct word {
    struct access *accesses;
    struct writes *writes;
    struct unacquired *unacquired;
};

struct meeting {  /* of a barrier, or of lanes */
    bool for_all; /* it has no number of threads */
    uint32_t arrived, waits[MOST_WARPS];
    uint32_t here[MOST_WARPS];
    struct knowledge all;
};

struct cluster { /* barrier.cluster: its next meeting; its last one */
    uint32_t here[MOST_WARPS];
    struct knowledge come, met;
};

struct mbarrier {
    uint32_t count, missing;
    int64_t bytes; /* expected and not issued yet */
    clocks phase, done;
};
enum { BARRIERS = 16 };

struct referee {
    const struct program *program;
    struct rules rules;
    uint32_t n_threads, n_clocks, used_clocks, order, launch;
    struct thread *threads;
    struct word *global, *shared[MOST_BLOCKS];
    struct meeting barriers[MOST_BLOCKS][BARRIERS];
    /* Of lanes: those of one mask meet. By the first operation that has it. */
    struct meeting lanes[MOST_BLOCKS][MOST_WARPS][MOST_OPS];
    struct cluster clusters[MOST_BLOCKS];
    struct mbarrier mbarriers[MOST_BLOCKS][WORDS];
    /* Of a block: threads that have exited, and what they knew; reads that have
     * returned since its last barrier of all, NULL: there was none. */
    uint32_t exited[MOST_BLOCKS][MOST_WARPS], n_exited[MOST_BLOCKS];
    struct knowledge gone[MOST_BLOCKS];
    uint32_t pauses[MOST_BLOCKS]; /* of its threads */
    clocks done[MOST_BLOCKS];
    bool guesses;   /* the program has a swap */
    uint64_t looks; /* at writes that may hide others (pairs.c) */
    struct race *races;
    size_t n_races, races_room;
    struct chunk {
        struct chunk *next;
        size_t used;
        _Alignas(16) char bytes[1 << 16];
    } * memory;
};

void *referee_memory(struct referee *, size_t bytes); /* zeros */
clocks clocks_new(struct referee *);
clocks clocks_copy(struct referee *, const uint32_t *);
/* to becomes the later of the two, number for number. */
void clocks_join(const struct referee *, clocks to, const uint32_t *from);
void knowledge_new(struct referee *, struct knowledge *);
void knowledge_join(const struct referee *, struct knowledge *to,
                    const struct knowledge *from);

uint32_t thread_of(const struct referee *, const struct event *, uint32_t lane);
uint32_t block_of(const struct referee *, uint32_t thread);

/* accesses.c: an access of a lane, and what it observes and releases. */
void referee_access(struct referee *, const struct event *);
/* pairs.c */
bool referee_same_gpu(const struct referee *, uint32_t t, uint32_t u);
/* Each one's scope holds the other. */
bool referee_in_scope(const struct referee *, uint32_t t, uint32_t scope_t,
                      uint32_t u, uint32_t scope_u);
bool referee_same_block(const struct referee *, uint32_t thread, uint32_t);
void referee_pause(struct referee *, uint32_t thread);
/* One of a copy, or of an mbarrier's 8 bytes. before: what happens before. */
struct bytes_of {
    enum space space;
    uint32_t block, start, bytes;
};
void referee_raw_access(struct referee *, struct access, struct bytes_of,
                        const uint32_t *before);
/* The words of the bytes, from the first on. */
struct word *referee_words(struct referee *, struct bytes_of);
/* Of an access by an event's lane. */
struct bytes_of bytes_at(enum space, uint32_t block, uint64_t address,
                         uint32_t bytes);
/* meetings.c */
void referee_fence(struct referee *, const struct event *);
void referee_barrier(struct referee *, const struct event *);
void referee_cluster(struct referee *, const struct event *);
void referee_exit(struct referee *, const struct event *);
void referee_lanes(struct referee *, const struct event *);
/* copies.c */
void referee_copies(struct referee *, const struct event *);
