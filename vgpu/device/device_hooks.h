/* SPDX-License-Identifier: MIT
 *
 * device_hooks.h: what the server asks of a device beyond vgpu.h. Declared
 * here, defined in device/. It leaves out everything a judge may call: that is
 * vgpu.h.
 *
 * The memory calls of vgpu.h answer with a status only; what a *program* did
 * wrong with a runtime call becomes a finding here, because only the server
 * knows that it was the program who called.
 */
#pragma once

#include "vgpu.h"

/* Adds a finding outside any launch. */
void vgpu_report(vgpu_device *, vgpu_finding_kind, const struct vgpu_message *);
/* The check is on. */
bool vgpu_is_checked(const vgpu_device *, unsigned check);

/* The server's own memory for the program, charged as the device's
 * (charges.h). False: refused, and reported. */
bool vgpu_charge(vgpu_device *, uint64_t bytes, const char *what);
void vgpu_discharge(vgpu_device *, uint64_t bytes);

/* The findings from the `first` on that have no place were made by a call from
 * here. Those of one kind from one place become one. */
void vgpu_found_from(vgpu_device *, size_t first,
                     const uint64_t callers[VGPU_CALLERS]);
/* Those of them that lie in a library's kernel were launched from here. */
void vgpu_library_launched_from(vgpu_device *, size_t first,
                                const uint64_t *callers, size_t n);
/* Those that the launch under way on this GPU has, of several. */
void vgpu_flight_launched_from(vgpu_device *, unsigned gpu,
                               const uint64_t *callers, size_t n);
/* The same for the first allocation that was refused. */
void vgpu_refused_from(vgpu_device *, const uint64_t callers[VGPU_CALLERS]);
/* Is this call, of a kind that may fail, made to? From where it was made. */
bool vgpu_fails_call(vgpu_device *, const char *call, bool has_other_way);
bool vgpu_lists_calls(const vgpu_device *);
/* From where the last such call came, which failed or is listed. */
void vgpu_failed_from(vgpu_device *, const uint64_t callers[VGPU_CALLERS]);
/* A call of this name answered an error: vgpu_call_errors. */
void vgpu_call_failed(vgpu_device *, const char *call, int error,
                      const char *text, const uint64_t callers[VGPU_CALLERS]);
/* The same for an allocation; does anybody want to know? */
void vgpu_allocated_from(vgpu_device *, uint64_t address,
                         const uint64_t callers[VGPU_CALLERS]);
void vgpu_freed_from(vgpu_device *, uint64_t address,
                     const uint64_t callers[VGPU_CALLERS]);
bool vgpu_names_allocations(const vgpu_device *);
/* What the last launch used, of one page and one instruction, where ordercheck
 * is on. False: there are no more. */
struct vgpu_used {
    uint64_t page;        /* address / 4096 */
    unsigned how;         /* VGPU_USE_* */
    const uint64_t *bits; /* of its bytes */
    struct vgpu_source where;
};
bool vgpu_last_used(const vgpu_device *, size_t k, struct vgpu_used *);
/* There was no room to remember all of it. */
bool vgpu_last_used_is_cut(const vgpu_device *);
/* About how many registers a thread of it has on a machine: the clock's
 * estimate. 0: there is none. */
uint32_t vgpu_kernel_registers(const vgpu_kernel *);
/* A launch would begin: for who answers before it does. */
bool vgpu_may_launch(vgpu_device *, vgpu_kernel *, const uint32_t grid[3],
                     const uint32_t block[3], size_t dynamic);
/* How many launches that kernels ask for may wait at a time. */
void vgpu_set_pending(vgpu_device *, uint64_t most);
/* ---- several GPUs (gpus.c) ---- */
unsigned vgpu_n_gpus(const vgpu_device *);
/* A launch that runs at the same time as those of other GPUs: at most one of
 * each GPU is under way. Not VGPU_OK: it does not begin, as for vgpu_launch. */
vgpu_status vgpu_flight_begin(vgpu_device *, vgpu_kernel *,
                              const uint32_t grid[3], const uint32_t block[3],
                              size_t dynamic, const void *params,
                              size_t param_bytes, bool cooperative);
bool vgpu_flies(const vgpu_device *, unsigned gpu);
/* Runs all until one is over: its GPU, whose launch is then to be ended; -1:
 * nobody can go on, or there is none. is_last: nothing will be launched or
 * written any more that they could wait for, so this is a deadlock, and
 * reported. */
int vgpu_flights_run(vgpu_device *, bool is_last);
/* As vgpu_launch ends: its status. */
vgpu_status vgpu_flight_end(vgpu_device *, unsigned gpu);
void vgpu_flights_stop(vgpu_device *); /* all, wherever they are */

