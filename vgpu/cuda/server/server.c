/* SPDX-License-Identifier: MIT
 *
 * server.c: a session from the first byte to the last: frames come in, go
 * through the handler of their row, replies go out. Read vgpu_session_step
 * first, then serve_buffered. What the requests mean is in server_memory.c and
 * server_modules.c.
 *
 * Hazards met here: a client that writes rubbish (magic and table), half a
 * message (never waited for), sends without reading replies (bounded wait),
 * floods (bounded reads per step), or dies.
 */
#include "server.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
    READS_PER_STEP = 64,      /* then the caller gets its turn again */
    WRITE_PATIENCE_MS = 3000, /* all waiting for a slow reader in one step */
    ASK_MS =
        20, /* as often between requests: thousands may have come at once */
};

typedef int server_handler(struct vgpu_session *, struct server_call *);

static server_handler *const handlers[VGPU_N_REQUESTS] = {
#define X(name, request, more, reply, more_reply, flags, text) server_##name,
#include "requests.def"
#undef X
};

/* Requests that their row answers. */
#define X(...)
#define ASK(name, asks, says, flags, text, ...)                                \
    int server_##name(struct vgpu_session *session,                            \
                      struct server_call *call) {                              \
        __attribute__((unused)) vgpu_device *device = session->device;         \
        __attribute__((unused)) const struct vgpu_request_##name *request =    \
            &call->request.name;                                               \
        __attribute__((unused)) struct vgpu_reply_##name *reply =              \
            &call->reply.name;                                                 \
        __VA_ARGS__                                                            \
    }
#include "requests.def"
#undef X
#undef ASK

/* The first bytes of the buffer, printable, so that a program's author
 * recognises the text that went astray. */
static void quote_input(const struct vgpu_session *session, char *to,
                        size_t capacity) {
    size_t n =
        session->in_used < capacity - 1 ? session->in_used : capacity - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = session->in[i];
        to[i] = (char)(c >= ' ' && c < 127 && c != '"' ? c : '.');
    }
    to[n] = 0;
}

void server_violation(struct vgpu_session *session, const char *why) {
    char start[25];
    struct vgpu_message to, m;
    if (session->is_broken) return;
    session->is_broken = true;
    quote_input(session, start, sizeof start);
    if (session->client_fd)
        VGPU_SAY(&to, DESCRIPTOR, .number = session->client_fd);
    else
        VGPU_SAY_PLAIN(&to, DESCRIPTOR_OF_DEVICE);
    VGPU_SAY(&m, CHANNEL, .to = &to, .why = why, .start = start);
    vgpu_report(session->device, VGPU_FINDING_PROTOCOL, &m);
}

/* Waits until the client takes more, within the patience of this step. */
static bool wait_writable(struct vgpu_session *session) {
    int64_t left_ms = (session->write_deadline_ns - vgpu_now_ns()) / 1000000;
    struct pollfd wait = {.fd = session->fd, .events = POLLOUT};
    if (left_ms <= 0) return false;
    return poll(&wait, 1, (int)left_ms) > 0;
}

/* Whether something is left to send after so many bytes. */
static bool has_more(struct msghdr *message, size_t sent) {
    while (message->msg_iovlen > 0 && sent >= message->msg_iov->iov_len) {
        sent -= message->msg_iov->iov_len;
        message->msg_iov++;
        message->msg_iovlen--;
    }
    if (message->msg_iovlen == 0) return false;
    message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
    message->msg_iov->iov_len -= sent;
    return true;
}

/* False: the client is gone or does not read. */
static bool send_all(struct vgpu_session *session, struct iovec *parts,
                     size_t n_parts) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = n_parts};
    for (;;) {
        ssize_t n = sendmsg(session->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            if (wait_writable(session)) continue;
            server_violation(session, "it does not read its replies");
            return false;
        }
        if (n < 0) return false;
        if (!has_more(&message, (size_t)n)) return true;
    }
}

