/* SPDX-License-Identifier: MIT
 *
 * machine.h: the state of a running grid: blocks, warps, groups, frames.
 *
 * How to read this: a warp's live threads are divided into *groups* that share
 * a program counter. A divergent branch splits a group and opens a *join* where
 * the parts wait for each other; a join can be broken (groups.c says when). A
 * *frame* is one activation of a function: registers of 32 lanes, shared by all
 * groups of the activation since their lanes are disjoint.
 */
#pragma once

#include "program.h"

enum {
    WARP_LANES = 32,
    FULL_MASK_BITS = 32,
    N_BARRIERS = 16,
    LOCAL_LIMIT = 512 * 1024,
    SPIN_THRESHOLD = 4,
    POLL_SLOTS = 16,
    MAX_CALL_DEPTH = 4096
};
#define CLUSTER_BARRIER    N_BARRIERS  /* for observers: barrier.cluster */
#define AT_CLUSTER_BARRIER 0xffffffffu /* group.barrier, GROUP_AT_MBARRIER */
#define AT_MEETING         0xfffffffeu /* likewise, but pc is behind it */
#define FULL_MASK          0xffffffffu

/* Loops over lanes that gain from wider vectors; picked at load time. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__)
#define WIDER __attribute__((target_clones("avx2", "default")))
#else
#define WIDER
#endif

struct context;
struct frame {
    const struct function *function;
    uint8_t *registers;
    uint32_t *taint;      /* taint (taint.h): two words per 64 bytes of
                             registers */
    uint8_t *params;      /* parameter area, param_bytes per lane */
    uint8_t *param_taint; /* taint of the area (bits.h) */
    struct frame *caller;
    uint32_t return_to;      /* instruction in the caller */
    uint32_t references;     /* groups inside this activation */
    uint32_t local_base;     /* bytes of local memory below this frame */
    uint32_t *allocated;     /* of each lane behind its variables; or NULL */
    uint32_t depth;          /* calls below it */
    const struct call *call; /* that made it */
    struct frame *next_free;
    bool borrows; /* its registers are of machine.all_registers */
};

enum group_state {
    GROUP_FREE,
    GROUP_READY,
    GROUP_AT_BARRIER,
    GROUP_AT_WARP_OP,
    GROUP_AT_MBARRIER /* pc: at the wait itself, to be executed again */
};

struct poll {
    const struct insn *at;
    uint64_t seen;
};

/* What a group has seen that may wait for other threads (waiting.c). The polls
 * themselves lie elsewhere: most groups have none. */
struct polls {
    uint32_t n, next;      /* of POLL_SLOTS: known; overwritten next */
    uint32_t same;         /* polls in a row that saw nothing new */
    uint64_t latest;       /* instructions of the machine at that time */
    const struct insn *at; /* last poll, for messages */
    uint64_t address;      /* that it polls */
};

struct join {
    uint32_t at; /* instruction index of its KIND_JOIN */
    uint32_t expected, arrived;
    struct frame *frame;
    struct join *parent;
    struct join *next;             /* all joins of the warp */
    const struct ptx_insn *parted; /* the branch; NULL: not known */
    struct polls polls;            /* of those who have arrived */
    struct poll seen[POLL_SLOTS];
};

struct group {
    enum group_state state;
    uint32_t mask, pc;
    struct frame *frame;
    struct join *join;
    uint32_t wants;   /* GROUP_AT_WARP_OP: member mask */
    uint32_t barrier; /* GROUP_AT_BARRIER: id; _MBARRIER: byte of shared memory
                       */
    struct polls polls;
    void *trace; /* NULL: the group works. Since it polled, an observer's,
                    which hears of each instruction (waiting.h) */
};

struct barrier {
    uint32_t expected;  /* threads; 0: nobody has come yet */
    uint32_t arrived;   /* threads, whole warps */
    uint32_t red_count; /* bar.red: threads that say yes */
    bool red_data;      /* what they say is tainted */
    bool red_false;     /* and whether one said no */
    bool is_red;        /* of some thread it was one */
};

