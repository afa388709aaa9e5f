/* SPDX-License-Identifier: MIT
 *
 * race.h: racecheck. A race is two accesses to one word by different threads,
 * at least one of them a write, not both strong, and not ordered by
 * happens-before. vgpu/docs/race-model.md has the model, to the letter.
 */
#pragma once

#include "race_clock.h"
#include "event.h"

/* For racecheck a *channel* makes the accesses of asynchronous copies, as if it
 * were a thread of its own: copies of one channel are waited for in the order
 * of their stamps. Each thread has the first three channels; the loads that
 * complete at one mbarrier are one channel, with the number of the phase as
 * their stamp. */
enum {
    RACE_SMALL, /* cp.async */
    RACE_BULK_READ,
    RACE_BULK_WRITE,
    RACE_MBARRIERS,
    RACE_CHANNELS = 512 /* of a block */
};

/* A remembered access, unpacked. insn: its number in the program. */
struct race_by {
    uint64_t who;
    uint32_t stamp, insn;
    bool strong, special, device; /* WHAT_SPECIAL, WHAT_DEVICE */
    uint8_t bytes;
};
/* The readers of words that the shadow had to forget, as many as there is room
 * for: they serve only to name the thread in a finding. */
enum { LATELY_FORGOTTEN = 256 };
struct race_forgotten {
    const uint64_t *word; /* its entry in the plane */
    uint64_t when, what;
};
/* The current access, packed as race_inside.h says, and the stamps with which
 * remembered accesses are compared. */
struct race_now {
    uint64_t block, barrier, era, when, what;
    uint64_t short_stamp, short_barrier; /* for short entries */
    bool shared;
    bool exact; /* no reader of a word may be forgotten, however many it has */
    struct race_forgotten *forgotten;
    const struct race_state *state;
};

/* A plane has an entry for each word of 4 bytes; a shadow has a plane of last
 * writers and one of last readers. Entries are packed, see race_inside.h.
 * Shared memory has short entries of one word (`when` is NULL), unless the
 * program has asynchronous copies, whose channels have block numbers of their
 * own. */
struct race_plane {
    uint64_t *when, *what;
    uint64_t era;    /* of the latest entry; entries of older launches do not
                      * count */
    uint64_t latest; /* where entries are short: its stamp, packed */
};
struct race_shadow {
    struct race_plane write, read;
    uint64_t n; /* words */
    uint64_t words[];
};

/* The vector clocks of a thread, without what its block's and its warp's
 * barriers say. */
enum race_view {
    RACE_KNOWN,         /* what happens before its next access */
    RACE_FENCED_BLOCK,  /* what happens before its last fence, and so before a
                           flag that it stores now; for readers in its block */
    RACE_FENCED,        /* the same for readers in any block */
    RACE_SEEN_BLOCK,    /* what flags that it has read release, which becomes
                           KNOWN at its next fence; flags of its block */
    RACE_SEEN,          /* the same for flags of any block */
    RACE_FENCED_DEVICE, /* where there are groups of blocks (race_inside.h): for
                           readers of its group */
    RACE_SEEN_DEVICE,   /* likewise: flags of its group */
    RACE_DONE,          /* loads that have returned */
    RACE_SEEN_DONE,     /* loads whose return such flags imply */
    RACE_VIEWS
};
struct race_thread {
    clock_tree view[RACE_VIEWS];
    uint32_t fenced_block, fenced_device,
        fenced; /* its own accesses before these stamps */
    struct race_unacquired *unacquired;
};
/* What the writes of some bytes release that a thread has read by relaxed
 * loads: an acquiring read of these bytes will acquire it. all, block: released
 * to all threads, to those of its block. */
struct race_unacquired {
    struct race_unacquired *next;
    uint64_t name;
    uint32_t bytes;
    clock_tree all, device, block;
};
/* The clocks of the threads that have come to a barrier that is not for the
 * whole block. */
struct race_meeting {
    clock_tree view[RACE_VIEWS];
};
/* arrived: what arrivals have released. done: what they had released when the
 * last phase was complete. */
struct race_mbarrier {
    uint32_t at, phase; /* phases completed, of all mbarriers that were here */
    clock_tree arrived, done;
};
struct race_remote {
    const struct insn *insn; /* NULL: none */
    uint32_t stamp, address;
    bool writes;
};
/* A fence.proxy.async of some lanes. known: what all of them knew, without
 * their own accesses. */
