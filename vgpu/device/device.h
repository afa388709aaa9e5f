/* SPDX-License-Identifier: MIT
 *
 * device.h: the inside of a vgpu_device, shared by the files of device/.
 */
#pragma once

#include "clock.h"
#include "machine.h"
#include "run.h"
#include "steps.h"
#include "trace.h"
#include "uses.h"
#include "feeds.h"
#include "vgpu.h"
#include "vgpu_asked.h"

enum {
    MAX_FINDINGS = 256,
    MAX_LINES = 20000,
    CALLED_LINES = 2048,
    CALLED_SLOTS = 2 * CALLED_LINES,
    LINE_SLOTS = 1 << 15, /* so that a third stays free */
    MAX_INCOMPLETE = 8,
    KEPT_LISTS = 8192
};

struct vgpu_kernel {
    struct vgpu_module *module;
    struct function *function;
    char name[256]; /* for people */
    char mangled[512];
    uint32_t shared_static; /* known once decoded */
    bool is_refused;        /* an instruction is not there, as a finding says */
    size_t dynamic_limit;   /* cudaFuncAttributeMaxDynamicSharedMemorySize */
    bool large_clusters;    /* cudaFuncAttributeNonPortableClusterSizeAllowed */
    uint64_t executed;      /* as vgpu_device.executed */
    uint64_t recorded_in;   /* the record_time of its first record; 0: none */
    uint32_t *param_offset, *param_size;
    struct vgpu_kernel *next;
};

struct vgpu_module {
    vgpu_device *device;
    unsigned gpu;          /* which has loaded it */
    uint32_t number;       /* of all that were loaded, from 1 on; 0: not yet */
    struct parsed *parsed; /* what the program was made from */
    size_t charged;        /* for that */
    struct program program;
    struct vgpu_kernel *kernels;
    struct vgpu_module *next;
};

/* A launch under way. Its machine points to it, so it must not move. */
struct launch {
    vgpu_device *device;
    vgpu_kernel *kernel;
    struct machine machine;
    uint64_t n_blocks;
    uint64_t number;      /* of the launches of this kernel */
    struct flight flight; /* of several GPUs: vgpu_flight */
    struct uses *uses;    /* likewise: its own */
    uint8_t *params;      /* likewise: a copy */
    /* Dynamic parallelism (kin.h): or NULL. by: the kernel that asked for it.
     */
    struct kin_family *family;
    struct kin *kin;
    const struct vgpu_kernel *by;
};

struct vgpu_device {
    struct vgpu_options options;
    const struct vgpu_profile *profile;
    unsigned n_gpus;
    struct launch *flights[VGPU_MOST_GPUS]; /* of each; NULL: none */
    uint64_t n_flown; /* blocks of flights since there was none */
    struct memory memory;
    const struct alu_table *alu;
    struct clock *clock;                  /* of GPU 0; NULL: no model time */
    struct clock *clocks[VGPU_MOST_GPUS]; /* of each */
    bool of_stream;                       /* vgpu_clock_pool */
    struct vgpu_module *modules;
    vgpu_status sticky;
    struct vgpu_refusal no_room;
    uint64_t until_failure; /* calls; 0: none is to fail */
    struct vgpu_failed failed;
    bool lists_calls;
    uint64_t n_calls; /* while they are listed */
    struct vgpu_call_site call_sites[VGPU_MAX_CALL_SITES];
    size_t n_call_sites;
    struct vgpu_call_error call_errors[VGPU_MAX_CALL_ERRORS];
    size_t n_call_errors;
    bool has_told_limit; /* that charges were refused */
    struct vgpu_part_written part_written;
    uint64_t time; /* where the next launch's clocks begin */
    char message[VGPU_TEXT];
    /* what was seen */
    struct vgpu_finding *remarks; /* NULL: none */
    size_t n_remarks;
    struct vgpu_finding *findings;
    size_t n_findings, findings_capacity;
    struct vgpu_incomplete incomplete[MAX_INCOMPLETE];
    size_t n_incomplete;
    struct vgpu_left_out left_out;
    uint64_t counts[VGPU_N_COUNTERS];
    struct vgpu_launch_record *records;
    size_t n_records, records_capacity;
    uint64_t record_time; /* 1, and one more with each reset of the counts */
    struct vgpu_line_record *lines;
    size_t n_lines, lines_capacity;
    struct called_lines {
        struct vgpu_line list[CALLED_LINES];
        uint16_t slots[CALLED_SLOTS]; /* by hash: place in list, from 1 on */
        size_t n;
    } called;
    uint16_t line_slots[LINE_SLOTS]; /* by hash: place in lines, from 1 on */
    struct vgpu_why why;
    struct vgpu_path_piece *path; /* of why */
    uint64_t launch_end;          /* ps: of the last launch */
    uint64_t grid_id;
    uint64_t executed; /* warp instructions and blocks, by all launches */
    struct {
        const char *kernel;
        uint64_t executed;
    } busiest;                /* of all kernels */
    uint64_t told_bytes;      /* vgpu_told_bytes */
    uint32_t next_cluster[3]; /* vgpu_set_cluster */
    uint64_t workspace;       /* of cooperative launches; 0: there was none */
    uint64_t most_pending; /* launches that kernels asked for, and that wait */
    uint64_t texts;        /* for kernels, of errors; 0: none was asked for */
    struct tracer tracer;
    struct steps *steps;        /* NULL: nothing is recorded */
    struct asked *asked;        /* likewise */
    struct vgpu_states *states; /* likewise */
    uint32_t n_loaded;          /* modules, so far */
    struct uses *uses;          /* NULL: nobody asks what a launch uses */
    struct feeds *feeds; /* NULL: nobody asks which launches are useful */
    struct launched {    /* since the counts were reset */
        const char *kernel;
        uint64_t n;
    } * launched;
    size_t n_launched;
    const struct vgpu_kernel *used_by; /* whose they are; NULL: nobody's */
    /* device printf that waits for the program */
    char *output;
    size_t output_bytes, output_capacity;
    /* names that findings and records point to, kept until the device closes */
    struct kept {
        struct kept *next;
        uint64_t hash;
        char text[];
    } * kept[KEPT_LISTS]; /* by hash: an image may have a name for each line */
};

