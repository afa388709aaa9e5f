/* SPDX-License-Identifier: MIT
 *
 * clock.h: model time: when each instruction of a launch would issue, and when
 * its result would be there, on the machine that a profile describes
 * (vgpu/docs/clock.md). It is never the time of this computer or of a GPU.
 *
 * How to read this: exec's schedule (exec/timed.c) chooses the warp that is
 * ready first; the run loop asks clock_issues before each instruction, which
 * answers no when another warp is earlier. Accesses come as an event (watch.h).
 * Times are picoseconds of the device's model time, whole numbers only, so that
 * every machine computes the same.
 *
 * Beside its time each warp has a cause: the longest chain of steps, and of
 * messages between blocks, that leads to its next instruction.
 */
#pragma once

#include "clock_profile.h"
#include "event.h"

struct clock_cause {
    uint64_t depth; /* steps */
    uint32_t chain; /* messages between blocks */
    uint32_t links; /* of these, between GPUs */
};

/* A poll: a strong read that a warp repeats, and the words of which one has to
 * change before it reads something new. */
enum { CLOCK_POLLS = 4 };
struct clock_poll {
    const struct insn *at;
    uint32_t mask, bytes;
    bool shared;
    const struct region *region[WARP_LANES];
    uint64_t address[WARP_LANES];
};

/* How many instructions may come before one that waits. */
enum { CLOCK_PASSED = 16 };
struct clock_warp {
    /* what each instruction looks at is one line of this computer's cache */
    _Alignas(64) uint64_t time; /* its next instruction issues no earlier */
    uint64_t *ready;            /* by register: when it can be read */
    struct clock_sm *sm;
    uint64_t latest; /* of `ready` */
    uint64_t stored; /* when L2 has acknowledged its last store */
    uint64_t moved;  /* when what other instructions passed by has issued */
    /* The same of the last instructions, in a ring: none passes more by. */
    uint64_t passed[CLOCK_PASSED];
    uint32_t n_passed;
    struct clock_cause cause;
    uint16_t scheduler;
    bool has_stored; /* since its last fence */
    bool at_message; /* its next instruction may read or write what other blocks
                    write or read */
    uint32_t block;  /* its number in the grid */
    /* The wait it is in, if any. */
    const struct insn *poll_at;
    uint64_t poll_address;
    struct clock_cause poll_cause;
    struct clock_poll *polls; /* CLOCK_POLLS; or NULL */
    uint32_t n_polls;         /* of them; more than CLOCK_POLLS: not all */
    uint32_t n_vain;          /* how often a poll read nothing new */
    uint64_t asleep_since, asleep_value;
    struct clock_added {
        const struct insn *by;
        uint64_t at;
    } added[CLOCK_POLLS]; /* its atomic additions since its last store */
    uint32_t n_added;
    /* A round of its polling: when the last one was, and when the next one
     * would be while it sleeps; below: what a round takes. */
    uint64_t polled_at, next_poll;
    uint64_t learnt; /* steps of others that it has taken over since then */
    uint32_t round_ps, round_steps, round_sectors, round_lines;
};

struct clock;
/* NULL: there is no model time. */
static inline struct clock *clock_in(const struct machine *m) {
    return m->slots[OBSERVER_CLOCK];
}
/* NULL: out of memory, or no such profile. What it takes is charged.
 * all_messages: see vgpu.h. */
struct clock *clock_new(const char *profile, bool all_messages,
                        struct charges *);
void clock_free(struct clock *);
const struct clock_profile *clock_profile_of(const struct clock *);
/* The `profile` and `all_messages` that clock_new got. */
const char *clock_name(const struct clock *);
bool clock_takes_all_messages(const struct clock *);
/* Was there room for every message of all launches? */
bool clock_kept_messages(const struct clock *);

/* ---- a launch (exec/timed.c) ---- */
/* False: out of memory, machine.status says so. */
bool clock_launch_begins(struct machine *, uint32_t n_slots);
void clock_launch_ends(struct machine *);
/* When the launch's first block may start. */
uint64_t clock_launch_start(const struct clock *);
/* The block in this slot starts; returns the states of its warps. */
struct clock_warp *clock_block_starts(struct machine *, uint32_t slot,
                                      const struct block *, uint64_t time);
/* Returns when all that the block did is done. */
uint64_t clock_block_ended(struct clock *, const struct clock_warp *,
                           uint32_t n);
/* Warps of a block that waited for each other go on together. */
struct clock_meeting {
    uint64_t time;
    const struct clock_warp *last;
    struct clock_cause cause;
};
void clock_comes(struct clock_meeting *, const struct clock_warp *);
void clock_goes_on(struct clock *, const struct clock_meeting *,
                   struct clock_warp *);
/* They are of several blocks of a cluster. */
void clock_meets_far(const struct clock *, struct clock_meeting *);
/* When the next block starts, if there is room for it from `from` on. */
uint64_t clock_next_start(struct clock *, uint64_t from);
/* The warp runs now: instructions that other blocks may notice only up to the
 * time `until`, all others up to `far`. */
void clock_runs(struct clock *, struct clock_warp *, const struct block *,
                uint64_t until, uint64_t far);
/* The warp is about to run: this computer may fetch what that needs. */
void clock_fetch(const struct clock_warp *);
/* How many blocks are resident, of `blocks` for which there is room otherwise:
 * a clock that counts steps lets in as many as this machine's memory allows;
 * other clocks as many as registers allow (registers.c), but the whole grid
 * where it fits otherwise, because its blocks may wait for each other. */
uint32_t clock_slots(struct clock *, const struct machine *, struct function *,
                     uint64_t blocks);
/* About how many registers a thread of the function needs; 0: not known. */
uint32_t clock_thread_registers(struct clock *, struct function *,
                                const struct vgpu_profile *);
