/* SPDX-License-Identifier: MIT
 *
 * clock_profile.h: what the clock knows of a machine. The numbers are rows of
 * vgpu_clocks.def; vgpu/docs/clock.md says what each means, and where it is
 * from.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What an instruction costs, by what the machine makes of it. */
enum clock_class {
#define X(NAME, unit, instead, cause, holds) COST_##NAME,
#include "clock_classes.def"
#undef X
    N_COSTS
};

/* Thousandths of a cycle: slots of the scheduler; until the unit takes the next
 * warp's; until the result can be used. */
struct clock_cost {
    uint32_t issue, interval, latency;
};

struct clock_profile {
    const char *name, *text;
    /* Steps instead of time: depth and work of the work-depth model. */
    bool counts_steps;
    uint32_t instruction_steps, wavefront_steps;
    uint32_t processors;   /* 0: as many as there are warps */
    bool limits_registers; /* they decide how many blocks are resident */
    /* The assembler puts arithmetic that would wait behind what follows it, up
     * to the next branch. */
    bool reorders;
    /* A thread's own memory lies in lines of L1 and L2, a word of each lane one
     * behind the other. Otherwise a load takes L1's time, a store none. */
    bool local_in_lines;
    uint32_t cycle_ps;
    uint32_t schedulers; /* of a multiprocessor */
    struct clock_cost cost[N_COSTS];
    /* Thousandths of a cycle. Shared memory: latency, of each further way; the
     * banks take a wavefront in so many. */
    uint32_t shared_cycles, shared_way_cycles, shared_wavefront_cycles;
    uint32_t shared_atomic_cycles, shared_atomic_way_cycles;
    /* Global memory: a line of an access; latencies. */
    uint32_t line_cycles, l1_cycles, l2_cycles, dram_cycles;
    /* A load takes L1 so long at least, looks up so many lines at once, and a
     * cycle for each pass over the banks. 0: a line after another, as stores.
     */
    uint32_t load_cycles, load_lines;
    /* A multiprocessor has no more warps than schedulers, so nothing hides what
     * a warp waits for its own access: latency of L1; L1 looks up four lines at
     * once; each further pass over the banks, where L1 serves it, and where L2
     * does; each further line of L2. lone_l1_cycles 0: there is no such rule.
     */
    uint32_t lone_l1_cycles, l1_lines_cycles, l1_way_cycles, l2_way_cycles,
        l2_line_cycles;
    /* Constant memory: latency of a word that the cache of 2 KiB has; each
     * further word of the warp; how long a word takes the cache; more where it
     * has to be fetched, and where no warp of the multiprocessor has read its
     * line yet. 0: as global memory. */
    uint32_t constant_cycles, constant_way_cycles, constant_word_cycles,
        constant_miss_cycles, constant_first_cycles;
    uint32_t l1_kib, l2_kib;
    uint32_t port_rate, l2_rate, dram_rate; /* port: multiprocessor to L2 */
    /* Thousandths of a byte of DRAM's rate that one is worth which is written
     * while others are read: DRAM turns round. 0: 1000. */
    uint32_t dram_turn;
    /* Bytes of L2's rate that a line is worth at least which is read; that one
     * is worth, and each of its sectors, which is written word by word, or not
     * as a whole. 0: its sectors' bytes. */
    uint32_t l2_load_line, l2_store_line, l2_store_sector;
    uint32_t atomic_cycles, atomic_sector_ps, atomic_rate;
    /* Lines whose numbers differ in these bits alone share a place of L2. */
    uint32_t atomic_same_place;
    uint32_t store_cycles; /* until L2 has it, where others see it */
    uint32_t fence_cycles, fence_stored_cycles; /* nothing stored; stored */
    uint32_t barrier_cycles, barrier_warp_cycles;
    /* mbarriers: a look at one; until an arrival counts; the banks
     * for that, and twice for a look.
     * Copies in bulk: until the first bytes are there, the rate of a
     * multiprocessor; of stores: until the source is read, and all written.
     * cp.async: more than a load. 0: such machines have none. */
    uint32_t mbarrier_cycles, mbarrier_arrive_cycles, mbarrier_unit_cycles;
    uint32_t bulk_cycles, bulk_rate, bulk_store_rate, bulk_dram_rate;
    uint32_t bulk_read_cycles, bulk_written_cycles, small_copy_cycles;
    /* nanosleep: at least; for each nanosecond that is asked for; 0: no time */
    uint32_t sleep_ps, sleep_ns_ps;
    uint32_t block_cycles; /* from a block's end to the next one's start */
    uint32_t block_gap_ps; /* between two starts of blocks on the device */
    /* Host and queue. */
    uint32_t kernel_ps; /* a kernel that does nothing */
    uint32_t gap_ps;    /* between two commands that wait for each other */
    uint32_t launch_ps, event_ps, memset_call_ps, memset_ps, copy_call_ps,
        copy_ps, host_copy_ps, host_rate;
    /* Before a launch that a kernel asked for: the first of a grid, and a tail
     * launch; another one. 0: as launch_ps. */
    uint32_t child_first_ps, child_ps;
    uint32_t wait_ps; /* until a host that waits knows that all is done */
    uint32_t malloc_ps, malloc_large_ps; /* and cudaFree; above 1 MiB */
    /* A stream's memory: a call; one that finds the pool empty, as it is after
     * each wait, and the wait; 0: as cudaMalloc. */
    uint32_t pool_ps, pool_first_ps, pool_trim_ps;
    /* Links: until a load or an atomic of another GPU's memory is there, until
     * a store is there for who waits there; bytes per ns each way; copies
     * between GPUs, and the host's call for one; the host's call that makes a
     * stream wait for an event; from an event until what waits for it on
     * another GPU begins;
     * memory for small allocations, where a GPU has none yet, and back again.
     * link_rate 0: there are none. */
    uint32_t link_load_cycles, link_atomic_cycles, link_store_cycles, link_rate;
    uint32_t link_copy_call_ps, link_copy_ps, link_copy_rate, wait_event_ps;
    uint32_t link_event_ps, link_chunk_ps;
};

/* Of this name; "pram:P" is pram with P processors. False: there is none. */
bool clock_profile_find(const char *name, struct clock_profile *);
