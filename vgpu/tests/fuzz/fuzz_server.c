/* SPDX-License-Identifier: MIT
 *
 * fuzz_server.c: a hostile program on the device's channel, with a real device
 * behind it. The input is a list of records:
 *   request (1 byte), flags (1 byte), bytes (2 bytes, little-endian), content
 * A record becomes a request of that number; what the content lacks of the
 * fixed part is zero. Flags:
 *   1  the content is sent as it is, without a header
 *   2  the header claims 4 bytes more than come
 *   4  the replies are not read
 *   8  only half of it comes
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "protocol.h"
#include "vgpu.h"

enum { RAW = 1, LONGER = 2, DEAF = 4, HALF = 8, RECORD_HEAD = 4 };
enum { MOST_RECORDS = 64, SEND_BUFFER = 8 << 20 };

struct channel {
    vgpu_session *session;
    int client;
};

static void read_replies(int fd) {
    static char sink[1 << 16];
    while (recv(fd, sink, sizeof sink, MSG_DONTWAIT) > 0) {
    }
}

/* false: the session is over. */
static bool step(struct channel *c, const void *bytes, size_t n, bool deaf) {
    const char *at = bytes;
    while (n > 0) {
        ssize_t sent = send(c->client, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) at += sent, n -= (size_t)sent;
        if (vgpu_session_step(c->session) <= 0) return false;
        if (!deaf) read_replies(c->client);
    }
    return true;
}

static bool send_record(struct channel *c, const uint8_t *head,
                        const uint8_t *content, size_t bytes) {
    static unsigned char message[1 << 17];
    unsigned request = head[0], flags = head[1];
    const struct vgpu_request_row *row = vgpu_request_find(request);
    size_t fixed = row ? row->request_bytes : 0;
    if (flags & RAW) return step(c, content, bytes, flags & DEAF);
    size_t payload = bytes > fixed ? bytes : fixed;
    struct vgpu_header header = {.magic = VGPU_MAGIC,
                                 .version = VGPU_PROTOCOL_VERSION,
                                 .request = (uint16_t)request,
                                 .sequence = 1,
                                 .payload_bytes = (uint32_t)payload +
                                                  (flags & LONGER ? 4 : 0)};
    memset(message, 0, sizeof header + payload);
    memcpy(message, &header, sizeof header);
    memcpy(message + sizeof header, content, bytes);
    size_t all = sizeof header + payload;
    return step(c, message, flags & HALF ? all / 2 : all, flags & DEAF);
}

static void play(struct channel *c, const uint8_t *data, size_t bytes) {
    for (int i = 0; i < MOST_RECORDS && bytes >= RECORD_HEAD; i++) {
        size_t n = data[2] | (size_t)data[3] << 8;
        if (n > bytes - RECORD_HEAD) n = bytes - RECORD_HEAD;
        if (!send_record(c, data, data + RECORD_HEAD, n)) return;
        data += RECORD_HEAD + n;
        bytes -= RECORD_HEAD + n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    const struct vgpu_options options = {.checks = VGPU_CHECK_ALL,
                                         .instruction_budget = 3000,
                                         .memory_limit_bytes = 8 << 20};
    const struct vgpu_finding *findings;
    int ends[2], room = SEND_BUFFER;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
    setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    vgpu_device *device = vgpu_open(&options, NULL);
    if (!device) abort();
    struct channel c = {vgpu_session_new(device, ends[1]), ends[0]};
    if (!c.session) abort();
    play(&c, data, bytes);
    close(ends[0]); /* sudden death */
    for (int i = 0; i < 4 && vgpu_session_step(c.session) > 0; i++) {
    }
    vgpu_session_free(c.session);
    vgpu_check_leaks(device);
    if (vgpu_findings(device, &findings) > 4096) abort(); /* a flood of words */
    vgpu_close(device);
    close(ends[1]);
    return 0;
}
