/* SPDX-License-Identifier: MIT
 *
 * runnable.h: a failed check as a page runs it again (web/page/report.js): the
 * submission's PTX, and for a few sizes what its host code asked the virtual
 * GPU, with the right answer. A page cannot run host code; it asks its own
 * virtual GPU the same, in whatever schedule.
 */
#pragma once

#include <vgpu.h>
#include <vgpu_asked.h>

#include "signature.h"

enum { RUNNABLE_SIZES = 12 };

struct runnable_case {
    size_t n;
    struct vgpu_asked_list asked; /* a copy; without the image */
    int32_t *expected;            /* words, as in signature.h */
    size_t n_expected;            /* elements */
};

struct runnable {
    int signature;
    char *profile;  /* of the virtual GPU */
    char *contents; /* as vgpu_parse_contents reads it */
    char *ptx;      /* without names of folders */
    unsigned checks;
    size_t n; /* of the case that failed, or one near it */
    struct runnable_case cases[RUNNABLE_SIZES];
    size_t n_cases;
};

/* A copy of what a device was asked. false: no memory, or it is cut. */
bool runnable_copy(struct vgpu_asked_list *to, const struct vgpu_asked_list *);
/* The text of an image that has one PTX, whose names of folders are taken away;
 * NULL: it has not, or no memory. */
char *runnable_ptx(const void *image, size_t bytes);
/* The same without the kernels that are not wanted; to be freed. */
char *runnable_ptx_of(const char *ptx,
                      bool (*is_wanted)(void *user, const char *kernel),
                      void *user);
void runnable_free(struct runnable *);
