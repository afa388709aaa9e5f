/* SPDX-License-Identifier: MIT
 *
 * clock_inside.h: the clock's state, shared by the files of this room.
 */
#pragma once

#include "above.h"
#include "calendar.h"
#include "clock.h"
#include "slots.h"
#include "tags.h"

enum { MOST_SCHEDULERS = 4, OP_FROM = 8, OP_TO = 6, ATOMIC_PLACES = 1 << 14 };

enum clock_unit {
    UNIT_INT,
    UNIT_FLOAT,
    UNIT_F64,
    UNIT_SPECIAL,
    UNIT_LANES,
    UNIT_MATRIX,
    N_UNITS
};

/* For which registers an instruction waits, beside from[]: none; all; those of
 * a matrix instruction (clock_matrix.c), whose results are not in to[] either.
 */
enum clock_drains { DRAINS_NONE, DRAINS_ALL, DRAINS_MATRIX };

/* An instruction as the clock sees it. from and to hold registers: before
 * clock_number byte offsets >> 6, afterwards numbers from 1 on of the registers
 * that some instruction writes. */
struct clock_op {
    uint8_t n_from, n_to, class, unit;
    uint8_t drains; /* enum clock_drains */
    bool message;   /* other blocks may see it, or it what they did */
    bool moves;     /* what follows it need not wait for its operands */
    bool joins;     /* waits until all that was moved has issued */
    bool holds;     /* has branches in it: the warp waits for its result */
    uint8_t steps;  /* of depth */
    uint32_t issue, interval, latency; /* ps */
    uint32_t from[OP_FROM], to[OP_TO];
};

/* The lines that the constant cache has, the last one read first, and which
 * ones were read in this launch. */
enum { CONSTANT_SHIFT = 6, CONSTANT_LINES = 32, CONSTANT_SEEN = 1024 };
struct constant_cache {
    uint64_t line[CONSTANT_LINES], seen[CONSTANT_SEEN / 64];
    uint32_t n, generation;
};

struct clock_sm {
    struct slots scheduler[MOST_SCHEDULERS], unit[MOST_SCHEDULERS][N_UNITS];
    struct slots shared, lines, port, barrier, bulk, match, constant;
    struct l1 l1;
    struct constant_cache constants;
};

/* A word that a strong store or an atomic wrote in this launch; with
 * all_messages a word that any store wrote, also in shared memory. */
struct message {
    uint64_t word; /* clock_messages.c */
    uint64_t time; /* when L2 has it */
    struct clock_cause cause;
    uint32_t block, warp, generation;
    uint32_t step; /* why.h */
    bool stored;   /* the last write was a store, and no addition */
    uint8_t gpu;   /* whose block wrote it */
};

/* Of a launch, or of those of several GPUs that run at the same time. */
struct messages {
    struct message *list;
    uint64_t n, room;
    uint32_t generation;
    bool lost; /* for want of room */
};

/* Of a launch's messages between blocks of this GPU. */
struct clock_tally {
    uint32_t *of_block; /* that it sent or got */
    uint32_t room;
    uint64_t n;
};

/* A place of L2 that atomics go to: work that is left of them. */
struct atomic_place {
    uint64_t place, latest, backlog;
};

/* Thousandths of cycles of the profile, in ps. */
struct clock_times {
    uint64_t shared, shared_way, shared_wavefront, shared_atomic,
        shared_atomic_way, line, l1, l2, dram, atomic, store, fence,
        fence_stored, barrier, barrier_warp, block, cycle, mbarrier,
        mbarrier_arrive, mbarrier_unit, bulk, bulk_read, bulk_written,
        small_copy, link_load, link_atomic, link_store, lone_l1, l1_lines,
        l1_way, l2_way, l2_line, constant, constant_way, constant_word,
        constant_miss, constant_first, load;
};