/* vgpu_options.host_may_move, of a session. */
void vgpu_host_moves(vgpu_device *, bool (*may_move)(void *), void *host);
/* How late operations of streams are done. */
vgpu_async vgpu_async_of(const vgpu_device *, uint64_t *seed);
/* Adds a finding about operations of a program (ordercheck). */
void vgpu_report_order(vgpu_device *, const struct vgpu_finding *);
/* ordercheck had to stop looking. */
void vgpu_order_incomplete(vgpu_device *, const char *reason, const char *mend);
/* A name that lives as long as the device: of the last launch's kernel. */
const char *vgpu_last_kernel(vgpu_device *);
/* The same of the last launch, where steps are recorded. */
void vgpu_launched_from(vgpu_device *, const uint64_t callers[VGPU_CALLERS]);
/* Of the copies and fillings since vgpu_copies_begin; false: steps are not
 * recorded. */
bool vgpu_copies_begin(vgpu_device *);
void vgpu_copied_from(vgpu_device *, const uint64_t callers[VGPU_CALLERS]);
bool vgpu_names_launches(const vgpu_device *);
/* initcheck, for a copy to the host: reports it when nothing wrote any of the
 * bytes. A copy of which some were written is only remembered: programs copy
 * whole buffers and use a part. True: it is the first such. The range lies in
 * one allocation. */
bool vgpu_check_written(vgpu_device *, uint64_t from, uint64_t bytes);
/* Where that first one was made. */
void vgpu_part_written_from(vgpu_device *,
                            const uint64_t callers[VGPU_CALLERS]);

/* vgpu_malloc for memory that host code sees too; is_host: cudaMallocHost's.
 * VGPU_UNSUPPORTED: the device shares no file. */
vgpu_status vgpu_malloc_mapped(vgpu_device *, size_t bytes, bool is_host,
                               uint64_t *address);

/* A texture or surface object (core/memory/textures.h): what it describes.
 * Sizes are in texels, at least 1. VGPU_UNSUPPORTED: options.has_textures is
 * not set.
 */
struct vgpu_texture {
    uint64_t address, pitch, slice;
    uint32_t width, height, depth, dims;
    uint32_t is_layered, is_linear, is_surface;
    uint32_t channels, bits, kind; /* kind: signed, unsigned, float */
    uint32_t mode[3];              /* wrap, clamp, mirror, border */
    uint32_t filters, reads_normalised, takes_normalised;
    float border[4];
};
vgpu_status vgpu_texture_new(vgpu_device *, const struct vgpu_texture *,
                             uint64_t *handle);
/* False: there is no such object. */
bool vgpu_texture_drop(vgpu_device *, uint64_t handle);

/* Device printf and assert text that waits for the program; always 0 when
 * vgpu_options.print is set. */
size_t vgpu_output_bytes(const vgpu_device *);
/* Moves at most capacity bytes of it to `to`; the count moved. */
size_t vgpu_take_output(vgpu_device *, char *to, size_t capacity);

/* After a fault: calls are done again. Its finding stays. */
void vgpu_forget_fault(vgpu_device *);
/* What options.should_stop says. */
bool vgpu_time_is_over(vgpu_device *);
/* Model time (clock.h): is there any; the host waits for the device; an event
 * is recorded, its time. */
bool vgpu_has_clock(const vgpu_device *);
void vgpu_clock_wait(vgpu_device *);
uint64_t vgpu_clock_event(vgpu_device *);
/* The same with several GPUs, whose commands are done later than their calls
 * are made (clock/links.h): the host makes a call now: when it is over;
 * the next command may begin at this time (0: its call is made now); when the
 * GPU's queue is done; the host's time; the host's next wait is for what ends
 * then; what recording an event takes. */
enum vgpu_asks {
    VGPU_ASKS_LAUNCH,
    VGPU_ASKS_FILL,
    VGPU_ASKS_COPY,
    VGPU_ASKS_COPY_PEER,
    VGPU_ASKS_EVENT_WAIT,
    VGPU_ASKS_NOTHING
};
uint64_t vgpu_clock_asks(vgpu_device *, enum vgpu_asks);
void vgpu_clock_may_begin(vgpu_device *, uint64_t time);
uint64_t vgpu_clock_ends(const vgpu_device *, unsigned gpu);
void vgpu_clock_awaits(vgpu_device *, uint64_t time);
uint64_t vgpu_clock_event_takes(const vgpu_device *);
uint64_t vgpu_clock_event_hops(const vgpu_device *); /* to another GPU */
/* The next vgpu_malloc or vgpu_free takes from a stream's pool, or gives back
 * to it (cudaMallocAsync). */
void vgpu_clock_pool(vgpu_device *, bool of_stream);

struct vgpu_allocation {
    uint64_t address, bytes;
    const char
        *name;     /* of vgpu_name or of a __device__ variable; may be NULL */
    bool is_owned; /* vgpu_own, or a module's variable: not for vgpu_free */
    unsigned gpu;  /* whose memory it is */
    bool is_read_only; /* vgpu_protect; a __constant__ variable is not: the host
                          writes it */
};
/* The live allocation that holds address, or whose end it is one past (so that
 * an empty range at the end is inside). False: none; *out is untouched. */
bool vgpu_allocation_at(const vgpu_device *, uint64_t address,
                        struct vgpu_allocation *out);
