/* SPDX-License-Identifier: MIT
 *
 * vgpu.h: a virtual GPU that executes the PTX of nvcc's output on a CPU, counts
 * what it executes and checks it.
 *
 * How to read this: a *device* holds memory, modules, counters and findings.
 * Load an image, find a kernel, allocate, copy, launch; or hand the device one
 * end of a socket and let a program's CUDA runtime calls drive it (a
 * *session*). One device is used by one thread at a time; devices are
 * independent, but for a *cache* that they are given, and nothing is kept for
 * the process but tables that never change. Errors: every call that can fail
 * returns a vgpu_status (vgpu_status.def). A *finding* is what a check saw in
 * the program under test; it is kept until vgpu_reset_findings.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu_message.h"

/* What changes in an incompatible way changes the first number; until 1.0, the
 * second. */
#define VGPU_VERSION "0.9.0"

/* Device pointers lie in [BASE, LIMIT). No Linux process maps anything here by
 * itself. */
#define VGPU_ADDRESS_BASE  0x200000000000ull
#define VGPU_ADDRESS_LIMIT 0x300000000000ull
#define VGPU_SHARED_BYTES  (VGPU_ADDRESS_LIMIT - VGPU_ADDRESS_BASE)

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

/* Of an access outside of every array: what is known of its index. */
typedef enum {
    VGPU_STRAY_UNKNOWN,
    VGPU_STRAY_PRODUCT,  /* it comes from a product that 32 bits do not hold */
    VGPU_STRAY_UNSIGNED, /* a number below 0, in 32 unsigned bits */
    VGPU_STRAY_FAR,      /* a gigabyte or more away */
    VGPU_STRAY_NEGATIVE, /* below 0 */
    VGPU_STRAY_LOADED,   /* a part of it was read from memory */
    VGPU_STRAY_BESIDE,   /* the thread's own number is that of an element */
    VGPU_STRAY_SHARED    /* past the bytes that the launch asked for */
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

typedef enum { VGPU_IN_ORDER, VGPU_REVERSE, VGPU_RANDOM } vgpu_schedule;
typedef enum { VGPU_MEMORY_SC, VGPU_MEMORY_WEAK } vgpu_memory_model;
typedef enum { /* of device memory that the program has not written */
               VGPU_CONTENTS_LEFT, /* what freed memory held, then RANDOM */
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

/* Which instructions are printed while they are executed. Zeros choose all. */
struct vgpu_trace_options {
    /* Is given an instruction's lines, each with its newline: place, PTX and
     * active lanes; then the registers it read, then those it wrote, with the
     * values of the lanes. NULL: nothing is printed, which costs nothing. */
    void (*line)(void *user, const char *text, size_t bytes);
    void *user;
    const char *kernel;   /* mangled, or as findings say it; NULL: any */
    uint64_t launch;      /* the device's first is 1; 0: any */
    unsigned block_parts; /* 0: any; 1: block[0] is its number in the grid;
                             3: block is its index */
    uint32_t block[3];
    bool has_warp;  /* false: any */
    uint32_t warp;  /* in its block */
    uint32_t lanes; /* only their values, and what they take part in; 0: all */
    const char *file; /* of the source, without its folder; NULL: any */
    uint32_t line_first, line_last; /* in it; 0: no bound */
    uint64_t limit; /* instructions, in all launches; 0: VGPU_TRACE_LIMIT */
};
#define VGPU_TRACE_LIMIT 1000u

/* A change of the program, at all instructions of a source line, in whatever
 * function the compiler has put them. */
struct vgpu_edit {
    vgpu_edit_kind kind;
    const char *file; /* of the source, without its folder */
    uint32_t line;
    uint32_t only; /* of a function's instructions or runs that it fits, the
                      first is 1; 0: all */
    int32_t by;
};
/* A line of a program, and to how many of its instructions, or of their runs,
 * each kind can be done. */
struct vgpu_edit_site {
    const char *file; /* without its folder */
    uint32_t line;
    uint32_t n[VGPU_N_EDITS];
};

struct vgpu_options {
    const char *profile;  /* name in vgpu_profiles.def; NULL: "teach" */
    const char *clock;    /* name in vgpu_clocks.def: model time, in order, with
                             sequential memory; NULL: none */
    bool all_messages;    /* with a clock: ordinary accesses, too, are messages
                             between blocks, and between warps in shared memory:
                             for a program that races */
    uint32_t slack_bytes; /* behind each allocation, which programs may touch
                             though they did not ask for them */
    bool why;             /* with a clock: vgpu_why is kept */
    bool timeline;        /* with one that counts no steps: vgpu_timeline, too;
                             wants `why` */
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
    bool reads_want_release;     /* racecheck: a flag says that its block's
                                    loads are done only if it is released; else
                                    a barrier before it is enough, on which CUB
                                    relies */
    bool trusts_names;           /* code that says it stands in a header of the
                                    toolkit may read shared memory that nothing
                                    wrote, as CUB does; a #line can say so, too
                                  */
    bool names_allocations;      /* keeps where a program asked for memory, for
                                    vgpu_allocated_by */
    uint64_t race_memory_mib;    /* racecheck looks at allocations of so many
                                    MiB that kernels access; it takes eight
                                    times as many. 0: a 32nd of the machine's,
                                    or 64 */
    uint64_t instruction_budget; /* warp instructions per launch; 0:
                                    VGPU_DEFAULT_BUDGET */
    uint64_t budget_in_all;      /* of all launches together; 0: no limit */
    uint64_t memory_limit_bytes; /* device memory; 0: the profile's, which it
                                    never exceeds */
    uint64_t held_limit_bytes;   /* of this machine's memory that the device may
                                    hold for the program: allocations, images,
                                    what is made of them, resident blocks, what
                                    checks remember; 0: no limit */
    uint64_t held_share_bytes;   /* that it may hold without asking for more */
    bool (*more_memory)(void *); /* asked once, when the share is spent; may
                                    wait. NULL: there is more */
    vgpu_cache *cache;           /* of images; NULL: each is parsed anew */
    bool (*should_stop)(void *); /* asked every few milliseconds while a kernel
                                    runs; true ends it; may be NULL */
    /* Asked when a kernel can only go on if the host writes to memory that both
     * see; waits for a moment. False: the host waits, too. NULL: it does. */
    bool (*host_may_move)(void *);
    void *host;           /* handed to it */
    bool stop_is_finding; /* as a spent budget is: where it was, how far */
    void (*print)(void *, const char *text,
                  size_t bytes); /* device printf; NULL: collected for the
                                    session's client */
    void *user;                  /* handed to both */
    struct vgpu_trace_options trace;
    bool steps; /* vgpu_steps_seen is kept: who wrote what, from what */
    /* Changes that are tried: of the programs that are loaded; allocations or
     * shared memory are cleared; blocks have their numbers in the order in
     * which they start, as from a counter. */
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
    bool is_merged;       /* the compiler made one of several lines near it */
    const char *function; /* kernel or inlined device function; may be NULL */
    /* Lines of the same file; 0: none. called: of the call that brought the
     * function in which the line stands. index: of an access, in a function
     * that is called on its line and gives its address. */
    uint32_t called, index;
    uint32_t outer[VGPU_OUTER]; /* the calls around `called`, from there on */
};

enum { VGPU_TEXT = 1024, VGPU_CALLERS = 8 };
struct vgpu_finding {
    vgpu_finding_kind kind;
    const char
        *kernel; /* demangled name of the kernel, or NULL outside a launch */
    struct vgpu_source where; /* innermost line the student can edit */
    uint32_t block[3], thread[3];
    bool has_thread;
    uint64_t address; /* 0: none */
    uint32_t bytes;
    vgpu_stray stray;
    uint64_t array_bytes; /* stray, past an array that the program allocated:
                             its size; else 0 */
    uint64_t not_started; /* deadlock: it is waited for blocks that cannot start
                             while those that wait are resident; so many */
    bool advances; /* budget: blocks end one after another, so it would end */
    uint64_t word; /* deadlock: what the polled word holds */
    uint32_t word_bytes; /* 0: not known */
    bool has_other;      /* races: the earlier access */
    struct vgpu_source other_where;
    uint32_t other_block[3], other_thread[3];
    bool writes, other_wrote; /* races: what the two accesses are */
    bool half_weak;    /* races: one is volatile or atomic, the other is not */
    bool not_acquired; /* races: the thread has seen what the other said
                          afterwards, and has no fence behind that */
    bool strong;       /* a volatile access, or an atomic one */
    bool empty;        /* a launch with a dimension of 0 */
    bool before_array; /* of shared memory: it ends where an array begins */
    bool torn;         /* a read of words that were written one by one */
    /* Outside a launch: places in the program's file that the call came from
     * (of a leak, the first allocation), innermost first; 0: no more. `where`
     * is the caller's to find, who then says it with vgpu_place_finding. */
    uint64_t callers[VGPU_CALLERS];
    /* ordercheck: the same of the operation before, whose place is other_where
     */
    bool has_before;
    uint64_t other_callers[VGPU_CALLERS];
    uint64_t
        repeats; /* further findings of this kind at this line, not listed */
    struct vgpu_message message; /* what, where, why: vgpu_message_text */
};

/* A check that had to stop looking: it may have missed findings. One for each
 * check, of the first launch where it did. */
struct vgpu_incomplete {
    unsigned check;         /* VGPU_CHECK_* */
    const char *kernel;     /* or NULL */
    char reason[VGPU_TEXT]; /* which limit it met */
    char mend[VGPU_TEXT];   /* what to do */
    uint64_t launches;      /* in which it had to */
};

/* vgpu_options.why: where model time went, in ps. Of a launch, the path's sum
 * is its model time. */
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
/* What usually stands behind it; NULL: its message says that. */
const char *vgpu_finding_cause(vgpu_finding_kind);
/* A word as findings show it: "8", or by halves
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

/* ---- images that devices share, also devices of several threads ---- */
vgpu_cache *vgpu_cache_new(void);   /* NULL: no memory */
void vgpu_cache_free(vgpu_cache *); /* when its devices are closed */
/* "kernel=scan,block=0,warp=1,lines=20-30"; docs/debugging.md has the words.
 * Cuts `words`, into which kernel and file point from then on. False: `why`
 * says which word is wrong. */
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
/* Lets programs have memory that host code sees too (managed memory, mapped
 * pinned memory): its bytes are those of this file from (address -
 * VGPU_ADDRESS_BASE) on. The file is the caller's, VGPU_SHARED_BYTES long, and
 * stays open while the device is. Without it such calls are refused. A judge
 * that counts what is copied does not want it. */
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
/* Marks bytes as data (see DATA_OPS). Marks are set here and by what kernels
 * store; host copies clear them. */
vgpu_status vgpu_mark_data(vgpu_device *, uint64_t address, size_t bytes);
/* Forgets that the bytes were written: reading them before a write is an
 * uninitialised read. Contents stay. */
vgpu_status vgpu_mark_uninitialised(vgpu_device *, uint64_t address,
                                    size_t bytes);
/* The bytes are the owner's, not the program's: vgpu_free by a session is
 * refused, LEAK does not count them. */
vgpu_status vgpu_own(vgpu_device *, uint64_t address);
/* Kernels and sessions may read but not write the allocation (a lab's input).
 */
vgpu_status vgpu_protect(vgpu_device *, uint64_t address, bool read_only);
/* A name for messages ("d_in"), so that a finding reads "3 bytes past the end
 * of d_in (4096 bytes)". */
vgpu_status vgpu_name(vgpu_device *, uint64_t address, const char *name);

/* The same of an array whose element 0 lies at `first`, each of so many bytes:
 * a finding reads "at d_in[4], past the end of d_in (4 elements)". */
vgpu_status vgpu_name_elements(vgpu_device *, uint64_t address,
                               const char *name, uint64_t first,
                               uint32_t bytes);

/* Where the program asked for the memory that begins or began at the address,
 * as of a finding. False: not known. */
bool vgpu_allocated_by(const vgpu_device *, uint64_t address,
                       uint64_t callers[VGPU_CALLERS]);
/* The same of what freed one that is no more. */
bool vgpu_freed_by(const vgpu_device *, uint64_t address,
                   uint64_t callers[VGPU_CALLERS]);

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
/* Prints the PTX in an image, which may be several containers back to back:
 * each text behind a comment that says for which architecture it is. No device
 * is needed, nothing runs. BAD_IMAGE, OUT_OF_MEMORY: `why` says what. */
struct vgpu_dump {
    const char *kernel; /* of this function only: its mangled name, or as
                           findings say it; NULL: whole modules */
    bool parsed; /* as the virtual GPU understood it, not as nvcc wrote it:
                    without comments, scopes resolved, labels by number */
    size_t n_modules, n_kernels; /* set: texts read, kernels printed */
};
vgpu_status vgpu_dump_ptx(FILE *, const void *image, size_t bytes,
                          struct vgpu_dump *, char why[VGPU_TEXT]);
struct vgpu_kernel_info {
    const char *name;             /* mangled */
    size_t n_params, param_bytes; /* size of the packed parameter block, PTX
                                     alignment rules */
    const uint32_t *param_offset, *param_size;
    uint32_t static_smem_bytes, local_bytes, registers, max_threads_per_block;
    int ptx_target; /* 75: compiled for compute_75 */
};
void vgpu_kernel_info(const vgpu_kernel *, struct vgpu_kernel_info *);
vgpu_status vgpu_kernel_set_max_dynamic_smem(vgpu_kernel *, size_t bytes);
/* Runs to the end. params: packed block of info.param_bytes. Errors as CUDA
 * reports them, at once. */
vgpu_status vgpu_launch(vgpu_device *, vgpu_kernel *, const uint32_t grid[3],
                        const uint32_t block[3], size_t dynamic_smem_bytes,
                        const void *params, size_t param_bytes);
/* As vgpu_launch, with cooperative groups' promise: LAUNCH_CONFIG-like error
 * (cuda 720) when the grid cannot be resident at once. */
vgpu_status vgpu_launch_cooperative(vgpu_device *, vgpu_kernel *,
                                    const uint32_t grid[3],
                                    const uint32_t block[3],
                                    size_t dynamic_smem_bytes,
                                    const void *params, size_t param_bytes);
int vgpu_max_blocks_per_sm(const vgpu_kernel *, uint32_t threads_per_block,
                           size_t dynamic_smem_bytes);

/* What cudaGetDeviceProperties and cudaDeviceGetAttribute answer from. */
struct vgpu_profile {
    const char *name, *text;
    int capability, sms, warps_per_sm, blocks_per_sm, registers_per_sm;
    int smem_per_sm, smem_per_block, smem_per_block_optin, banks, phase_lanes,
        memory_mib;
};
const struct vgpu_profile *vgpu_device_profile(const vgpu_device *);
size_t vgpu_profiles(const struct vgpu_profile **); /* the whole table */
/* The profiles of the clock: the n-th one's name, NULL behind the last; its
 * text. */
const char *vgpu_clock_name(size_t n);
const char *vgpu_clock_text(size_t n);
bool vgpu_is_clock(const char *name);
/* The device profile that has the clock's name; NULL: there is none. */
const char *vgpu_clock_device(const char *clock);
size_t vgpu_free_bytes(const vgpu_device *);
/* The first allocation that there was no room for; bytes 0: none was refused.
 */
struct vgpu_refusal {
    size_t bytes;
    uint64_t callers[VGPU_CALLERS]; /* as of a finding */
};
const struct vgpu_refusal *vgpu_no_room(const vgpu_device *);
/* Of the program's calls that allocate, launch, set or copy, the one of this
 * number (the next is 1) will fail and do nothing, as for want of memory. 0:
 * none will, and vgpu_call_sites says from where they came. */
void vgpu_fail_call(vgpu_device *, uint64_t number);
struct vgpu_failed {
    const char *call;   /* "cudaMalloc"; NULL: none was made to fail */
    bool has_other_way; /* memory, a launch: a program may try another */
    uint64_t callers[VGPU_CALLERS]; /* as of a finding */
};
const struct vgpu_failed *vgpu_failed(const vgpu_device *);
enum { VGPU_MAX_CALL_SITES = 64 };
struct vgpu_call_site {
    uint64_t callers[VGPU_CALLERS]; /* as of a finding */
    uint64_t first, last;           /* numbers of calls */
};
/* The first VGPU_MAX_CALL_SITES; *calls: from all of them and others. */
size_t vgpu_call_sites(const vgpu_device *, const struct vgpu_call_site **,
                       uint64_t *calls);
/* initcheck: copies to the host of which nothing had written a part, which is
 * no mistake when the program does not use that. */
struct vgpu_part_written {
    uint64_t copies;                     /* 0: there was none */
    uint64_t bytes, unwritten, at, size; /* the first: `at` is the first byte
                                            that lacks, in an allocation of
                                            `size` bytes */
    uint64_t callers[VGPU_CALLERS];      /* as of a finding */
};
const struct vgpu_part_written *vgpu_part_written(const vgpu_device *);

/* ---- what was seen ---- */
void vgpu_counts(const vgpu_device *,
                 uint64_t counts[VGPU_N_COUNTERS]); /* since the last reset */
size_t vgpu_launch_records(
    const vgpu_device *,
    const struct vgpu_launch_record **); /* the first VGPU_MAX_RECORDS, and of
                                           every kernel the first */
enum { VGPU_MAX_RECORDS = 4096 };
/* Per source line, hottest first (thread instructions). Valid until the next
 * launch or reset. */
size_t vgpu_line_records(vgpu_device *, const struct vgpu_line_record **);
/* The PTX of all kernels that were launched, with what they call: instruction
 * after instruction, with the line that counts it. tell: false, it is enough.
 * Nothing it is given outlives the call. */
void vgpu_tell_ptx(vgpu_device *,
                   bool (*tell)(void *user, const char *function,
                                const struct vgpu_source *, const char *ptx),
                   void *user);
/* Model time with vgpu_options.why; the same pointer until the next reset. */
struct vgpu_path_piece { /* of a critical path: one after another */
    struct vgpu_source where;
    uint32_t block; /* its number in the grid */
    vgpu_cause cause;
    uint64_t from, to; /* ps since the launch's start */
};
struct vgpu_why {
    struct vgpu_times times; /* of all launches */
    uint64_t launch_ps,
        device_ps;       /* of all launches; with what the host took */
    uint64_t between_ps; /* from a launch's end to the next one */
    uint64_t step_ps;    /* where steps are counted: each has so many */
    uint64_t cut;        /* launches without a path */
    /* The path of the launch that took longest; left_out: pieces in front of
     * the list, from the launch's start on. */
    uint64_t launch; /* 1: the first since the reset; 0: there was none */
    const char *kernel;
    uint64_t longest_ps;
    const struct vgpu_path_piece *path;
    size_t n_path;
    uint64_t left_out;
};
const struct vgpu_why *vgpu_why(vgpu_device *);

/* What happened when, since the last reset. Times are ps; the reset was at
 * `origin`. */
enum vgpu_track {
    VGPU_TRACK_HOST,  /* the program's calls */
    VGPU_TRACK_QUEUE, /* what the device does: kernels, copies, memsets */
    VGPU_TRACK_BLOCKS,
    VGPU_TRACK_WARPS, /* their phases: it runs (ISSUE), or waits for `cause` */
    VGPU_N_TRACKS
};
struct vgpu_span {
    uint64_t from, to;
    const char *name;   /* of a call, a command; a kernel's is its own */
    uint32_t launch;    /* the first is 1; 0: of none */
    uint32_t sm, place; /* of a block: among those resident at a time */
    uint32_t block, warp;
    uint8_t cause; /* vgpu_cause */
};
struct vgpu_arrow {    /* a word from block to block */
    uint64_t from, to; /* L2 has it; the reader has it */
    uint32_t launch, from_block, to_block;
};
struct vgpu_timeline {
    const struct vgpu_span *spans[VGPU_N_TRACKS];
    size_t n[VGPU_N_TRACKS];
    const struct vgpu_arrow *arrows;
    size_t n_arrows;
    /* The first so many are in the lists; of the others only how many. */
    uint64_t left_out[VGPU_N_TRACKS], arrows_left_out;
    uint64_t origin;
};
/* NULL: there is none. */
const struct vgpu_timeline *vgpu_timeline(const vgpu_device *);
/* Bytes that the program told its kernels without a copy: as arguments, and one
 * for each fill. */
uint64_t vgpu_told_bytes(const vgpu_device *);
void vgpu_reset_counts(vgpu_device *);
/* What kernels did since the counts were reset (vgpu_steps.h): lists that the
 * next call on the device may move. False: vgpu_options.steps is not set. */
struct vgpu_steps;
bool vgpu_steps_seen(const vgpu_device *, struct vgpu_steps *);
/* vgpu_options.steps: from now on it is recorded who stores to these bytes of
 * global memory, and nothing else. */
void vgpu_watch_word(vgpu_device *, uint64_t address, uint32_t bytes);
struct vgpu_word_writer;
bool vgpu_word_writer(const vgpu_device *, struct vgpu_word_writer *);
/* Lines of the kernels that ran, where an edit could change something: a line
 * comes once for each of its instructions. The texts live as long as the
 * program is loaded. */
void vgpu_edit_sites(const vgpu_device *,
                     void (*each)(void *user, const struct vgpu_edit_site *),
                     void *user);
/* Of the clock: L2 holds other data from now on, as after long other work. */
void vgpu_clock_cool(vgpu_device *);
/* With all_messages: was there room for all of them? If not, chains may be
 * longer than what was counted. */
bool vgpu_clock_kept_messages(const vgpu_device *);
size_t vgpu_findings(const vgpu_device *, const struct vgpu_finding **);
/* What a program may do and its author may not have meant, as findings:
 * BARRIER_LEFT. The first eight places. */
size_t vgpu_remarks(const vgpu_device *, const struct vgpu_finding **);
void vgpu_reset_findings(vgpu_device *); /* and remarks, and what is
                                            incomplete */
/* What was seen and is not in the lists above, which end somewhere. */
struct vgpu_left_out {
    uint64_t findings;
    uint64_t launches;            /* of kernels that the list has */
    uint64_t thread_instructions; /* on lines that the list has not */
    uint64_t printed_bytes;       /* device printf: the buffer was full */
};
const struct vgpu_left_out *vgpu_left_out(const vgpu_device *);
/* The checks that are not complete; none: n is 0. */
size_t vgpu_incompletes(const vgpu_device *, const struct vgpu_incomplete **);
/* The finding of this number was made there. The texts are copied. */
void vgpu_place_finding(vgpu_device *, size_t number,
                        const struct vgpu_source *);
/* The same of the operation before (has_before). */
void vgpu_place_before(vgpu_device *, size_t number,
                       const struct vgpu_source *);
/* A header of the toolkit, the system or a course, which a student cannot edit.
 */
bool vgpu_is_toolkit_file(const char *file);
/* Adds LEAK findings for what the program still holds. */
void vgpu_check_leaks(vgpu_device *);

/* ---- sessions: a program's runtime calls as messages on a stream socket
 * (vgpu/cuda/protocol/protocol.h) ---- */
/* The caller keeps fd. Nothing is read yet. */
vgpu_session *vgpu_session_new(vgpu_device *, int fd);
/* Serves every whole request that can be read without blocking, replies
 * included. >0: go on, call again when fd is readable. 0: the program closed
 * the channel. <0: protocol violated; a finding says how. */
int vgpu_session_step(vgpu_session *);
/* Has a call been answered that there is no memory: of the device, or of this
 * process? */
bool vgpu_session_was_short(const vgpu_session *);
void vgpu_session_free(vgpu_session *);
