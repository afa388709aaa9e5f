/* SPDX-License-Identifier: MIT
 *
 * protocol.c: the table of requests and the names of calls, from their lists.
 * Linked into both the client and the server.
 */
#include "protocol.h"

enum {
    ONEWAY = VGPU_REQUEST_ONEWAY,
    FLUSH = VGPU_REQUEST_FLUSH,
    ALWAYS = VGPU_REQUEST_ALWAYS
};

static const struct vgpu_request_row rows[] = {
#define X(name, in, out, flags, text)                                          \
    {#name, sizeof(struct vgpu_request_##name),                                \
     in,    sizeof(struct vgpu_reply_##name),                                  \
     out,   flags},
#include "requests.def"
#undef X
};

static const char *const calls[] = {
#define X(name, state) #name,
#include "calls.def"
#undef X
};

const struct vgpu_request_row *vgpu_request_find(unsigned request) {
    return request < VGPU_N_REQUESTS ? &rows[request] : NULL;
}

const char *vgpu_call_name(unsigned call) {
    return call < VGPU_N_CALLS ? calls[call] : NULL;
}