static bool send_reply(struct vgpu_session *session,
                       const struct vgpu_header *request,
                       const struct vgpu_request_row *row, int error,
                       struct server_call *call) {
    struct vgpu_reply_header reply = {.header = *request, .error = error};
    reply.header.payload_bytes =
        (uint32_t)(row->reply_bytes + call->reply_tail_bytes);
    reply.is_sticky = error != 0 && error == session->sticky_error;
    reply.runs_on = session->answer.is_sent;
    reply.wants_callers =
        !reply.runs_on &&
        server_wants_callers(session, session->n_findings_before);
    if (row->flags & VGPU_REQUEST_FLUSH)
        reply.has_output = vgpu_output_bytes(session->device) > 0;
    struct iovec parts[] = {
        {&reply, sizeof reply},
        {&call->reply, row->reply_bytes},
        {session->out, call->reply_tail_bytes},
    };
    return send_all(session, parts, call->reply_tail_bytes ? 3 : 2);
}

/* vgpu_fail_call: the error that the call answers with; 0: it is not to fail.
 */
static int made_to_fail(struct vgpu_session *session, uint32_t request,
                        const struct server_call *call) {
    static const struct fallible {
        const char *call;
        int error;
        bool has_other_way;
    } calls[VGPU_N_REQUESTS] = {
        [VGPU_REQUEST_MALLOC] = {"cudaMalloc", CUDA_OUT_OF_MEMORY, true},
        [VGPU_REQUEST_LAUNCH] = {"the launch", CUDA_OUT_OF_RESOURCES, true},
        [VGPU_REQUEST_FILL] = {"cudaMemset", CUDA_INVALID_VALUE, false},
        [VGPU_REQUEST_COPY] = {"cudaMemcpy", CUDA_INVALID_VALUE, false},
        [VGPU_REQUEST_WRITE] = {"cudaMemcpy", CUDA_INVALID_VALUE, false},
        [VGPU_REQUEST_READ] = {"cudaMemcpy", CUDA_INVALID_VALUE, false}};
    const struct fallible *f = &calls[request];
    const char *own =
        request == VGPU_REQUEST_FILL   ? vgpu_call_name(call->request.FILL.call)
        : request == VGPU_REQUEST_READ ? vgpu_call_name(call->request.READ.call)
                                       : NULL;
    bool fails =
        f->call &&
        vgpu_fails_call(session->device, own ? own : f->call, f->has_other_way);
    session->was_failed =
        fails || (f->call && vgpu_lists_calls(session->device));
    return fails ? f->error : 0;
}

int server_do(struct vgpu_session *session, uint32_t request,
              struct server_call *call) {
    return handlers[request](session, call);
}

/* A kernel waits for a word that the host may still write. Its launch has its
 * answer, as on a GPU, and the host goes on until it asks for something else:
 * then it waits as well. What it wrote before that counts. */
static bool host_may_move(void *user) {
    struct vgpu_session *session = user;
    struct server_answer *answer = &session->answer;
    struct pollfd wait = {.fd = session->fd, .events = POLLIN};
    if (!answer->header || answer->has_asked) return false;
    if (!answer->is_sent) {
        const struct vgpu_request_row *row =
            vgpu_request_find(answer->header->request);
        answer->is_sent = true;
        if (!send_reply(session, answer->header, row, 0, answer->call))
            return false;
    }
    answer->has_asked = poll(&wait, 1, 1) > 0;
    return true;
}

static bool is_late(struct vgpu_session *session, int64_t now_ns) {
    if (now_ns - session->asked_ns < ASK_MS * 1000000ll) return false;
    session->asked_ns = now_ns;
    return vgpu_time_is_over(session->device);
}