struct warp {
    struct block *block;
    uint32_t index;    /* in the block */
    uint32_t live;     /* threads that have not exited */
    uint32_t n_groups; /* slots of `groups` in use, from the front */
    struct join *joins;
    struct frame *root;
    uint32_t at_barrier[N_BARRIERS]; /* threads waiting there */
    uint32_t at_cluster;       /* threads that arrived at barrier.cluster */
    uint8_t *local;            /* LOCAL bytes of lane 0, then of lane 1, ... */
    uint8_t *local_data;       /* taint (bits.h); or NULL */
    uint8_t *local_written;    /* which bytes were written (bits.h); or NULL */
    uint32_t local_bytes;      /* per lane */
    struct async_lanes *async; /* or NULL (async.h) */
    void *slots[OBSERVER_SLOTS]; /* of the observers (observer.h) */
    struct poll *seen; /* POLL_SLOTS of each group; or NULL: nobody polls */
    struct group groups[WARP_LANES]; /* last: most of them nobody looks at */
};

struct block {
    struct machine *machine;
    uint32_t index[3];
    uint64_t linear;
    struct warp *warps;
    uint32_t n_warps, n_done; /* warps whose threads have all exited */
    struct region shared;
    uint32_t barriers_passed;
    struct barrier barriers[N_BARRIERS];
    uint32_t barriers_used; /* bit per barrier somebody has come to */
    bool observed;          /* the observers have their state of it */
    bool cluster_used;      /* of a cluster's first block: somebody has come to
                               barrier.cluster */
    bool meets;             /* somebody waits at a meeting (edit.h) */
    bool running;
    uint32_t slot, sm;
    uint32_t pauses;             /* passes in which it has no turn (grid.c) */
    uint32_t rank;               /* in its cluster (cluster.h) */
    struct async_block *async;   /* copies and mbarriers; or NULL (async.h) */
    struct child_errors *errors; /* of launches by its threads; or NULL */
    void *slots[OBSERVER_SLOTS]; /* of the observers (observer.h) */
};

/* A racing loop may find the same a million times: after the first report, the
 * repetitions are counted. */
#define NO_FINDING SIZE_MAX
enum { REPORTED_SLOTS = 64 };
struct reported {
    const struct insn *insn; /* NULL: nothing */
    vgpu_finding_kind kind;
    size_t finding;
};

