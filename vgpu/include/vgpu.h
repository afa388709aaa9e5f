/* SPDX-License-Identifier: MIT
 *
 * vgpu.h: a virtual GPU that executes the PTX of nvcc's output on a CPU, counts
 * what it executes and checks it.
 *
 * How to read this: a *device* holds memory, modules, counters and findings.
 * Load an image, find a kernel, allocate, copy, launch; or hand the device one
 * end of a socket and let a program's CUDA runtime calls drive it (a
 * *session*). Only one thread may use a device at a time. Devices share
 * nothing, except a *cache* that several of them are given; the library keeps
 * no state of its own except tables that never change. Errors: every call that
 * can fail returns a vgpu_status (vgpu_status.def). A *finding* is what a check
 * saw in the program under test; the device keeps it until vgpu_reset_findings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_message.h"

/* An incompatible change raises the first number; before 1.0, the second. */
#define VGPU_VERSION "1.0.0"

/* Device pointers lie in [BASE, LIMIT). No Linux process maps anything here by
 * itself. */
#define VGPU_ADDRESS_BASE  0x200000000000ull
#define VGPU_ADDRESS_LIMIT 0x300000000000ull
#define VGPU_SHARED_BYTES  (VGPU_ADDRESS_LIMIT - VGPU_ADDRESS_BASE)

/* GPUs of a virtual machine. A vgpu_device is the whole machine: it has one or
 * several GPUs, as a program sees them (docs/devices.md). */
enum { VGPU_MOST_GPUS = 8 };

typedef enum {
#define X(name, cuda, sticky, text) VGPU_##name,
#include "vgpu_status.def"
#undef X
    VGPU_N_STATUS
} vgpu_status;

typedef enum {
#define KIND(name, ...) VGPU_FINDING_##name,
#include "vgpu_findings.def"
    VGPU_N_FINDINGS
} vgpu_finding_kind;

/* What is known of the index of an access that lies outside of every array. */
typedef enum {
    VGPU_STRAY_UNKNOWN,
    VGPU_STRAY_PRODUCT,  /* it comes from a product that 32 bits do not hold */
    VGPU_STRAY_UNSIGNED, /* it is a number below 0, in 32 unsigned bits */
    VGPU_STRAY_FAR,      /* the access is a gigabyte or more away */
    VGPU_STRAY_NEGATIVE, /* it is below 0 */
    VGPU_STRAY_LOADED,   /* a part of it was read from memory */
    VGPU_STRAY_BESIDE,   /* with the thread's own number as the index the access
                            would be inside of the array */
    VGPU_STRAY_SHARED    /* the access is past the shared memory that the launch
                            asked for */
} vgpu_stray;

enum { /* bits of vgpu_options.checks */
       VGPU_CHECK_ALWAYS = 0,
       VGPU_CHECK_MEMCHECK = 1,
       VGPU_CHECK_INITCHECK = 2,
       VGPU_CHECK_RACECHECK = 4,
       VGPU_CHECK_SYNCCHECK = 8,
       VGPU_CHECK_LEAKCHECK = 16,
       /* of kernels: what a device can look at alone */
       VGPU_CHECK_ALL = 31,
       /* of a program that calls the CUDA runtime: order between host, streams
          and copies */
       VGPU_CHECK_ORDERCHECK = 32,
       VGPU_CHECK_ALL_OF_PROGRAM = 63
};

/* How memory is used, as bits. Strong: volatile, relaxed or atomic. */
enum {
    VGPU_USE_READ = 1,
    VGPU_USE_WRITE = 2,
    VGPU_USE_STRONG_READ = 4,
    VGPU_USE_STRONG_WRITE = 8
};

typedef enum {
#define X(name, json, scope, text) VGPU_COUNT_##name,
#include "vgpu_counters.def"
#undef X
    VGPU_N_COUNTERS
} vgpu_counter;

/* When operations of streams are done: at once; as late as the program allows;
 * at some time, those of different streams in any order that it allows. */
typedef enum {
    VGPU_ASYNC_IN_ORDER,
    VGPU_ASYNC_LATE,
    VGPU_ASYNC_RANDOM
} vgpu_async;

typedef enum {
#define X(name, json, words, text) VGPU_CAUSE_##name,
#include "vgpu_causes.def"
#undef X
    VGPU_N_CAUSES
} vgpu_cause;

typedef enum {
#define X(name, json, words) VGPU_LIMIT_##name,
#include "vgpu_limits.def"
#undef X
    VGPU_N_LIMITS
} vgpu_limit;

typedef enum { VGPU_IN_ORDER, VGPU_REVERSE, VGPU_RANDOM } vgpu_schedule;
typedef enum { VGPU_MEMORY_SC, VGPU_MEMORY_WEAK } vgpu_memory_model;
typedef enum { /* what new device memory holds until the program writes it */
               VGPU_CONTENTS_LEFT, /* what memory freed before held, where there
                                      is some; else as RANDOM */
               VGPU_CONTENTS_RANDOM,
               VGPU_CONTENTS_ZEROS
} vgpu_contents;

typedef enum {
#define X(name, what) VGPU_EDIT_##name,
#include "vgpu_edits.def"
#undef X
    VGPU_N_EDITS
} vgpu_edit_kind;