/* Serves one whole request. False: the session is over. */
static bool serve(struct vgpu_session *session,
                  const struct vgpu_header *header,
                  const struct vgpu_request_row *row,
                  const unsigned char *payload) {
    struct server_call call;
    memset(&call.reply, 0, sizeof call.reply);
    memcpy(&call.request, payload, row->request_bytes);
    call.tail = payload + row->request_bytes;
    call.tail_bytes = header->payload_bytes - row->request_bytes;
    call.reply_tail_bytes = 0;
    int error = session->sticky_error, failure = 0;
    if (header->request == VGPU_REQUEST_FAILED) {
        /* It is about the call before it, whose findings are still counted. */
    } else if (header->request != VGPU_REQUEST_CALLERS) {
        session->n_findings_then = server_n_findings(session);
        session->n_findings_before = server_n_findings(session);
        session->was_refused = session->was_part = session->was_failed =
            session->was_launched = session->was_copied = false;
        session->was_allocated = session->was_freed = 0;
        failure = error ? 0 : made_to_fail(session, header->request, &call);
    }
    if (failure) {
        error = failure;
    } else if (!error || (row->flags & VGPU_REQUEST_ALWAYS)) {
        /* A launch may take long: that is not the client being slow. */
        int64_t began_ns = vgpu_now_ns();
        /* What a program tells of itself is short, and must not be lost when
         * its time is over because it has ended. */
        if (!(row->flags & VGPU_REQUEST_ONEWAY) && is_late(session, began_ns))
            return false;
        /* While WATCH is answered, late operations may be done. */
        bool may_run = header->request == VGPU_REQUEST_LAUNCH ||
                       header->request == VGPU_REQUEST_WATCH;
        session->answer = (struct server_answer){may_run ? header : NULL, &call,
                                                 false, false};
        bool waits =
            session->queue.is_stuck && header->request == VGPU_REQUEST_SYNC;
        if (!(row->flags & VGPU_REQUEST_ONEWAY))
            session->queue.is_stuck = waits;
        error = server_queue_takes(session, header->request, &call) ? 0
                : session->queue.is_stuck
                    ? CUDA_NOT_READY
                    : server_do(session, header->request, &call);
        if (!(row->flags & VGPU_REQUEST_ONEWAY))
            session->queue.nobody_comes = session->queue.is_stuck = false;
        session->answer.header = NULL;
        session->write_deadline_ns += vgpu_now_ns() - began_ns;
    }
    session->was_short |= !failure && error == CUDA_OUT_OF_MEMORY;
    if (session->is_broken) return false;
    if (row->flags & VGPU_REQUEST_ONEWAY) return true;
    if (session->answer.is_sent) {
        session->answer.is_sent = false;
        server_order_ran_on(session);
        return true;
    }
    return send_reply(session, header, row, error, &call);
}

/* The row of a header whose every field is in range, or NULL. */
static const struct vgpu_request_row *
check_header(struct vgpu_session *session, const struct vgpu_header *header) {
    const struct vgpu_request_row *row = vgpu_request_find(header->request);
    if (header->magic != VGPU_MAGIC)
        server_violation(session, "no request begins like this");
    else if (header->version != VGPU_PROTOCOL_VERSION)
        server_violation(session, "another version of the protocol");
    else if (!row)
        server_violation(session, "no such request");
    else if (header->payload_bytes < row->request_bytes ||
             header->payload_bytes - row->request_bytes > row->request_tail)
        server_violation(session, "impossible length");
    else
        return row;
    return NULL;
}

/* Rubbish shorter than a header must not look like a request to wait for. */
static void check_prefix(struct vgpu_session *session) {
    const uint32_t magic = VGPU_MAGIC;
    size_t n =
        session->in_used < sizeof magic ? session->in_used : sizeof magic;
    if (memcmp(session->in, &magic, n) != 0)
        server_violation(session, "no request begins like this");
}

