/* SPDX-License-Identifier: MIT
 *
 * vgpu_asked.h: what a device was asked, in order: memory, copies, launches. A
 * device that is opened with the same options and is asked the same again gives
 * the same addresses and does the same, also in another schedule: so a page can
 * run a program's kernels without the program (web/js/device.js).
 *
 * Recorded is what succeeded, and launches that began. is_cut: something is
 * missing: there was no room, or it was asked for what cannot be recorded
 * (memory that the host sees, too; several GPUs).
 */
#pragma once

#include <vgpu.h>

enum vgpu_asked_kind {
#define X(name, word, fields) VGPU_ASKED_##name,
#include "vgpu_asked.def"
#undef X
    VGPU_N_ASKED
};

struct vgpu_asked {
    enum vgpu_asked_kind kind;
    uint64_t at, from, bytes;
    uint32_t value, module;
    uint32_t size[6];          /* grid, block */
    const char *name;          /* NULL: none */
    const unsigned char *data; /* NULL: none */
    size_t data_bytes;
};

struct vgpu_asked_list {
    const struct vgpu_asked *list;
    size_t n;
    bool is_cut;
};

const char *vgpu_asked_word(enum vgpu_asked_kind); /* "malloc" */
/* So far, of a device with options.asked_bytes; it belongs to the device.
 * false: nothing is recorded. */
bool vgpu_asked_so_far(const vgpu_device *, struct vgpu_asked_list *);