typedef struct vgpu_device vgpu_device;
typedef struct vgpu_module vgpu_module;
typedef struct vgpu_kernel vgpu_kernel;
typedef struct vgpu_session vgpu_session;
typedef struct vgpu_cache vgpu_cache;

/* Which instructions the device prints while it executes them. A member that is
 * 0 restricts nothing. */
struct vgpu_trace_options {
    /* Called with the lines of each chosen instruction, each with its newline:
     * place, PTX and active lanes; then the registers it read, then those it
     * wrote, with the values of the lanes. NULL: nothing is printed, and runs
     * are not slower. */
    void (*line)(void *user, const char *text, size_t bytes);
    void *user;
    const char *kernel;   /* mangled name, or the name in findings; NULL: any */
    uint64_t launch;      /* the device's first is 1; 0: any */
    unsigned block_parts; /* 0: any; 1: block[0] is its number in the grid;
                             3: block is its index */
    uint32_t block[3];
    bool has_warp;    /* false: any */
    uint32_t warp;    /* in its block */
    uint32_t lanes;   /* mask: only instructions that these lanes execute, and
                         only their values; 0: all lanes */
    const char *file; /* source file, without its folder; NULL: any */
    uint32_t line_first, line_last; /* in that file; 0: no bound */
    uint64_t limit; /* instructions, in all launches; 0: VGPU_TRACE_LIMIT */
};
#define VGPU_TRACE_LIMIT 1000u

/* A change of the loaded program, at the instructions of one source line, in
 * whichever function the compiler has put them. vgpu_edits.def says what each
 * kind does, and what a run of instructions is. */
struct vgpu_edit {
    vgpu_edit_kind kind;
    const char *file; /* source file, without its folder */
    uint32_t line;
    uint32_t only; /* change only this one of the instructions or runs of each
                      function that fit the kind, counted from 1; 0: all */
    int32_t by;    /* CONSTANT, LOAD_INDEX, STORE_INDEX, SHIFT: by how much;
                      CHOICE: which one; 0: none */
};
/* With CHOICE neither file nor line counts. Its numbers are less than 65536. */
#define VGPU_EDIT_CHOICES 0x5ca00000
/* A line of a program, and how many of its instructions, or of their runs, each
 * kind of edit could change. */
struct vgpu_edit_site {
    const char *file; /* without its folder */
    uint32_t line;
    uint32_t n[VGPU_N_EDITS];
};

struct vgpu_options {
    const char *profile;  /* name in vgpu_profiles.def; NULL: "teach" */
    unsigned n_gpus;      /* of the machine, at most VGPU_MOST_GPUS; 0: as many
                             as the profile has */
    const char *clock;    /* name in vgpu_clocks.def: model time, in order, with
                             sequential memory; NULL: none */
    bool all_messages;    /* with a clock: ordinary accesses, too, count as
                             messages between blocks, and in shared memory
                             between warps: for a program that has races */
    uint32_t slack_bytes; /* so many bytes behind each allocation may be
                             accessed without a finding, too; what somebody
                             stores there changes vgpu_slack_is_stored */
    uint32_t shared_slack_bytes; /* so many behind the shared memory that a
                                    launch asks for are there, too */
    bool why;                    /* with a clock: vgpu_why has results */
    bool timeline; /* with a clock whose unit is time and not steps:
                      vgpu_timeline has results; needs `why` */
    vgpu_schedule
        schedule; /* order in which blocks start and warps take turns */
    uint64_t schedule_seed; /* for VGPU_RANDOM */
    uint32_t longest_turn;  /* for VGPU_RANDOM, in instructions; 0: 200 */
    vgpu_memory_model memory_model;
    uint64_t memory_seed;        /* for VGPU_MEMORY_WEAK */
    vgpu_contents contents;      /* of new memory, from vgpu_open on */
    uint64_t contents_seed;      /* for LEFT and RANDOM */
    unsigned checks;             /* VGPU_CHECK_* */
    vgpu_async async;            /* of a program's streams */
    uint64_t async_seed;         /* for VGPU_ASYNC_RANDOM */
    bool reads_want_release;     /* racecheck: true: a flag orders its block's
                                    earlier loads only if it is stored with
                                    release. false: a barrier before a plain
                                    strong store is enough, as CUB assumes */
    bool trusts_names;           /* initcheck: code whose line information names
                                    a header of the toolkit may read shared
                                    memory that nothing wrote, as CUB does. A
                                    program can forge that by #line */
    bool has_textures;           /* kernels may use texture and surface
                                    objects; else their instructions are
                                    refused */
    bool may_launch;             /* kernels may launch kernels (dynamic
                                    parallelism); else those are refused */
    bool names_allocations;      /* keep for vgpu_allocated_by where a program
                                    asked for memory */
    uint64_t race_memory_mib;    /* racecheck: so many MiB of the allocations
                                    that kernels access are checked; that takes
                                    eight times as much memory. 0: a 32nd of the
                                    machine's memory, or 64 */
    uint64_t instruction_budget; /* most warp instructions in one launch; 0:
                                    VGPU_DEFAULT_BUDGET */
    uint64_t budget_in_all;      /* most in all launches; 0: no limit */
    uint64_t memory_limit_bytes; /* device memory; 0: the profile's, which it
                                    never exceeds */
    uint64_t held_limit_bytes;   /* of this machine's memory that the device may
                                    hold for the program: allocations, images,
                                    what is made of them, resident blocks, what
                                    checks remember; 0: no limit */
    uint64_t held_share_bytes;   /* the part of it that the device may hold
                                    before it calls more_memory */
    bool (*more_memory)(void *); /* called once, when the share is spent; may
                                    block. true: the device may hold up to the
                                    limit; NULL: as if true */
    vgpu_cache *cache;           /* of images; NULL: each is parsed anew */
    bool (*should_stop)(void *); /* called every few milliseconds while a kernel
                                    runs; true ends the launch; may be NULL */
    /* Called when a kernel can only go on if the host writes to memory that
     * both see; may block for a moment. True: the host may still write. False:
     * the host waits, too. NULL: as if false. */
    bool (*host_may_move)(void *);
    void *host;           /* passed to host_may_move */
    bool stop_is_finding; /* a launch that should_stop ends gets a finding, as
                             one with a spent budget does: where it was, and how
                             far it came */
    void (*print)(void *, const char *text,
                  size_t bytes); /* device printf; NULL: collected for the
                                    session's client */
    void *user; /* passed to more_memory, should_stop and print */
    struct vgpu_trace_options trace;
    bool steps;  /* vgpu_steps_seen has results: which thread wrote what, and
                    from which values */
    bool feeds;  /* useful_* count: a launch is useful if the host copies a word
                    that it stored, or a useful launch reads one; and
                    unread_words. Not with several GPUs */
    bool states; /* vgpu_take_states has results */
    size_t asked_bytes; /* vgpu_asked_so_far has results, with so many bytes of
                           data at most; 0: it has none */
    /* Changes to try: edits of the programs that are loaded from now on;
     * clears_memory, clears_shared: allocations, shared memory hold zeros;
     * numbers_as_started: blockIdx is given in the order in which blocks start,
     * as a ticket would be. */
    const struct vgpu_edit *edits;
    size_t n_edits;
    bool clears_memory, clears_shared, numbers_as_started;
};
#define VGPU_DEFAULT_BUDGET 400000000ull

