/* SPDX-License-Identifier: MIT
 *
 * channel.h: the device's channel from the inside of a hostile submission,
 * without the runtime library: requests as vgpu/cuda/protocol/protocol.h
 * says.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { /* rows of requests.def, by number */
       IMAGE_BEGIN = 1,
       IMAGE_DATA,
       IMAGE_LOAD,
       KERNEL = 5,
       MALLOC = 7,
       WRITE = 9,
       READ,
       LAUNCH = 13,
       SYNC = 20,
       OUTPUT = 22
};
enum { PROTOCOL_VERSION = 6 }; /* protocol.h */

struct request_header {
    uint32_t magic;
    uint16_t version, request;
    uint32_t sequence, payload_bytes;
};

static inline int channel(void) {
    const char *fd = getenv("VGPU_CHANNEL_FD");
    return fd ? atoi(fd) : -1;
}

/* A judge that makes the program stand still makes a write end early. */
static inline bool write_all(const void *from, size_t bytes) {
    for (const char *at = (const char *)from; bytes > 0;) {
        ssize_t n = write(channel(), at, bytes);
        if (n < 0) return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Sends a header that claims `claimed` bytes, then `bytes` of payload. */
static inline void request(uint16_t number, uint32_t claimed,
                           const void *payload, size_t bytes) {
    struct request_header h = {0x55504756, PROTOCOL_VERSION, number, 1,
                               claimed};
    if (write_all(&h, sizeof h)) write_all(payload, bytes);
}

/* What has come by now. */
static inline void drop_replies(void) {
    static char sink[1 << 16];
    while (recv(channel(), sink, sizeof sink, MSG_DONTWAIT) > 0) {
    }
}

static inline void read_replies(void) {
    usleep(1000);
    drop_replies();
}

/* An image of PTX, as the client sends one, without reading replies. */
static inline void send_image(uint32_t number, const char *text, size_t bytes) {
    enum { CHUNK = 1 << 18 };
    static unsigned char part[8 + CHUNK];
    const uint32_t head[2] = {number, 0};
    const uint64_t all = bytes;
    request(IMAGE_BEGIN, 8, &all, 8);
    for (size_t at = 0; at < bytes; at += CHUNK) {
        size_t n = bytes - at < CHUNK ? bytes - at : CHUNK;
        memcpy(part, head, 8);
        memcpy(part + 8, text + at, n);
        request(IMAGE_DATA, (uint32_t)(8 + n), part, 8 + n);
        drop_replies(); /* who sleeps at each part is late for that alone */
    }
    request(IMAGE_LOAD, 8, head, 8);
}

/* A kernel of an image is looked for, and so decoded. */
static inline void find_kernel(uint32_t image, const char *name) {
    unsigned char part[64] = {0};
    memcpy(part, &image, sizeof image);
    memcpy(part + 8, name, strlen(name));
    request(KERNEL, (uint32_t)(8 + strlen(name)), part, 8 + strlen(name));
}