/* How many blocks of so many warps the registers of a multiprocessor hold;
 * UINT32_MAX: not known. */
uint32_t clock_blocks_by_registers(struct clock *, struct function *,
                                   const struct vgpu_profile *, uint32_t warps);
/* How long a multiprocessor may be simulated before the others: with all
 * instructions; with those alone that other blocks do not notice. */
uint64_t clock_window(const struct clock *);
uint64_t clock_far_window(const struct clock *);

/* Called before an instruction. True: it issues now, and its time is spent.
 * False: another warp is earlier; warp.time says when it may issue. */
bool clock_issues(struct context *, const struct insn *);
/* The same for n instructions of the ALU without guards: how many of them may
 * issue, one after another, before one may not. */
uint32_t clock_issues_line(struct context *, const struct insn *, uint32_t n);

/* ---- waiting (clock_poll.c) ---- */
/* Called when a warp's poll has read nothing new. True: the warp sleeps until a
 * word changes. */
bool clock_sleeps(struct clock *, struct clock_warp *);
/* Spends the time that a sleeping warp's polls would take which begin in [from,
 * until). */
void clock_charges_polls(struct clock *, struct clock_warp *, uint64_t from,
                         uint64_t until);
/* True: a word has changed, and the warp goes on at warp.time. now: the time of
 * that, about. */
bool clock_wakes(struct clock *, struct clock_warp *, uint64_t now);

/* ---- results ---- */
struct clock_totals {
    uint64_t depth, chain, links, side, cycles, ps, deepest; /* launch */
};
/* Of the last launch; of everything since clock_reset. */
struct clock_totals clock_launch_totals(const struct clock *);
struct clock_totals clock_device_totals(const struct clock *);
void clock_reset(struct clock *);
/* L2 holds other data, none of which has to go to DRAM. */
void clock_cool(struct clock *);
/* What %clock64, or %globaltimer, reads in the warp that runs. */
uint64_t clock_now(const struct clock *, bool ns);

/* ---- why (path.c, why.h; with vgpu_options.why) ---- */
struct clock_piece {
    uint32_t at, block; /* at: number of the instruction; 0: none */
    uint8_t cause;      /* vgpu_cause */
    uint64_t from, to;  /* ps */
};
typedef void clock_path_fn(void *user, const struct clock_piece *);
/* The last launch's critical path, from its end to its start. False: it is not
 * known. */
bool clock_path(const struct clock *, clock_path_fn *, void *user);
uint64_t clock_launch_begin(const struct clock *);
void clock_forget_why(struct clock *);
/* Was anything recorded? Only then: how many instructions there are, 0 being
 * none; the number of the function's first one; what all warps' time went to in
 * one, by cause. */
bool clock_has_why(const struct clock *);
uint32_t clock_instructions(const struct clock *);
uint32_t clock_instruction(const struct clock *, uint32_t function);
const uint64_t *clock_waits(const struct clock *, uint32_t at);

/* ---- a timeline (spans.c, timeline.h) ---- */
/* Keeps one from now on, if it counts no steps. False: out of memory. */
bool clock_keeps_timeline(struct clock *);
const struct vgpu_timeline *clock_timeline(const struct clock *); /* or NULL */
/* The last launch was of this kernel; the name stays. */
void clock_names_launch(struct clock *, const char *kernel);
/* Gives the waits of the last launch their lines. Called before
 * clock_forget_why; without it they would keep numbers of instructions. */
typedef void clock_place_fn(void *user, uint32_t at, const char **file,
                            uint32_t *line);
void clock_places_phases(struct clock *, clock_place_fn *, void *user);

/* ---- the host and its queue (clock_host.c) ---- */
enum clock_call {
    CLOCK_MEMSET,
    CLOCK_COPY,      /* on the device */
    CLOCK_COPY_PEER, /* to another device */
    CLOCK_COPY_HOST, /* to or from the host, who waits */
    CLOCK_MALLOC,
    CLOCK_FREE,
    CLOCK_POOL_MALLOC, /* of a stream: cudaMallocAsync */
    CLOCK_POOL_FREE,
    CLOCK_WAIT
};
/* The program makes a call. from, to: addresses, or 0. */
void clock_calls(struct clock *, enum clock_call, uint64_t to, uint64_t from,
                 uint64_t bytes);
/* An event is recorded: its time. */
uint64_t clock_event(struct clock *);

/* ---- several GPUs of one host (clock_links.c) ---- */
enum { CLOCK_MOST_GPUS = 8 };
/* These are the clocks of a host's GPUs, by number: one host's time, and
 * messages between GPUs. False: out of memory. */
bool clock_link(struct clock *const *, uint32_t n);
/* Has the profile links, or no time? */
bool clock_has_links(const struct clock *);
/* The host makes a call whose command is done later: when the call is over. */
enum clock_asked {
    CLOCK_ASKS_LAUNCH,
    CLOCK_ASKS_FILL,
    CLOCK_ASKS_COPY,
    CLOCK_ASKS_COPY_PEER,
    CLOCK_ASKS_EVENT_WAIT,
    CLOCK_ASKS_NOTHING
};
uint64_t clock_asks(struct clock *, unsigned asked);
/* The next command of any GPU was asked for by clock_asks, and begins no
 * earlier than that; 0: its call is made now. */
void clock_may_begin(struct clock *, uint64_t time);
/* When all that this GPU's queue has had is done. */
uint64_t clock_queue_ends(const struct clock *);
/* The host's next wait is for what ends then, of whatever GPU. */
void clock_awaits(struct clock *, uint64_t time);
/* ps: recording an event; from an event to who waits on another GPU. */
uint64_t clock_event_takes(const struct clock *);
uint64_t clock_event_hops(const struct clock *);