enum { VGPU_OUTER = 3 };
struct vgpu_source { /* a place in the program under test */
    const char
        *file; /* as the compiler saw it; NULL when built without -lineinfo */
    uint32_t line;        /* 0: unknown */
    bool is_merged;       /* the compiler has merged several lines near this
                             one into one instruction */
    const char *function; /* kernel or inlined device function; may be NULL */
    /* Lines of the same file; 0: none. called: where `line` stands in an
     * inlined function, the line that calls it. index: of an access, the line
     * that computes its address in a function called on `line`. */
    uint32_t called, index;
    uint32_t outer[VGPU_OUTER]; /* the calls around `called`, innermost first */
};

enum { VGPU_TEXT = 1024, VGPU_CALLERS = 8, VGPU_LAUNCHERS = 32 };
struct vgpu_finding {
    vgpu_finding_kind kind;
    const char
        *kernel; /* demangled name of the kernel, or NULL outside a launch */
    struct vgpu_source where; /* innermost line that its author can edit */
    uint32_t block[3], thread[3];
    bool has_thread;
    uint64_t address; /* 0: none */
    uint32_t bytes;
    vgpu_stray stray;
    uint64_t array_bytes;        /* of an access past an array that the program
                                    allocated: that array's size; else 0 */
    uint64_t found_in, found_at; /* initcheck: bytes of the allocation, and
                                    where in it; 0: not in global memory */
    uint64_t not_started; /* deadlock: number of blocks that cannot start while
                             the waiting blocks are resident */
    bool waits_for_own;   /* deadlock: the last block polls the word of its own
                             number, and all before it have stored theirs */
    bool advances;       /* budget: blocks were ending one after another, so the
                            launch would have ended */
    uint64_t word;       /* deadlock: what the polled word holds */
    uint32_t word_bytes; /* 0: not known */
    bool has_other;      /* races: the earlier access */
    struct vgpu_source other_where;
    uint32_t other_block[3], other_thread[3];
    bool writes, other_wrote; /* races: what the two accesses are */
    bool half_weak;    /* races: one is volatile or atomic, the other is not */
    bool not_acquired; /* races: the later thread has read a flag that the
                          earlier one stored after its access, but has no
                          acquire or fence after that read */
    bool strong;       /* a volatile access, or an atomic one */
    bool has_flags;  /* races in memory that the program allocated: some thread
                        has read a flag of another by a load */
    bool same_array; /* races of one statement: the launch has given the kernel
                        the array twice */
    bool empty;      /* a launch with a dimension of 0 */
    bool before_array; /* the access to shared memory ends where an array
                          begins */
    bool torn;         /* one read of several words that were written one by
                          one */
    /* Outside a launch: addresses in the program's file of the calls that led
     * here (of a leak, to the first allocation), innermost first; 0: no more.
     * The library's user turns them into `where` and stores that with
     * vgpu_place_finding. */
    uint64_t callers[VGPU_CALLERS];
    /* ordercheck: the same for the earlier operation, whose place is
     * other_where
     */
    bool has_before;
    uint64_t other_callers[VGPU_CALLERS];
    /* Of how many launches of its kernel, from 1 since the counts were reset:
     * vgpu_launches_of says of how many. 0: found in none. */
    uint64_t launch;
    /* Where the program launched a kernel of a library, as callers and where
     * are, but through many functions: vgpu_place_launch. */
    uint64_t launchers[VGPU_LAUNCHERS];
    struct vgpu_source launched;
    uint64_t
        repeats; /* further findings of this kind at this line, not listed */
    struct vgpu_message message; /* what, where, why: vgpu_message_text */
};

