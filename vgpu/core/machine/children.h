/* SPDX-License-Identifier: MIT
 *
 * children.h: launches that kernels ask for (dynamic parallelism).
 *
 * How to read this: The room control executes a kernel's calls of the
 * device's runtime; the device (the room device) keeps the launches, with
 * their streams, and runs them when the grid has ended. A host's launch and all
 * launches that come of it are a *family*.
 */
#pragma once

#include "machine.h"

/* Numbers of CUDA's errors, as kernels see them. */
enum {
    CHILD_SUCCESS = 0,
    CHILD_INVALID_VALUE = 1,
    CHILD_NO_MEMORY = 2,
    CHILD_INVALID_CONFIGURATION = 9,
    CHILD_TOO_MANY_PENDING = 69,
    CHILD_INVALID_DEVICE = 101,
    CHILD_UNSUPPORTED_LIMIT = 215,
    CHILD_OUT_OF_RESOURCES = 701,
    CHILD_NOT_SUPPORTED = 801
};
/* Handles of the streams that are always there. */
enum {
    CHILD_STREAM_OF_BLOCK = 0,
    CHILD_STREAM_LEGACY = 1, /* the block's, too */
    CHILD_STREAM_OF_THREAD = 2,
    CHILD_STREAM_TAIL = 3,
    CHILD_STREAM_FORGET = 4
};

/* One of them. Its observers' slots: what they noted when it was asked for
 * (event `launches`), kept until the family ends. */
struct child {
    void *slots[OBSERVER_SLOTS];
    uint64_t first_block, end_block; /* its own numbers and its children's */
    struct child **after;            /* launches that have to be over */
    uint32_t n_after;
    struct child *parent; /* NULL: the host's launch */
    bool is_tail;
    bool is_first; /* of its grid's; or a tail launch */
};

/* Of a family. Its observers' slots: state that all its launches share. */
struct family {
    void *slots[OBSERVER_SLOTS];
    uint64_t n_blocks; /* of those that have begun */
};

/* Where a call stands. */
struct child_call {
    struct context *context;
    uint32_t lane;
    struct vgpu_message *why; /* of a refusal: what a finding says of it */
};

struct child_shape {
    uint64_t kernel; /* its address */
    uint32_t grid[3], block[3], dynamic;
};

/* What the device does for a kernel. Each answers with one of CUDA's errors;
 * user: machine.user. */
struct child_calls {
    /* Memory for the launch's arguments. */
    unsigned (*parameters)(void *user, const struct child_call *,
                           const struct child_shape *, uint64_t *address);
    unsigned (*launch)(void *user, const struct child_call *,
                       uint64_t parameters, uint64_t stream);
    unsigned (*stream_new)(void *user, uint64_t *stream);
    unsigned (*stream_drop)(void *user, uint64_t stream);
    unsigned (*event_new)(void *user, uint64_t *event);
    unsigned (*event_drop)(void *user, uint64_t event);
    unsigned (*record)(void *user, const struct child_call *, uint64_t event,
                       uint64_t stream);
    unsigned (*wait)(void *user, const struct child_call *, uint64_t stream,
                     uint64_t event);
    uint64_t (*limit)(void *user, uint32_t limit, unsigned *error);
    /* A text that kernels can read; 0: no memory. */
    uint64_t (*text)(void *user, const char *text);
};

/* Of a block whose threads call: their last errors; launches that were refused
 * and whose error nobody has asked for yet. */
enum { CHILD_REFUSED = 4 }; /* of a block that are reported: others are alike */
struct child_errors {
    uint32_t n_refused;
    struct child_refused {
        const struct insn *insn;
        uint32_t thread;
        struct vgpu_message why;
    } refused[CHILD_REFUSED];
    uint16_t of_thread[];
};
