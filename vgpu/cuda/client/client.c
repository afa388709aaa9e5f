/* SPDX-License-Identifier: MIT
 *
 * client.c: the channel from a CUDA program to the device. Read client_send:
 * one request out, one reply in, under one lock. The environment variable
 * VGPU_CHANNEL_FD names the socket; without it there is no device, and the
 * first call says so. It leaves out what calls mean; see client_memory.c and
 * its neighbours.
 */
#include "client.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SMALL_BYTES = 2048 }; /* of a request, sent at once */

static struct client {
    pthread_mutex_t lock;
    enum { NOT_TRIED, CONNECTED, NO_DEVICE, LOST, FORKED } state;
    int fd;
    bool runs_on; /* the last request's launch */
    int gpu;      /* that the device takes requests for */
    uint32_t sequence;
    struct vgpu_reply_HELLO device;
    char device_name[256];
} client = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

/* What cudaGetLastError answers; CUDA keeps one per host thread. */
static _Thread_local int last_error;
/* After a fault in a kernel the context is dead and every call says so. */
static _Atomic int sticky_error;

void client_lock(void) {
    pthread_mutex_lock(&client.lock);
}
void client_unlock(void) {
    pthread_mutex_unlock(&client.lock);
}

int client_begin(void) {
    client_lock();
    return client_connect();
}

int client_keep(int error) {
    if (error) last_error = error;
    if (error && error != sticky_error) client_failed(error);
    return error;
}

int client_end(int error) {
    client_unlock();
    return client_keep(error);
}

bool client_is_connected(void) {
    return client.state == CONNECTED;
}

const struct vgpu_reply_HELLO *client_device(void) {
    return &client.device;
}
const char *client_device_name(void) {
    return client.device_name;
}

void client_say(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int n = snprintf(line, sizeof line, "vgpu: ");
    vsnprintf(line + n, sizeof line - (size_t)n - 1, format, arguments);
    va_end(arguments);
    strcat(line, "\n");
    /* One write, past stdio: the line stays whole whatever others print. */
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
}

/* A child process shares the socket with its parent; two clients on it would
 * garble each other's messages. */
static void after_fork(void) {
    pthread_mutex_init(&client.lock, NULL);
    if (client.state == CONNECTED) client.state = FORKED;
}

/* The other side is to know, too, whatever went wrong here. */
static bool lost(void) {
    if (client.state == CONNECTED) {
        client_say("the virtual GPU ended the conversation");
        shutdown(client.fd, SHUT_RDWR);
    }
    client.state = LOST;
    return false;
}

/* A pointer of the program is not readable. A real runtime would die reading
 * it; so does this, with the true fault address. */
static void touch(const volatile char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) (void)bytes[i];
}