/* A check that had to stop looking, and so may have missed findings. There is
 * one record for each such check; it names the first launch where that
 * happened. */
struct vgpu_incomplete {
    unsigned check;         /* VGPU_CHECK_* */
    const char *kernel;     /* or NULL */
    char reason[VGPU_TEXT]; /* which limit it met */
    char mend[VGPU_TEXT];   /* what the user can do */
    uint64_t launches;      /* number of launches in which it stopped */
};

/* vgpu_options.why: where model time went, in ps, by cause. The sum over a
 * launch's path is its model time. */
struct vgpu_times {
    uint64_t path[VGPU_N_CAUSES];  /* the critical path */
    uint64_t warps[VGPU_N_CAUSES]; /* of all warps, from start to exit */
};

struct vgpu_launch_record {
    const char *kernel;
    uint32_t grid[3], block[3];
    size_t dynamic_smem_bytes;
    uint64_t counts[VGPU_N_COUNTERS];
    uint64_t model_ps;
    struct vgpu_times times;
    const char *launched_by; /* the kernel that launched it; NULL: the host */
};

struct vgpu_line {
    const char *file;
    uint32_t line;
};
struct vgpu_line_record {
    const char *kernel;
    struct vgpu_source where;
    uint64_t counts[VGPU_N_COUNTERS];
    struct vgpu_times times;
};

/* ---- names and texts ---- */
const char *vgpu_status_name(vgpu_status);
const char *vgpu_status_text(vgpu_status);
int vgpu_status_cuda_error(vgpu_status);
const char *vgpu_finding_name(vgpu_finding_kind); /* "out-of-bounds" */
unsigned vgpu_finding_check(vgpu_finding_kind);
/* True of kinds that vgpu_findings.def calls a REMARK: see vgpu_remarks. */
bool vgpu_finding_is_remark(vgpu_finding_kind);
/* The usual cause of such a finding; NULL: its message says the cause. */
const char *vgpu_finding_cause(vgpu_finding_kind);
/* A word as findings show it: "8", or with its halves
 * "0x0000000200000c35 (upper half 2, lower half 3125)". */
enum { VGPU_WORD_TEXT = 96 };
void vgpu_word_text(uint64_t word, char text[VGPU_WORD_TEXT]);
const char *vgpu_counter_name(vgpu_counter); /* "shared_wavefronts" */
const char *vgpu_counter_text(vgpu_counter);
int vgpu_counter_by_name(const char *);    /* -1: none */
const char *vgpu_check_name(unsigned bit); /* "memcheck" */
unsigned vgpu_check_by_name(const char *); /* 0: none */
/* "in-order", "reverse", "random:SEED"; false and *options untouched when it is
 * none of them */
bool vgpu_parse_schedule(const char *, struct vgpu_options *);
bool vgpu_parse_memory_model(const char *,
                             struct vgpu_options *); /* "sc", "weak:SEED" */
bool vgpu_parse_async(const char *, struct vgpu_options *);
bool vgpu_parse_contents(const char *,
                         struct vgpu_options *); /* "left:SEED", "random:SEED",
                                                    "zeros" */

const char *vgpu_cause_name(vgpu_cause);  /* "bandwidth" */
const char *vgpu_cause_words(vgpu_cause); /* for a table */
const char *vgpu_cause_text(vgpu_cause);
const char *vgpu_limit_name(vgpu_limit);  /* "shared_memory" */
const char *vgpu_limit_words(vgpu_limit); /* for a table */

/* ---- images that devices share, also devices of several threads ---- */
vgpu_cache *vgpu_cache_new(void);   /* NULL: no memory */
void vgpu_cache_free(vgpu_cache *); /* after all its devices were closed */
/* Reads "kernel=scan,block=0,warp=1,lines=20-30"; docs/debugging.md has the
 * words. Writes NULs into `words`; kernel and file then point into it. False:
 * `why` says which word is wrong. */
bool vgpu_parse_trace(char *words, struct vgpu_trace_options *,
                      char why[VGPU_TEXT]);

/* ---- device ---- */
/* NULL on failure; then *status, when not NULL, says why: INVALID_VALUE (no
 * such profile) or OUT_OF_MEMORY. */
vgpu_device *vgpu_open(const struct vgpu_options *, vgpu_status *status);
void vgpu_close(vgpu_device *);
/* Changes schedule, memory model, checks and budget for the launches to come.
 * The profile stays. */
void vgpu_configure(vgpu_device *, const struct vgpu_options *);
/* Lets programs allocate memory that host code sees, too (managed memory,
 * mapped pinned memory): its bytes are those of this file from (address -
 * VGPU_ADDRESS_BASE) on. The caller opens the file, VGPU_SHARED_BYTES long, and
 * closes it after the device. Without this call the device refuses such
 * allocations. A judge that counts copied bytes must not call it, because
 * accesses to such memory are not copies. */
void vgpu_share(vgpu_device *, int file);
/* Text for the last failure on this device: what, where, why. Valid until the
 * next call. */
