/* SPDX-License-Identifier: MIT
 *
 * protocol.c: the table of requests and the names of calls, from their lists.
 * Linked into both the client and the server.
 */
#include "protocol.h"

#include <errno.h>
#include <sched.h>
#include <time.h>

enum { SOON_NS = 40000 };

enum {
    ONEWAY = VGPU_REQUEST_ONEWAY,
    FLUSH = VGPU_REQUEST_FLUSH,
    ALWAYS = VGPU_REQUEST_ALWAYS
};

static const struct vgpu_request_row rows[] = {
#define X(name, request, more, reply, more_reply, flags, text)                 \
    {#name,      sizeof(struct vgpu_request_##name),                           \
     more,       sizeof(struct vgpu_reply_##name),                             \
     more_reply, flags},
#include "requests.def"
#undef X
};

static const char *const calls[] = {
#define X(name) #name,
#include "calls.def"
#undef X
#define X(name, version) #name,
#include "driver_calls.def"
#undef X
};

const struct vgpu_request_row *vgpu_request_find(unsigned request) {
    return request < VGPU_N_REQUESTS ? &rows[request] : NULL;
}

const char *vgpu_call_name(unsigned call) {
    return call < VGPU_N_CALLS ? calls[call] : NULL;
}

int64_t vgpu_now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

ssize_t vgpu_receive_soon(int fd, void *to, size_t bytes) {
    int64_t end = 0;
    for (;;) {
        ssize_t n = recv(fd, to, bytes, MSG_DONTWAIT);
        if (n >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return n;
        int64_t now = vgpu_now_ns();
        if (!end) end = now + SOON_NS;
        if (now >= end) {
            errno = EAGAIN;
            return -1;
        }
        sched_yield();
    }
}