/* Serves every whole request in the buffer. False: the session is over. */
static bool serve_buffered(struct vgpu_session *session) {
    size_t at = 0;
    bool goes_on = true;
    while (goes_on && session->in_used - at >= sizeof(struct vgpu_header)) {
        struct vgpu_header header;
        memcpy(&header, session->in + at, sizeof header);
        const struct vgpu_request_row *row = check_header(session, &header);
        if (!row) return false;
        size_t bytes = sizeof header + header.payload_bytes;
        if (session->in_used - at < bytes) break;
        goes_on =
            serve(session, &header, row, session->in + at + sizeof header);
        at += bytes;
    }
    session->in_used -= at;
    if (at) memmove(session->in, session->in + at, session->in_used);
    check_prefix(session);
    return goes_on && !session->is_broken;
}

vgpu_session *vgpu_session_new(vgpu_device *device, int fd) {
    struct vgpu_session *session = malloc(sizeof *session);
    if (!session) return NULL;
    /* Not `in`, which is twice as large as all else. */
    memset(session, 0, offsetof(struct vgpu_session, in));
    memset(session->out, 0, sizeof session->out);
    session->device = device;
    session->fd = fd;
    session->asked_ns = vgpu_now_ns();
    server_order_begin(session);
    server_queue_begin(session);
    vgpu_host_moves(device, host_may_move, session);
    return session;
}

int vgpu_session_step(vgpu_session *session) {
    if (session->is_broken) return -1;
    session->write_deadline_ns = vgpu_now_ns() + WRITE_PATIENCE_MS * 1000000ll;
    for (int i = 0; i < READS_PER_STEP; i++) {
        /* Room is left: a whole request never stays in the buffer. */
        size_t room = sizeof session->in - session->in_used;
        unsigned char *to = session->in + session->in_used;
        ssize_t n = i ? vgpu_receive_soon(session->fd, to, room)
                      : recv(session->fd, to, room, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 1;
        if (n <= 0) return 0; /* closed, or reset: the program is gone */
        session->in_used += (size_t)n;
        if (!serve_buffered(session)) return session->is_broken ? -1 : 0;
    }
    return 1;
}

bool vgpu_session_was_short(const vgpu_session *session) {
    return session->was_short;
}

void vgpu_session_free(vgpu_session *session) {
    if (!session) return;
    server_queue_all(session);
    vgpu_host_moves(session->device, NULL, NULL);
    server_release_all(session);
    server_order_end(session);
    free(session->images);
    free(session->kernels);
    free(session);
}

void vgpu_session_serves_several(vgpu_session *session) {
    session->several = true;
}

/* Another program says hello where one before it had a fault: what that one had
 * is gone with it. */
static void begin_anew(struct vgpu_session *session) {
    unsigned current = vgpu_gpu(session->device);
    session->sticky_error = 0;
    vgpu_forget_fault(session->device);
    for (unsigned gpu = 0; gpu < vgpu_n_gpus(session->device); gpu++)
        if (vgpu_set_gpu(session->device, gpu))
            server_release_gpu(session, gpu);
    vgpu_set_gpu(session->device, current);
}

int server_HELLO(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_profile *p = vgpu_device_profile(session->device);
    if (session->several && session->sticky_error) begin_anew(session);
    session->client_fd = call->request.HELLO.fd;
    call->reply.HELLO = (struct vgpu_reply_HELLO){
        .capability = p->capability,
        .sms = p->sms,
        .warps_per_sm = p->warps_per_sm,
        .blocks_per_sm = p->blocks_per_sm,
        .registers_per_sm = p->registers_per_sm,
        .smem_per_sm = p->smem_per_sm,
        .smem_per_block = p->smem_per_block,
        .smem_per_block_optin = p->smem_per_block_optin,
        .memory_mib = p->memory_mib,
        .has_clock = vgpu_has_clock(session->device),
        .wants_order = session->order.order != NULL,
        .is_async = session->queue.async != VGPU_ASYNC_IN_ORDER ||
                    session->queue.has_gpus,
        .n_gpus = (int32_t)vgpu_n_gpus(session->device)};
    int n = snprintf((char *)session->out, VGPU_NAME_MAX,
                     "ScanLab virtual GPU (%s)", p->name);
    call->reply_tail_bytes = n > 0 ? (size_t)n : 0;
    return 0;
}