const char *vgpu_last_message(const vgpu_device *);

/* ---- memory: addresses are device pointers ---- */
vgpu_status vgpu_malloc(vgpu_device *, size_t bytes, uint64_t *address);
vgpu_status vgpu_free(vgpu_device *, uint64_t address); /* 0: nothing to do */
vgpu_status vgpu_write(vgpu_device *, uint64_t to, const void *from,
                       size_t bytes);
vgpu_status vgpu_read(vgpu_device *, void *to, uint64_t from, size_t bytes);
vgpu_status vgpu_copy(vgpu_device *, uint64_t to, uint64_t from, size_t bytes);
vgpu_status vgpu_fill(vgpu_device *, uint64_t to, int byte, size_t bytes);
/* Taints bytes as data (see the counter DATA_OPS). Kernels taint what they
 * store when it comes from tainted bytes; copies from the host clear it. */
vgpu_status vgpu_mark_data(vgpu_device *, uint64_t address, size_t bytes);
/* How many of the bytes are tainted; 0 outside an allocation, too. */
size_t vgpu_data_bytes(const vgpu_device *, uint64_t address, size_t bytes);
/* Makes initcheck take the bytes as not written: reading them before the next
 * write is an uninitialised read. Their contents stay. */
vgpu_status vgpu_mark_uninitialised(vgpu_device *, uint64_t address,
                                    size_t bytes);
/* The allocation belongs to the caller and not to the program: a session's
 * request to free it is refused, and LEAK does not count it. */
vgpu_status vgpu_own(vgpu_device *, uint64_t address);
/* Kernels and sessions may read the allocation and may not write it, such as
 * the input of a program that is judged. */
vgpu_status vgpu_protect(vgpu_device *, uint64_t address, bool read_only);
/* A name for messages ("d_in"), so that a finding reads "3 bytes past the end
 * of d_in (4096 bytes)". */
vgpu_status vgpu_name(vgpu_device *, uint64_t address, const char *name);

/* The same for an array of elements of `bytes` bytes, of which element 0 lies
 * at `first`: a finding reads "at d_in[4], past the end of d_in (4
 * elements)". */
vgpu_status vgpu_name_elements(vgpu_device *, uint64_t address,
                               const char *name, uint64_t first,
                               uint32_t bytes);

/* The calls by which the program asked for the memory that begins, or before it
 * was freed began, at the address; as vgpu_finding.callers. False: not known.
 */
bool vgpu_allocated_by(const vgpu_device *, uint64_t address,
                       uint64_t callers[VGPU_CALLERS]);
/* The same for the calls that freed it. */
bool vgpu_freed_by(const vgpu_device *, uint64_t address,
                   uint64_t callers[VGPU_CALLERS]);

/* An allocation of the program's, as LEAK counts them, or one that it has
 * freed. */
struct vgpu_life {
    uint64_t bytes;
    bool is_freed;
    uint64_t callers[VGPU_CALLERS], freers[VGPU_CALLERS];
};
/* The next one, from *at = 0 on; false: there are no more. Of very many that
 * are freed the oldest are forgotten. */
bool vgpu_next_life(const vgpu_device *, size_t *at, struct vgpu_life *);

/* ---- modules and launches ---- */
/* image: a fatbin container (as __cudaRegisterFatBinary points to), or PTX text
 * ending in NUL within bytes. */
vgpu_status vgpu_module_load(vgpu_device *, const void *image, size_t bytes,
                             vgpu_module **);
void vgpu_module_unload(vgpu_device *, vgpu_module *);
vgpu_status vgpu_module_kernel(vgpu_module *, const char *mangled_name,
                               vgpu_kernel **);
vgpu_status vgpu_module_symbol(vgpu_module *, const char *name,
                               uint64_t *address, size_t *bytes);
/* ---- several GPUs: vgpu_options.n_gpus ---- */
/* The one that allocations and modules to come are for; at first 0. False:
 * there is none of this number. */
bool vgpu_set_gpu(vgpu_device *, unsigned gpu);
unsigned vgpu_gpu(const vgpu_device *); /* that was set */
/* Kernels of the GPU may use memory of the other one from now on, or may not.
 */
void vgpu_reach(vgpu_device *, unsigned gpu, unsigned peer, bool may);
/* Kernels of different GPUs that run at the same time, until all have ended. */
struct vgpu_beside {
    vgpu_kernel *kernel;
    const void *params;
    size_t param_bytes;
};
vgpu_status vgpu_launch_beside(vgpu_device *, const struct vgpu_beside *,
                               size_t n, const uint32_t grid[3],
                               const uint32_t block[3]);

/* vgpu_dump_ptx prints the PTX in an image, which may be several containers
 * back to back: each text after a comment that names its architecture. It needs
 * no device and runs nothing. On BAD_IMAGE and OUT_OF_MEMORY `why` says what
 * went wrong. */
struct vgpu_dump {
    const char *kernel; /* print only this function: its mangled name, or its
                           name in findings; NULL: whole modules */
    bool parsed; /* as the parser understood it, not as nvcc wrote it: without
                    comments, scopes resolved, labels by number */
    size_t n_modules, n_kernels; /* results: texts read, kernels printed */
};
vgpu_status vgpu_dump_ptx(FILE *, const void *image, size_t bytes,
                          struct vgpu_dump *, char why[VGPU_TEXT]);
