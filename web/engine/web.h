/* SPDX-License-Identifier: MIT
 *
 * web.h: the virtual GPU as functions that JavaScript can call: arguments are
 * numbers and texts, answers are numbers and JSON. web/js/device.js is its one
 * caller in a page; web/tests/native.c calls the same where it is compiled for
 * this machine.
 *
 * How to read this: a *web* is a device with its modules and kernels, which are
 * numbered from 0. Addresses and sizes are doubles, which hold every one of
 * them exactly. A function that can fail returns a vgpu_status, and web_failed
 * the words for it. Texts belong to the web and last until its next call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vgpu.h"

#ifdef __EMSCRIPTEN__
#include <emscripten.h>
#define WEB_CALL EMSCRIPTEN_KEEPALIVE
#else
#define WEB_CALL
#endif

/* What a page can ask of the machine that shows it: it has one array of 2 GiB
 * at most. */
#define WEB_MEMORY_BYTES (1ull << 30)               /* of the device */
#define WEB_HELD_BYTES   (WEB_MEMORY_BYTES / 2 * 3) /* in all */
enum { WEB_RACE_MIB = 64 };

struct web {
    struct vgpu_options options;
    char *texts[8]; /* that options point to */
    unsigned n_texts;
    vgpu_device *device; /* NULL: not open */
    vgpu_module **modules;
    vgpu_kernel **kernels;
    unsigned n_modules, n_kernels;
    const char *refused;    /* why, where the device was not asked */
    double address;         /* of the last web_malloc */
    char failed[VGPU_TEXT]; /* words for the last failure */
    char *said;             /* the last web_say */
    size_t said_bytes;
    char *printed; /* by kernels, since the last web_say of it */
    size_t printed_bytes;
};

/* ---- a device ---- */
WEB_CALL struct web *web_new(void); /* NULL: no memory */
/* One of the options of web_options.def, before web_open. 0; or 1: there is
 * none of that name, or the value is none of its. */
WEB_CALL int web_set(struct web *, const char *name, const char *value);
WEB_CALL int web_open(struct web *);
WEB_CALL void web_close(struct web *);
WEB_CALL const char *web_failed(struct web *, int status);

/* ---- modules, memory, launches ---- */
/* The number of the module, of the kernel; below 0: -status. */
WEB_CALL int web_load(struct web *, const char *ptx, size_t bytes);
WEB_CALL int web_kernel(struct web *, int module, const char *name);
WEB_CALL int web_malloc(struct web *, double bytes); /* see web_address */
WEB_CALL double web_address(const struct web *);
WEB_CALL int web_free(struct web *, double address);
WEB_CALL int web_write(struct web *, double to, const void *from, size_t bytes);
WEB_CALL int web_read(struct web *, void *to, double from, size_t bytes);
WEB_CALL int web_fill(struct web *, double to, int byte, double bytes);
/* element: bytes of each; 0: not known. */
WEB_CALL int web_name(struct web *, double address, const char *name,
                      unsigned element);
/* What else a program's host code and a judge ask (vgpu_asked.h). first: of
 * element 0. */
WEB_CALL int web_copy(struct web *, double to, double from, double bytes);
WEB_CALL int web_unwritten(struct web *, double address, double bytes);
WEB_CALL int web_own(struct web *, double address);
WEB_CALL int web_protect(struct web *, double address, int read_only);
WEB_CALL int web_name_elements(struct web *, double address, const char *name,
                               double first, unsigned element);
WEB_CALL int web_dynamic(struct web *, int kernel, double bytes);
WEB_CALL int web_launch_cooperative(struct web *, int kernel,
                                    const uint32_t size[6],
                                    double dynamic_smem_bytes,
                                    const void *params, size_t param_bytes);
WEB_CALL int web_launch(struct web *, int kernel, const uint32_t size[6],
                        double dynamic_smem_bytes, const void *params,
                        size_t param_bytes);

/* ---- what was seen ---- */
/* JSON: "counts", "findings", ...: the rows of web_says.def; NULL: there is no
 * such row, or no memory. */
WEB_CALL const char *web_say(struct web *, const char *what);
/* The same of a kernel: its parameters and what it needs. */
WEB_CALL const char *web_say_kernel(struct web *, int kernel);

/* ---- inside the room ---- */
void web_text(FILE *, const char *text); /* a JSON string, or null */
void web_place(FILE *, const char *file, uint32_t line);
#define X(name, function) void function(FILE *, struct web *);
#include "web_says.def"
#undef X