/* What a launch ends with, beside findings. */
struct machine {
    struct program *program;
    const struct function *kernel;
    struct memory *memory;
    const struct vgpu_profile *profile;
    const struct vgpu_options *options;
    uint32_t grid[3], block[3], threads_per_block;
    uint32_t cluster[3];     /* blocks of a cluster; 1, 1, 1: there are none */
    uint32_t cluster_blocks; /* their product */
    bool asked_cluster;      /* the launch or the kernel says how large */
    uint32_t shared_static, shared_dynamic, shared_bytes;
    uint64_t grid_id;
    /* On a machine with several GPUs: which one runs it; how many there are; a
     * launch of another one that runs at the same time, whose observers' state
     * it shares where both must see the same (races, weak memory), or NULL;
     * what its blocks' numbers (block.linear) begin with, so that no two have
     * the same. */
    unsigned gpu, n_gpus;
    struct machine *beside;
    uint64_t first_block;
    /* Dynamic parallelism (children.h): NULL where no kernel launches one.
     * child: NULL for a host's launch. */
    struct family *family;
    struct child *child;
    const struct child_calls *calls;
    uint64_t n_children;   /* launches asked for, none of which has begun */
    const uint8_t *params; /* the kernel's parameter block */
    unsigned checks;
    unsigned watching; /* a bit for each observer of this launch (watch.h) */
    /* The observers' own state, which nothing below them looks into: of the
     * launch; of each instruction, at its number (observer.h). */
    void *slots[OBSERVER_SLOTS], *insn_slots[OBSERVER_SLOTS];
    uint32_t n_numbers; /* of instructions that have such slots: others are
                           decoded while it runs beside launches of other GPUs
                         */
    bool (*load)(struct context *), (*store)(struct context *); /* access.h */
    bool track_data;
    uint64_t random;        /* state of the schedule's generator */
    uint64_t executed;      /* warp instructions so far */
    uint64_t executed_then; /* when a block ended last */
    uint64_t asked_at;      /* of them when should_stop was asked last */
    uint32_t unasked;       /* turns of warps since then */
    uint64_t budget;
    uint64_t executed_before;   /* by launches that share the budget */
    const char *busiest_before; /* kernel that executed most of them */
    bool shares_budget;
    uint64_t not_started; /* vgpu_finding.not_started of the deadlock */
    bool waits_for_own;   /* vgpu_finding.waits_for_own */
    bool advances;        /* vgpu_finding.advances of the budget */
    uint64_t polled_word; /* and its word */
    uint32_t polled_bytes;
    bool stopped;           /* should_stop said so */
    uint64_t printed_bytes; /* of printf, this launch */
    /* A clock reads clock_base (the time of the launches before this one) +
     * executed + clock_ahead (time skipped in this launch, grid.c).
     * clock_reads: how often clocks were read; clock_reads_then: that number
     * when time was last skipped. */
    uint64_t clock_base, clock_ahead, clock_reads, clock_reads_then;
    /* Of the last skip, or the last change since: a loop that does nothing but
     * read a clock is a wait, too (grid.c). */
    uint64_t idle_progress, idle_executed, idle_reads;
    bool pauses;         /* weak memory: the turns of warp and block end
                            behind this instruction */
    bool patient;        /* groups that only poll get turns, too (grid.c) */
    uint64_t progress;   /* grows whenever something changes that others
                            can see: stores, barriers, exits */
    uint32_t n_slots;    /* blocks resident at once */
    uint32_t local_used; /* most bytes of local memory that a thread used */
    bool all_resident;   /* cooperative launch: all start at once */
    uint64_t workspace;  /* of cooperative groups' grid barrier, or 0 */
    vgpu_status status;  /* not OK: stop */
    struct async_state *async; /* NULL: no copy has been issued */
    uint8_t loop;            /* which of the run loops: 1: taint, 2: a clock */
    struct context *context; /* of the warp that runs: lane sets are costly */
    /* of the resident warps, slot by slot, and of their kernel; NULL: each
     * block has its own */
    struct warp *all_warps;
    uint8_t *all_registers;
    struct frame *free_frames;
    struct join *free_joins;
    /* Returns the finding's place in the list; `repeat` counts more of its kind
     * at its instruction there. NO_FINDING: each one is reported. */
    size_t (*report)(void *, struct vgpu_finding *);
    void (*repeat)(void *, size_t finding);
    struct reported reported[REPORTED_SLOTS];
    uint32_t n_accesses_named; /* whose lines were looked for (fault.h) */
    /* A check (VGPU_CHECK_*) had to stop looking: what lacks, what to do. */
    void (*incomplete)(void *, unsigned check, const char *what,
                       const char *mend);
    void (*print)(void *, const char *, size_t);
    void *user;
};

/* A place in a running warp, handed to everything that may report. */
struct context {
    struct machine *machine;
    struct warp *warp;
    struct group *group;
    const struct insn *insn;
    uint8_t *registers;
    const struct lane_set *lanes; /* active in the instruction at hand */
    struct lane_set of_group, of_guard;
};

static inline struct block *context_block(const struct context *c) {
    return c->warp->block;
}

/* A lane's value in the instruction's registers of one class; 0 where there is
 * none. */
static inline uint64_t context_lane(const struct context *c, uint32_t at,
                                    uint32_t lane) {
    if (at == NO_REGISTER) return 0;
    if (c->insn->register_is_wide)
        return ((const uint64_t *)(c->registers + at))[lane];
    return ((const uint32_t *)(c->registers + at))[lane];
}

static inline void context_set_lane(struct context *c, uint32_t at,
                                    uint32_t lane, uint64_t v) {
    if (c->insn->register_is_wide)
        ((uint64_t *)(c->registers + at))[lane] = v;
    else
        ((uint32_t *)(c->registers + at))[lane] = (uint32_t)v;
}

/* The lanes of the mask, in the forms that the ALU wants. */
void lane_set_fill(struct lane_set *, uint32_t mask);

static inline uint64_t random_next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull); /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