struct vgpu_kernel_info {
    const char *name;             /* mangled */
    size_t n_params, param_bytes; /* size of the packed parameter block, PTX
                                     alignment rules */
    const uint32_t *param_offset, *param_size;
    uint32_t static_smem_bytes, local_bytes, registers, max_threads_per_block;
    int ptx_target;      /* 75: compiled for compute_75 */
    uint32_t cluster[3]; /* blocks of a cluster, as the kernel says; or 0 */
};
void vgpu_kernel_info(const vgpu_kernel *, struct vgpu_kernel_info *);
vgpu_status vgpu_kernel_set_max_dynamic_smem(vgpu_kernel *, size_t bytes);
/* Returns when the kernel has ended. params: packed block of info.param_bytes.
 * Returns the errors that CUDA reports, but at once and not at a later call. */
vgpu_status vgpu_launch(vgpu_device *, vgpu_kernel *, const uint32_t grid[3],
                        const uint32_t block[3], size_t dynamic_smem_bytes,
                        const void *params, size_t param_bytes);
/* As vgpu_launch, and all blocks are resident at the same time; an error
 * (CUDA's 720, cooperative launch too large) when they do not fit. */
vgpu_status vgpu_launch_cooperative(vgpu_device *, vgpu_kernel *,
                                    const uint32_t grid[3],
                                    const uint32_t block[3],
                                    size_t dynamic_smem_bytes,
                                    const void *params, size_t param_bytes);
/* The next launch has clusters of so many blocks; 0, 0, 0: as its kernel says,
 * or none. It answers with CUDA's 912 when they are not possible. */
void vgpu_set_cluster(vgpu_device *, const uint32_t cluster[3]);
/* Clusters of more than 8 blocks, up to 16:
 * cudaFuncAttributeNonPortableClusterSizeAllowed. */
void vgpu_kernel_allow_large_clusters(vgpu_kernel *, bool);
/* How many clusters are resident at once. *most: blocks of the largest one that
 * is possible. */
vgpu_status vgpu_max_clusters(const vgpu_kernel *, const uint32_t cluster[3],
                              uint32_t threads_per_block,
                              size_t dynamic_smem_bytes, int *clusters,
                              int *most);
int vgpu_max_blocks_per_sm(const vgpu_kernel *, uint32_t threads_per_block,
                           size_t dynamic_smem_bytes);

/* From these cudaGetDeviceProperties and cudaDeviceGetAttribute answer. */
struct vgpu_profile {
    const char *name, *text;
    int capability, sms, warps_per_sm, blocks_per_sm, registers_per_sm;
    int smem_per_sm, smem_per_block, smem_per_block_optin, banks, phase_lanes,
        memory_mib, n_gpus;
};
const struct vgpu_profile *vgpu_device_profile(const vgpu_device *);
size_t vgpu_profiles(const struct vgpu_profile **); /* the whole table */
/* The profiles of the clock: name and text of number n, from 0; NULL: there is
 * no such number. */
const char *vgpu_clock_name(size_t n);
const char *vgpu_clock_text(size_t n);
bool vgpu_is_clock(const char *name);
/* The device profile that has the clock's name; NULL: there is none. */
const char *vgpu_clock_device(const char *clock);
size_t vgpu_free_bytes(const vgpu_device *);
/* Has the program stored behind an allocation of the host's, within
 * slack_bytes? Also of allocations that are freed. */
bool vgpu_slack_is_stored(const vgpu_device *);
/* The first allocation for which there was no room; bytes 0: none was refused.
 */
struct vgpu_refusal {
    size_t bytes;
    uint64_t callers[VGPU_CALLERS]; /* as in vgpu_finding */
};
const struct vgpu_refusal *vgpu_no_room(const vgpu_device *);
/* Makes one of the program's calls that allocate, launch, fill or copy fail as
 * for want of memory, and do nothing: the one with this number; the next such
 * call is 1. 0: none fails, and vgpu_call_sites says from where they came. */
void vgpu_fail_call(vgpu_device *, uint64_t number);
struct vgpu_failed {
    const char *call;   /* "cudaMalloc"; NULL: none was made to fail */
    bool has_other_way; /* it was an allocation or a launch, after which a
                           program may rightly try another way */
    uint64_t callers[VGPU_CALLERS]; /* as in vgpu_finding */
};
const struct vgpu_failed *vgpu_failed(const vgpu_device *);
enum { VGPU_MAX_CALL_SITES = 64 };
struct vgpu_call_site {
    uint64_t callers[VGPU_CALLERS]; /* as in vgpu_finding */
    uint64_t first, last;           /* numbers of the first and the last call */
};
/* The first VGPU_MAX_CALL_SITES places from which such calls came; *calls: how
 * many calls there were, also from places that the list has not. */
size_t vgpu_call_sites(const vgpu_device *, const struct vgpu_call_site **,
                       uint64_t *calls);
/* The first calls of a program that answered an error, one of each line, but
 * for those that a finding tells of, and for cudaErrorNotReady. Whether the
 * program looked at the error is not known. */