/* Sets the last message and returns the status. */
vgpu_status device_fail(vgpu_device *, vgpu_status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what a finding says. */
vgpu_status device_fail_as(vgpu_device *, vgpu_status,
                           const struct vgpu_message *);
/* A copy that lives as long as the device; equal texts are kept once. */
const char *device_keep(vgpu_device *, const char *text);
/* That copy, if there is one; else NULL. */
const char *device_kept(const vgpu_device *, const char *text);
/* Its place in the list, when more of the same are counted there; else
 * SIZE_MAX. */
size_t device_add_finding(vgpu_device *, struct vgpu_finding *);
/* Another one of that place in the list. */
void device_repeat_finding(vgpu_device *, size_t number);
void device_count_launch(vgpu_device *, const char *kernel);
/* A check had to stop looking in a launch of the kernel. */
void device_incomplete(vgpu_device *, unsigned check, const char *kernel,
                       const char *reason, const char *mend);
/* Adds what the kernel's code counted to launch, device and lines, and zeroes
 * it. */
void device_collect(vgpu_device *, struct vgpu_kernel *, const struct machine *,
                    uint64_t *launch);
/* The record of this line; NULL: there are too many. */
struct vgpu_line_record *device_line(vgpu_device *, const char *kernel,
                                     const struct vgpu_source *);
void device_forget_lines(vgpu_device *);
/* Notes the calls around an instruction that ran. */
void device_called(vgpu_device *, const struct vgpu_source *);
void device_forget_called(vgpu_device *);
/* Where the model time of the launch went that has just ended. */
void device_why(vgpu_device *, const struct vgpu_kernel *, struct vgpu_times *);
vgpu_status kernel_decode(struct vgpu_kernel *);
/* states.c: behind a launch. */
struct vgpu_states *states_new(void); /* NULL: no memory */
void states_keep(vgpu_device *);
void states_forget(vgpu_device *);
/* asked.c: the device was asked this (where that is recorded); for bytes, which
 * it found; for what cannot be recorded. */
struct asked *asked_new(void); /* NULL: no memory */
void asked_free(struct asked *);
void asked_add(vgpu_device *, const struct vgpu_asked *);
void asked_read(vgpu_device *, uint64_t from, const void *found, size_t bytes);
void asked_for_more(vgpu_device *);
/* Checks a launch as CUDA does and makes its machine. Not VGPU_OK: it does not
 * begin. launch_done: its grid has run, or was not to; collects what it
 * counted. */
vgpu_status launch_prepare(struct launch *, const uint32_t *grid,
                           const uint32_t *block, size_t dynamic,
                           const void *params, size_t param_bytes,
                           bool cooperative);
/* cluster.c: the clusters of a launch of the kernel with this grid, for which
 * `asked` asks; not VGPU_OK: why there cannot be such. cluster_set_up: gives
 * them to the machine. */
vgpu_status clusters_of(const struct vgpu_kernel *, const uint32_t asked[3],
                        const uint32_t *grid, uint32_t cluster[3],
                        struct vgpu_message *why);
void cluster_set_up(struct launch *, const uint32_t asked[3]);
vgpu_status launch_done(struct launch *);
/* VGPU_OK, or why a launch of this shape cannot begin. */
vgpu_status launch_look(const vgpu_device *, const vgpu_kernel *,
                        const uint32_t *grid, const uint32_t *block,
                        size_t dynamic, struct vgpu_message *why);
/* Blocks on a multiprocessor that each limit alone allows, but registers. */
void occupancy_fits(const struct vgpu_profile *, uint32_t warps, size_t shared,
                    uint32_t fits[VGPU_N_LIMITS]);
void kernel_free(struct vgpu_kernel *);
/* A finding, once, when something was refused because the device would hold too
 * much: what, where, how much, and which option raises the limit. kernel: for
 * which it was; or NULL. */
void device_tell_limit(vgpu_device *, const char *kernel);