enum { MOST_PROXIES = 1 << 16 };
struct race_proxy {
    uint32_t warp, lanes, stamp;
    clock_tree known;
};
struct race_async { /* of a block that has asynchronous copies or mbarriers */
    struct race_mbarrier mbarriers[RACE_CHANNELS];
    struct race_proxy *proxies; /* the last ones */
    uint32_t n_mbarriers, n_proxies, room;
    uint32_t lost; /* the stamp of the last one that is not kept */
};
struct race_block {
    struct race_shadow *shadow; /* of shared memory */
    uint32_t clock, barrier, era;
    int64_t base; /* add to a stamp: short stamp (race_inside.h) */
    clock_tree view[RACE_VIEWS]; /* what all its threads know */
    struct race_async *async;    /* or NULL */
    /* One for each barrier; then two of barrier.cluster: of the threads that
     * have come, and of the last time that it opened. */
    struct race_meeting *meetings[N_BARRIERS + 2];
    /* In a cluster: the last access of each thread of it, by rank and number,
     * to this block's shared memory; or NULL. */
    struct race_remote *remotes;
    bool has_remotes;
    clock_tree done; /* RACE_DONE and the block's own loads, as of done_barrier
                      */
    uint32_t done_barrier;
    bool parted;     /* some thread has views of its own (race_warp) */
    bool unacquired; /* some thread has a race_unacquired */
};

struct race_warp {
    uint32_t sync;   /* the stamp of the last bar.warp.sync of all live lanes */
    uint32_t parted; /* lanes that have views of their own, in `threads` */
    struct race_thread *threads; /* WARP_LANES; or NULL */
};

/* What a chain of strong writes releases only to the threads of one block. Such
 * parts exist only where a program uses the scope of a block; then a chain may
 * pass through several blocks. */
struct race_part {
    struct race_part *next;
    uint64_t block;
    clock_tree known;
};
/* What a strong write of a word releases. */
struct race_sync {
    uint64_t name;
    clock_tree released, done;
    struct race_part *parts;
    uint64_t writer;
    uint64_t stamp;
    bool of_block;  /* its scope is the block */
    bool of_device; /* its scope is the group of blocks (race_inside.h) */
};

/* Further accesses to a word, for which its two entries have no room. */
struct race_more {
    uint64_t name; /* of the word */
    uint64_t when, what;
    uint32_t next; /* of the word; 0: none */
    uint32_t next_like;
    bool wrote;
};
struct race_mores {
    struct charges *charges;
    struct race_more *list; /* the first is not used */
    uint32_t *words, *likes;
    uint32_t n, room; /* a power of two */
};

/* Races with readers that are no longer stored: reported when the launch ends,
 * unless the same instruction races with an access that is stored. */
enum { MOST_UNNAMED = 16 };
struct race_unnamed {
    const struct insn *insn;
    uint64_t times;
    struct vgpu_finding finding;
};

/* A launch of a machine with several GPUs, or of a family (children.h): its
 * blocks are those from `first` on. known: what happens before all that it
 * does. */
struct race_grid {
    uint64_t first, n;
    uint32_t grid[3], block[3];
    struct program *program;
    unsigned gpu;
    clock_tree known;
    const char *kernel;        /* mangled */
    const struct child *child; /* of a family; NULL: the host's launch */
};

struct race_versions;
struct race_state { /* of a launch, or of several that run at the same time */
    struct clock_pool clocks;
    struct race_mores mores;
    struct race_forgotten forgotten[LATELY_FORGOTTEN];
    struct race_unnamed *unnamed; /* NULL: none */
    uint32_t n_unnamed, era;
    const struct insn
        *ends_named[MOST_UNNAMED]; /* in findings about ends of blocks */
    uint32_t n_ends_named;
    uint64_t n_blocks;
    bool exact[2];           /* race_now.exact; [1]: of shared memory */
    bool has_flags;          /* a load has read what was stored as a flag */
    bool orders;             /* something else than barriers may order
                                threads */
    bool stopped;            /* it has reported that it is incomplete */
    bool scoped;             /* program.block_scopes */
    bool has_gpus;           /* of a machine with several GPUs: */
    uint32_t n_machines;     /* whose launches use it now */
    bool has_kin;            /* of a family, to whose end it stays */
    struct race_grid *grids; /* all that have used it, the latest last */
    uint32_t n_grids;
    uint32_t grid[3], cluster[3];   /* where blocks have clusters; else 0 */
    clock_tree ended;               /* all accesses of those that have ended */
    struct race_versions *versions; /* race_version.c; NULL: not needed */
    uint32_t observed; /* the version that the current access has read */
};