enum { VGPU_MAX_CALL_ERRORS = 8 };
struct vgpu_call_error {
    const char *call; /* "cudaSetDevice" */
    int error;        /* cudaError_t */
    const char *text; /* "invalid device ordinal"; NULL: none is known */
    uint64_t callers[VGPU_CALLERS]; /* as in vgpu_finding */
};
size_t vgpu_call_errors(const vgpu_device *, const struct vgpu_call_error **);
/* initcheck: copies to the host of which a part had not been written. That is
 * no mistake if the program does not use this part. */
struct vgpu_part_written {
    uint64_t copies;                     /* 0: there was none */
    uint64_t bytes, unwritten, at, size; /* of the first: bytes copied, bytes of
                                            them not written, the first of these
                                            in the allocation, and the
                                            allocation's size */
    uint64_t callers[VGPU_CALLERS];      /* as in vgpu_finding */
};
const struct vgpu_part_written *vgpu_part_written(const vgpu_device *);

/* ---- what was seen ---- */
void vgpu_counts(const vgpu_device *,
                 uint64_t counts[VGPU_N_COUNTERS]); /* since the last reset */
size_t vgpu_launch_records(
    const vgpu_device *,
    const struct vgpu_launch_record **); /* the first VGPU_MAX_RECORDS launches,
                                            and the first of each kernel */
enum { VGPU_MAX_RECORDS = 4096 };
/* Does the program's launch say more than the kernel's line: is the kernel a
 * library's, or was the wrong device current? */
bool vgpu_wants_launch(const struct vgpu_finding *);
/* How often kernels of this name were launched since the counts were reset. */
uint64_t vgpu_launches_of(const vgpu_device *, const char *kernel);
/* How many blocks of a launch a multiprocessor holds at once, and why not more.
 */
struct vgpu_occupancy {
    uint32_t warps;     /* of a block */
    uint32_t registers; /* of a thread, estimated from the PTX; machine code has
                           others. 0: not known, the kernel is too large */
    uint64_t shared_bytes;        /* of a block, static and dynamic */
    uint32_t fits[VGPU_N_LIMITS]; /* blocks that each limit alone allows;
                                     UINT32_MAX: any number */
    uint32_t blocks;              /* the least of these */
    vgpu_limit limit;             /* whose it is */
    uint32_t most_warps;          /* that a multiprocessor can hold */
};
/* False: the kernel is no longer loaded. Not every clock lets registers limit
 * what it holds (vgpu/docs/clock.md); a GPU always does. */
bool vgpu_occupancy(vgpu_device *, const struct vgpu_launch_record *,
                    struct vgpu_occupancy *);
/* Per source line, hottest first (thread instructions). Valid until the next
 * launch or reset. */
size_t vgpu_line_records(vgpu_device *, const struct vgpu_line_record **);
/* The lines that called functions which the compiler has inlined, of whose code
 * an instruction was executed; a record of a line names the calls around one
 * instruction of it alone. At most 2048. Valid as those. */
size_t vgpu_called_lines(const vgpu_device *, const struct vgpu_line **);
/* Calls `tell` for each instruction of all kernels that were launched and of
 * the functions they call, in order, with the source line that counts it, until
 * it returns false. The pointers are valid only during that call. */
void vgpu_tell_ptx(vgpu_device *,
                   bool (*tell)(void *user, const char *function,
                                const struct vgpu_source *, const char *ptx),
                   void *user);
/* vgpu_why returns these with vgpu_options.why; the pointer is valid until the
 * next reset. */
struct vgpu_path_piece { /* of a critical path: one after another */
    struct vgpu_source where;
    uint32_t block; /* its number in the grid */
    vgpu_cause cause;
    uint64_t from, to; /* ps since the launch's start */
};
struct vgpu_why {
    struct vgpu_times times; /* of all launches */
    uint64_t launch_ps,
        device_ps;       /* sum over the launches; of the device in all, with
                            the time that the host's calls took */
    uint64_t between_ps; /* sum of the times between two launches */
    uint64_t step_ps;    /* a clock that counts steps: ps per step; else 0 */
    uint64_t cut;        /* number of launches whose path was not kept */
    /* The critical path of the launch that took longest. left_out: so many
     * pieces at its beginning are not in the list. */
    uint64_t launch; /* 1: the first since the reset; 0: there was none */
    const char *kernel;
    uint64_t longest_ps;
    const struct vgpu_path_piece *path;
    size_t n_path;
    uint64_t left_out;
};
const struct vgpu_why *vgpu_why(vgpu_device *);

/* What the host and the device did when, since the last reset. Times are ps;
 * the reset was at `origin`. */
enum vgpu_track {
    VGPU_TRACK_HOST,  /* the program's calls */
    VGPU_TRACK_QUEUE, /* what the device does: kernels, copies, memsets */
    VGPU_TRACK_BLOCKS,
    VGPU_TRACK_WARPS, /* their phases: it runs (ISSUE), or waits for `cause` */
    VGPU_N_TRACKS
};
struct vgpu_span {
    uint64_t from, to;
    const char *name;   /* of the call or command; of a kernel, its name */
    uint32_t launch;    /* the first is 1; 0: of none */
    uint32_t sm, place; /* of a block: its SM, and its slot on that SM */
    uint32_t block, warp;
    uint8_t cause; /* vgpu_cause */
    /* Of a phase that is a wait: the line of its longest part; 0: unknown. */
    const char *file;
    uint32_t line;
};
struct vgpu_arrow {    /* a word that one block stored and another one read */
    uint64_t from, to; /* when L2 has it, and when the reader has it */
    uint32_t launch, from_block, to_block;
};
struct vgpu_timeline {
    const struct vgpu_span *spans[VGPU_N_TRACKS];
    size_t n[VGPU_N_TRACKS];
    const struct vgpu_arrow *arrows;
    size_t n_arrows;
    /* How many later ones the lists do not have. */
    uint64_t left_out[VGPU_N_TRACKS], arrows_left_out;
    uint64_t origin;
};
/* NULL: there is none. */
const struct vgpu_timeline *vgpu_timeline(const vgpu_device *);
/* Bytes that the program passed to its kernels without a copy: as arguments,
 * and one for each fill. */