struct clock {
    const struct clock_profile *profile; /* own */
    struct clock_profile own;
    char name[24];
    struct charges *charges; /* for all memory that it takes */
    struct clock_times at;
    const struct machine *machine; /* of the launch */
    /* by number in the program; ops NULL: not asked for yet */
    struct clock_op **ops;
    uint32_t n_functions, n_registers; /* of a warp */
    struct clock_sm *sms;
    const struct function *decoded;     /* the last instruction's function, */
    const struct clock_op *decoded_ops; /* and its ops, */
    const uint32_t *decoded_numbers;    /* and registers' numbers by place */
    uint32_t n_sms, n_slots, warps_per_block;
    struct clock_warp *warps; /* by slot */
    uint64_t *ready;
    /* the warp that runs, and its instruction */
    struct clock_warp *warp;
    uint64_t until, far, issued;
    bool lone;              /* warps are few: clock_profile.h, lone_l1_cycles */
    uint32_t block, number; /* its block's in the grid; its own place */
    /* of an access: what served it, and when; of lanes at an mbarrier */
    vgpu_cause served_by;
    uint64_t copied, looked;
    uint64_t visible; /* when others see what an atomic changes */
    /* shared by all multiprocessors */
    struct calendar l2, dram, atomics;
    uint64_t dram_read; /* when DRAM was last asked for a read */
    struct l2 tags;
    struct atomic_place *atomic_places;
    struct messages own_messages, *messages; /* own, or those of all GPUs */
    bool all_messages;                       /* ordinary accesses, too */
    struct clock_tally tally;
    uint32_t generation;
    uint64_t next_start;
    /* the launch */
    uint64_t begin, end, work;
    struct clock_cause most;
    struct clock_totals launch, device;
    /* host and queue: the host's time, when the queue is done, the origin */
    uint64_t host, queue, origin;
    uint64_t pooled;       /* bytes that streams have given back */
    uint64_t copied_until; /* the address behind the last host copy; 0: none */
    struct why *why;       /* why.h; NULL: nobody wants to know */
    struct timeline *timeline; /* timeline.h; likewise */
    struct clock_links *links; /* links.h; NULL: this GPU is alone */
    uint64_t n_small;          /* its small allocations, likewise */
    uint8_t gpu;               /* its number */
};

struct clock_op *clock_decode(struct clock *, const struct function *);
/* Numbers the registers that some instruction writes. A register that nothing
 * writes is ready from the start, so no time is kept for it. */
void clock_number(struct clock_op *, const struct function *);
/* The numbers by place >> 6, 0 for none; they live as long as the ops. */
static inline uint32_t *clock_numbers(struct clock_op *ops,
                                      const struct function *f) {
    return (uint32_t *)(void *)(ops + f->n_code);
}
/* registers.c: about how many registers a thread would have; 0: not known. */
uint32_t clock_registers(struct clock *, const struct function *,
                         uint32_t registers_per_sm);
/* clock_matrix.c: when the registers that a matrix instruction reads have their
 * values; it has computed or loaded its result; its place in `number` for each
 * register that it writes. */
uint64_t clock_matrix_waits(const struct clock *, const struct insn *,
                            uint64_t time);
void clock_matrix_result(struct clock *, const struct insn *, uint64_t time);
void clock_matrix_number(const struct insn *, uint32_t *number, uint32_t *n);
/* Cost of a product, as so many of those that the profile has. */
void clock_matrix_cost(const struct insn *, struct clock_op *);
/* Called after a write. adds: the write is an addition, so a reader of the sum
 * depends on the earlier writes, too. */
void clock_wrote(struct clock *, const struct access *, uint64_t time,
                 bool adds);
/* When L2 has the words that the access reads and other blocks wrote. counts:
 * the reader depends on them, so their chains become its own. */
uint64_t clock_reads(struct clock *, const struct access *, bool counts);
static inline uint32_t clock_number_at(const struct clock *k, uint32_t place) {
    return place == NO_REGISTER ? 0 : k->decoded_numbers[place >> 6];
}
/* The instruction's registers have their values at `time`. The part of that
 * time that has no cause yet gets the cause `rest`. */
void clock_result(struct clock *, const struct insn *, uint64_t time,
                  vgpu_cause rest);
/* clock_constant.c: a load from constant memory. */
void clock_constant(struct context *, struct access *);
/* Its address stands in the instruction, so machine code has the word as an
 * operand of another one. */
bool clock_is_operand(const struct insn *);
/* A run of bytes goes through the port, L2, and if it must DRAM, from `start`
 * on: when all has passed L2. It sets served_by. */
uint64_t clock_run_of_bytes(struct clock *, uint64_t at, uint32_t bytes,
                            bool write, uint64_t start);
/* The queue in front of a unit is full: the warp cannot hand over more. */
enum { CLOCK_QUEUE_PS = 800000 };
void clock_limit_queue(struct clock *, uint64_t served, uint64_t most);
/* Called at a strong read: notes whether it repeats the one before. */
void clock_notes_poll(struct context *, struct access *);
/* Has the warp, since it stored last, done this addition to this word? */
bool clock_adds_again(struct clock_warp *, const struct insn *,
                      const struct access *);

static inline uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}
static inline uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- clock_cluster.c ---- */
/* Of an access to shared memory: how much later its result is there because it
 * is another block's, and how much longer a wavefront takes. */
uint64_t clock_far(const struct clock *, const struct context *,
                   const struct access *, uint64_t *wavefront);

/* ---- clock_tally.c ---- */
void clock_tally_begins(struct clock *);
void clock_tally_adds(struct clock *, uint32_t from, uint32_t to);
/* Messages of which the block with the most is neither sender nor receiver. */
uint64_t clock_tally_side(const struct clock *);