/* NULL: racecheck does not check this launch, or has stopped. */
static inline struct race_state *race_of(const struct machine *m) {
    return m->slots[OBSERVER_RACE];
}
static inline struct race_block *race_block_of(const struct block *b) {
    return b->slots[OBSERVER_RACE];
}
static inline struct race_warp *race_warp_of(const struct warp *w) {
    return w->slots[OBSERVER_RACE];
}
/* NULL: none has been needed. */
static inline struct race_shadow *race_shadow_at(const struct allocation *a) {
    return a->slots[OBSERVER_RACE];
}

/* ---- weak memory (race_version.c) ---- */

/* Called when a strong access to global memory happens. read: the versions that
 * a load reads, per lane; NULL: it reads what is in memory. */
void race_weak_access(struct context *, struct access *, const uint32_t *read);
/* The versions of the lanes of the last store, which is not in memory yet;
 * NULL: none. */
const uint32_t *race_versions_made(const struct machine *);
/* The version that is in memory at this byte's word; 0: none. */
uint32_t race_version_at(const struct machine *, uint64_t address);
/* Called when the version's bytes have been written to memory. */
void race_version_lands(struct machine *, uint64_t address, uint32_t bytes,
                        uint32_t version);
/* Adds a reference to the version; takes it back. */
void race_version_keep(struct machine *, uint32_t version);
void race_version_drop(struct machine *, uint32_t version);

/* ---- events ---- */
void race_scattered(struct context *, struct access *);
void race_access(struct context *, struct access *);
void race_met(struct block *);
void race_came(struct context *, uint32_t barrier, uint32_t lanes);
void race_some_met(struct block *, uint32_t barrier);
void race_passed(struct context *, uint32_t lanes);
void race_lanes_met(struct context *, uint32_t lanes);
void race_fenced(struct context *);
void race_block_fenced(struct context *);
void race_launch_begins(struct machine *);
void race_launches(struct context *, uint32_t lane, struct child *);
void race_family_ends(struct machine *);
void race_child_forgotten(struct machine *, struct child *);
void race_launch_ends(struct machine *);
void race_slot_made(struct block *);
void race_block_starts(struct block *);
void race_cluster_ends(struct block *first);
void race_slot_freed(struct block *);
void race_mbarrier_access(struct context *, const struct mbarrier *,
                          uint32_t lane, bool write, bool atomic);
void race_mbarrier_made(struct context *, const struct mbarrier *);
void race_arrives(struct context *, uint32_t lane, struct mbarrier *);
void race_copies_arrived(struct block *, const struct mbarrier *,
                         const struct async_copy *);
void race_phase_ends(struct block *, const struct mbarrier *);
void race_copy_half(struct context *, struct async_copy *,
                    const struct region *, bool shared, bool write);
void race_small_copy(struct context *, const struct small *, uint32_t lane);
void race_arrival_waits(struct context *, struct async_copy *, uint32_t lane);
void race_groups_awaited(struct context *, const struct async_op *);
void race_phase_passed(struct context *, uint32_t lane,
                       const struct mbarrier *);
void race_proxy_fenced(struct context *);
static inline bool race_watches(const struct machine *m) {
    return m->checks & VGPU_CHECK_RACECHECK;
}
static const struct observer race_observer = {
    .watches = race_watches,
    .what = "what racecheck remembers of its blocks",
    .block = sizeof(struct race_block),
    .warp = sizeof(struct race_warp),
    .mbarrier_access = race_mbarrier_access,
    .mbarrier_made = race_mbarrier_made,
    .arrives = race_arrives,
    .copies_arrived = race_copies_arrived,
    .copy_half = race_copy_half,
    .small_copy = race_small_copy,
    .arrival_waits = race_arrival_waits,
    .groups_awaited = race_groups_awaited,
    .phase_ends = race_phase_ends,
    .phase_passed = race_phase_passed,
    .proxy_fenced = race_proxy_fenced,
    .scattered = race_scattered,
    .access = race_access,
    .met = race_met,
    .came = race_came,
    .some_met = race_some_met,
    .passed = race_passed,
    .lanes_met = race_lanes_met,
    .fenced = race_fenced,
    .block_fenced = race_block_fenced,
    .launch_begins = race_launch_begins,
    .launches = race_launches,
    .family_ends = race_family_ends,
    .child_forgotten = race_child_forgotten,
    .launch_ends = race_launch_ends,
    .slot_made = race_slot_made,
    .block_starts = race_block_starts,
    .cluster_ends = race_cluster_ends,
    .slot_freed = race_slot_freed};