uint64_t vgpu_told_bytes(const vgpu_device *);
void vgpu_reset_counts(vgpu_device *);
/* What kernels did since the counts were reset (vgpu_steps.h). The next call on
 * the device may invalidate the lists. False: vgpu_options.steps is not set. */
struct vgpu_steps;
bool vgpu_steps_seen(const vgpu_device *, struct vgpu_steps *);
/* What memory held behind each launch since the counts were reset, of up to 64
 * MiB (vgpu_options.states); NULL: it was not set, or no memory. To be freed by
 * vgpu_states_free. */
typedef struct vgpu_states vgpu_states;
vgpu_states *vgpu_take_states(vgpu_device *);
void vgpu_states_free(vgpu_states *);
/* How far a change reached in two runs of one program, on devices of their own
 * and with inputs that differ in one word. */
struct vgpu_reach {
    size_t launches; /* behind which more words of an array differed than behind
                        any launch before */
    size_t early; /* words that differed, in an array at least half as large as
                     that with the most, before the most were reached */
};
/* False: the runs have not the same launches, or they were too many. */
bool vgpu_states_reach(const vgpu_states *, const vgpu_states *,
                       struct vgpu_reach *);
/* vgpu_options.steps: record from now on only which thread stores to these
 * bytes of global memory. */
void vgpu_watch_word(vgpu_device *, uint64_t address, uint32_t bytes);
struct vgpu_word_writer;
bool vgpu_word_writer(const vgpu_device *, struct vgpu_word_writer *);
/* Calls `each` for the lines of the kernels that ran where an edit could change
 * something; a line comes once for each of its instructions. The texts are
 * valid as long as the program is loaded. */
void vgpu_edit_sites(const vgpu_device *,
                     void (*each)(void *user, const struct vgpu_edit_site *),
                     void *user);
/* With a clock: L2 holds nothing of the program's data from now on, as after
 * other work that filled it. */
void vgpu_clock_cool(vgpu_device *);
/* With all_messages: was there room to keep all messages? If not, chains may be
 * longer than the counts say. */
bool vgpu_clock_kept_messages(const vgpu_device *);
size_t vgpu_findings(const vgpu_device *, const struct vgpu_finding **);
/* The findings whose kind is a remark: what CUDA allows and the author may not
 * have meant. Those at the first eight places. */
size_t vgpu_remarks(const vgpu_device *, const struct vgpu_finding **);
void vgpu_reset_findings(vgpu_device *); /* remarks and incompletes, too */
/* The lists above have limits; so much was seen and is not in them. */
struct vgpu_left_out {
    uint64_t findings;
    uint64_t launches;            /* of kernels that are in the list */
    uint64_t thread_instructions; /* on lines that are not in the list */
    uint64_t printed_bytes;       /* device printf: the buffer was full */
};
const struct vgpu_left_out *vgpu_left_out(const vgpu_device *);
/* The checks that had to stop looking; returns their number. */
size_t vgpu_incompletes(const vgpu_device *, const struct vgpu_incomplete **);
/* Sets `where` of a finding, by its index in vgpu_findings. Copies texts. */
void vgpu_place_finding(vgpu_device *, size_t number,
                        const struct vgpu_source *);
/* The same for the operation before (has_before). */
void vgpu_place_launch(vgpu_device *, size_t number,
                       const struct vgpu_source *);
void vgpu_place_before(vgpu_device *, size_t number,
                       const struct vgpu_source *);
/* Is it a header that the program's author cannot edit: one of the toolkit or
 * the system, or one below a folder labs/ that lies beside the program's folder
 * (its path has /own/../labs/)? */
bool vgpu_is_toolkit_file(const char *file);
/* Adds LEAK findings for the memory that the program still holds. */
void vgpu_check_leaks(vgpu_device *);

/* ---- sessions: a program's runtime calls as messages on a stream socket
 * (vgpu/cuda/protocol/protocol.h) ---- */
/* The caller closes fd, after the session. Nothing is read yet. */
vgpu_session *vgpu_session_new(vgpu_device *, int fd);
/* Several programs may speak over it, one after another, as the children of a
 * shell: after a fault the next one begins with a context of its own, as on a
 * GPU. Without this a fault holds until the session ends. */
void vgpu_session_serves_several(vgpu_session *);
/* Serves and answers every whole request that can be read without blocking.
 * >0: call again when fd is readable. 0: the program closed the channel. <0:
 * the program violated the protocol; a finding says how. */
int vgpu_session_step(vgpu_session *);
/* Has the session answered a call with "out of memory", because the device or
 * this process had none left? */
bool vgpu_session_was_short(const vgpu_session *);
void vgpu_session_free(vgpu_session *);