static bool write_bytes(const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t sent = send(client.fd, bytes, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EFAULT) touch(bytes, n);
        if (sent < 0) return lost();
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

/* Small parts go together. Not by sendmsg: it can hand descriptors on, so a
 * sandbox around the program may forbid it. */
static bool write_all(const struct iovec *parts, size_t n_parts) {
    char small[SMALL_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < n_parts; i++) {
        if (parts[i].iov_len > sizeof small - used) {
            if (!write_bytes(small, used)) return false;
            used = 0;
        }
        if (parts[i].iov_len > sizeof small) {
            if (!write_bytes(parts[i].iov_base, parts[i].iov_len)) return false;
        } else if (parts[i].iov_len) {
            memcpy(small + used, parts[i].iov_base, parts[i].iov_len);
            used += parts[i].iov_len;
        }
    }
    return write_bytes(small, used);
}

static bool client_read_all(void *to, size_t bytes) {
    char *at = to;
    while (bytes > 0) {
        ssize_t n = vgpu_receive_soon(client.fd, at, bytes);
        if (n < 0 && errno == EAGAIN)
            n = recv(client.fd, at, bytes, MSG_WAITALL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EFAULT) *(volatile char *)at = 0; /* as above */
        if (n <= 0) return lost();
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Header and fixed part come in one read; a tail, which is rare, in another. */
static bool read_reply(const struct vgpu_request_row *row,
                       struct client_call *call,
                       struct vgpu_reply_header *header) {
    _Alignas(16) char bytes[sizeof *header + sizeof(union vgpu_any_reply)];
    if (!client_read_all(bytes, sizeof *header + row->reply_bytes))
        return false;
    memcpy(header, bytes, sizeof *header);
    size_t payload = header->header.payload_bytes;
    if (header->header.sequence != client.sequence ||
        payload < row->reply_bytes ||
        payload - row->reply_bytes > call->reply_tail_capacity)
        return lost();
    if (call->reply)
        memcpy(call->reply, bytes + sizeof *header, row->reply_bytes);
    call->reply_tail_bytes = payload - row->reply_bytes;
    return client_read_all(call->reply_tail, call->reply_tail_bytes);
}

static bool exchange(struct client_call *call,
                     struct vgpu_reply_header *reply) {
    const struct vgpu_request_row *row = vgpu_request_find(call->request);
    struct vgpu_header header = {
        .magic = VGPU_MAGIC,
        .version = VGPU_PROTOCOL_VERSION,
        .request = (uint16_t)call->request,
        .sequence = ++client.sequence,
        .payload_bytes = (uint32_t)(row->request_bytes + call->tail_bytes)};
    struct iovec parts[] = {
        {&header, sizeof header},
        {(void *)(uintptr_t)call->fixed, row->request_bytes},
        {(void *)(uintptr_t)call->tail, call->tail_bytes}};
    memset(reply, 0, sizeof *reply);
    if (!write_all(parts, call->tail_bytes ? 3 : 2)) return false;
    if (row->flags & VGPU_REQUEST_ONEWAY) return true;
    return read_reply(row, call, reply);
}

/* Device printf text goes to stdout at the points where CUDA shows it. */
static bool show_output(void) {
    static char text[VGPU_CHUNK]; /* guarded by the lock */
    struct vgpu_request_OUTPUT none = {0};
    struct client_call call = {.request = VGPU_REQUEST_OUTPUT,
                               .fixed = &none,
                               .reply_tail = text,
                               .reply_tail_capacity = sizeof text};
    do {
        struct vgpu_reply_header reply;
        if (!exchange(&call, &reply)) return false;
        fwrite(text, 1, call.reply_tail_bytes, stdout);
    } while (call.reply_tail_bytes == sizeof text);
    fflush(stdout);
    return true;
}

static int no_device(const char *why) {
    client.state = NO_DEVICE;
    client_say("no virtual GPU: %s", why);
    return cudaErrorNoDevice;
}

static int say_hello(void) {
    struct vgpu_request_HELLO hello = {.fd = (uint32_t)client.fd};
    struct vgpu_reply_header reply;
    struct client_call call = {.request = VGPU_REQUEST_HELLO,
                               .fixed = &hello,
                               .reply = &client.device,
                               .reply_tail = client.device_name,
                               .reply_tail_capacity =
                                   sizeof client.device_name - 1};
    client.state = CONNECTED;
    if (!exchange(&call, &reply)) return cudaErrorNoDevice;
    client.device_name[call.reply_tail_bytes] = 0;
    return cudaSuccess;
}

static int connect_first(void) {
    const char *text = getenv(VGPU_CHANNEL_VARIABLE);
    char *end;
    if (!text || !*text)
        return no_device("start this program as `vgpu ./program`");
    long fd = strtol(text, &end, 10);
    int type = 0;
    socklen_t bytes = sizeof type;
    if (*end || fd < 0 || fd > 1 << 20 ||
        getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &bytes) != 0 ||
        type != SOCK_STREAM)
        return no_device(VGPU_CHANNEL_VARIABLE
                         " does not name an open socket (was it closed?)");
    client.fd = (int)fd;
    /* Programs that this one starts have no business on the channel. */
    fcntl(client.fd, F_SETFD, FD_CLOEXEC);
    pthread_atfork(NULL, NULL, after_fork);
    int error = say_hello();
    if (!error) client_fault_install(client.fd);
    return error;
}

int client_connect(void) {
    switch (client.state) {
    case CONNECTED: return cudaSuccess;
    case NOT_TRIED: return connect_first();
    case NO_DEVICE: return cudaErrorNoDevice;
    case FORKED:
        client_say("a child process cannot use its parent's virtual GPU");
        client.state = LOST;
        return cudaErrorInitializationError;
    case LOST: break;
    }
    return cudaErrorDevicesUnavailable;
}

/* A host access that was let through is reported before anything else. */
static bool tell_fault(void) {
    struct vgpu_request_FAULT fault;
    struct vgpu_reply_header none;
    struct vgpu_request_ORDER used;
    while (client_watch_pending(&used)) {
        struct client_call say = {.request = VGPU_REQUEST_ORDER,
                                  .fixed = &used};
        if (!exchange(&say, &none)) return false;
    }
    if (!client_mapped_pending(&fault)) return true;
    struct client_call call = {.request = VGPU_REQUEST_FAULT, .fixed = &fault};
    return exchange(&call, &none);
}

/* The program's last access may come after its last call. */
__attribute__((destructor)) static void at_end(void) {
    client_lock();
    if (client.state == CONNECTED) tell_fault();
    client_unlock();
}

static bool tell_callers(void) {
    struct vgpu_request_CALLERS request = {0};
    struct client_call call = {.request = VGPU_REQUEST_CALLERS,
                               .fixed = &request};
    struct vgpu_reply_header none;
    client_callers(request.at, VGPU_LAUNCHERS_MAX);
    return exchange(&call, &none);
}

/* The device hears when requests are for another GPU than those before. */
static bool tell_gpu(void) {
    struct vgpu_request_GPU request = {.gpu = (uint32_t)client_gpu()};
    struct client_call call = {.request = VGPU_REQUEST_GPU, .fixed = &request};
    struct vgpu_reply_header none;
    if (client.gpu == client_gpu()) return true;
    client.gpu = client_gpu();
    return exchange(&call, &none);
}

static int send_once(struct client_call *call) {
    struct vgpu_reply_header reply;
    int error = client_connect();
    if (error) return error;
    if (!tell_gpu()) return cudaErrorDevicesUnavailable;
    if (vgpu_request_find(call->request)->flags & VGPU_REQUEST_FLUSH)
        client_mapped_open();
    if (!tell_fault() || !exchange(call, &reply))
        return cudaErrorDevicesUnavailable;
    if (call->request == VGPU_REQUEST_LAUNCH && !reply.error)
        client_mapped_close();
    if (reply.has_output && !show_output()) return cudaErrorDevicesUnavailable;
    client.runs_on = reply.runs_on;
    if (reply.is_sticky) sticky_error = reply.error;
    if (reply.wants_callers && !tell_callers())
        return cudaErrorDevicesUnavailable;
    return reply.error;
}

int client_send(struct client_call *call) {
    int error = send_once(call);
    for (int tries = 0; error == cudaErrorNotReady && client_n_gpus() > 1;
         tries++) {
        client_gpus_wait(tries);
        error = send_once(call);
    }
    return error;
}

bool client_took_launch_on(void) {
    return client.runs_on;
}

int client_ask(vgpu_request request, const void *fixed, void *reply) {
    struct client_call call = {
        .request = request, .fixed = fixed, .reply = reply};
    return client_send(&call);
}

int client_sync(void) {
    struct vgpu_request_SYNC none = {0};
    return client_ask(VGPU_REQUEST_SYNC, &none, NULL);
}

int client_misuse_kind(vgpu_misuse misuse, vgpu_call call, uint64_t address,
                       int kind, int error) {
    struct vgpu_request_MISUSE request = {.misuse = misuse,
                                          .call = call,
                                          .address = address,
                                          .kind = (uint32_t)kind};
    /* After a fault every call only says that there was one. */
    int failure = client_sync();
    if (!failure) failure = client_ask(VGPU_REQUEST_MISUSE, &request, NULL);
    return failure ? failure : error;
}

int client_misuse(vgpu_misuse misuse, vgpu_call call, uint64_t address,
                  int error) {
    return client_misuse_kind(misuse, call, address, 0, error);
}

CUDA_API int cudaGetLastError(void) {
    int error = sticky_error ? sticky_error : last_error;
    last_error = cudaSuccess;
    return error;
}

CUDA_API int cudaPeekAtLastError(void) {
    return sticky_error ? sticky_error : last_error;
}
