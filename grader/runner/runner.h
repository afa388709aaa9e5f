/* SPDX-License-Identifier: MIT
 *
 * runner.h: the process a submission runs in. It locks itself in, loads the
 * student's library, calls its functions when the judge says so, and reports.
 * Everything here shares an address space with the student's code, so nothing
 * here may matter for a verdict.
 *
 *   main.c      the loop: one message, one answer
 *   copies.c    before it: the copies that become runners
 *   lockdown.c  limits, capabilities, files; one table of profiles
 *   filters.c   system calls
 *   heap.c      malloc, with a count of the bytes in use
 *   needs.c     which CUDA runtime a library asks for
 *   starts.c    fork, system and the like, refused
 *   signals.c   where the code is, of what it dies, which call was refused
 *   gpu.c       a call's buffers on a real GPU
 *   baselines.c what timed checks compare with
 *   given.c     right functions in place of the student's
 *   fails.c     calls that fail because the judge wants them to, or the system
 *   watch.h     a library of which every access is seen
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filters.h"
#include "frame.h"
#include "wire.h"

/* Bytes of an element of each buffer, 0: there is none. */
struct widths {
    size_t in, in2, out, out2;
};

/* ---- main.c ---- */
/* One packet to the judge; safe in a signal handler. */
void runner_say(const struct wire_message *);
/* The student's code was refused memory or a thread, by the system. */
void runner_short(int error);

/* ---- copies.c ---- */
/* Serves the judge until its socket closes; returns in each copy. Makes the
 * filter before the first. */
void copies_serve(struct lockdown_filter *);

/* ---- lockdown.c ---- */
/* The walls, none of which can be taken back: lockdown_rights is for limits,
 * rights and files, then lockdown_calls for system calls. A real GPU's driver
 * starts between the two, before any code of a student is loaded. library:
 * folder to be read, "" for none. false: text says which wall could not be
 * built. Make the filter before lockdown_rights: that writes a file in memory,
 * and afterwards no file may grow. */
bool lockdown_rights(const struct wire_configure *, const char *library,
                     char text[WIRE_TEXT_BYTES]);
bool lockdown_calls(struct lockdown_filter *, char text[WIRE_TEXT_BYTES]);

/* ---- heap.c ---- */
uint64_t heap_in_use(void);
/* true: from now on malloc gives the submission memory that holds zeros; false:
 * memory as it is. */
void heap_clears(bool);

/* ---- fails.c ---- */
/* Of the calls of malloc, its like and pthread_create that the student's code
 * makes from now on, the one with this number fails; 0: none. */
void fails_begin(unsigned number);
/* Has that call failed? */
bool fails_end(void);
/* Asked at each such call, made at `caller`: must it fail? */
bool fails_now(uintptr_t caller);
/* The system refused memory or a thread: errno. */
void fails_short(int error);

/* ---- needs.c ---- */
enum { RUNTIME_BYTES = 32 };
/* The name of the CUDA runtime that this library asks for, such as
 * libcudart.so.13. false: none. */
bool needs_runtime(int library, char name[RUNTIME_BYTES]);

/* ---- signals.c ---- */
/* Installs the handlers; library_range tells them where the student's code is.
 * They keep their state in file-scope variables: a signal handler has no other
 * way to reach it. */
bool signals_install(void);
void signals_library(uintptr_t base, uintptr_t end);
/* Tells the judge of a refusal: a row of refusals.def. */
void signals_refused(int row);
/* The next read of the page with this first input takes 10 ms, so that the
 * thread with the beginning of the array comes last. false: not possible. */
bool signals_late(const void *begin);
/* Adds this place to the report, if it is in the student's code. */
void signals_place(struct wire_report *, uintptr_t at);
bool signals_is_students(uintptr_t at);
/* ---- signals.c, locked in ---- */
/* The one file that can be opened once locked in, and a descriptor of it; NULL:
 * none. */
void signals_file(const char *path, int fd);
/* Keeps a descriptor for the next open of this path after the lock-down; each
 * is given out once. false: no more can be kept. */
bool signals_spare(const char *path, int fd);

/* ---- gpu.c ---- */
struct gpu;
/* NULL: text says why. Loads the real runtime that the library needs. */
struct gpu *gpu_open(int library, char text[WIRE_TEXT_BYTES]);
/* Makes the driver open all that it will need, for no file can be opened any
 * more when the student's code runs. */
bool gpu_begin(struct gpu *, char text[WIRE_TEXT_BYTES]);
/* Calls with device buffers that stand for frame's; copies back what the
 * device left. false: the device failed, text says how. */
bool gpu_call(struct gpu *, trampoline *, void *function, struct frame *,
              const struct widths *, bool in_place, int64_t *status,
              char text[WIRE_TEXT_BYTES]);

/* Opens arrays that the judge's own process holds, for calls to come: timed
 * ones, whose outputs that process reads itself. */
bool gpu_share(struct gpu *, const struct wire_share *,
               char text[WIRE_TEXT_BYTES]);
bool gpu_is_shared(const struct gpu *);
bool gpu_call_shared(struct gpu *, trampoline *, void *function, struct frame *,
                     int64_t *status, char text[WIRE_TEXT_BYTES]);

/* ---- baselines.c ---- */
void *baseline_function(const char *symbol); /* NULL: none of that name */

/* ---- given.c ---- */
/* From now on the library's own calls of this function go to ours. false: it
 * makes none, or the compiler put them inline. */
bool given_begin(void *library, const char *symbol, enum wire_given);
