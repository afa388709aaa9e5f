/* SPDX-License-Identifier: MIT
 *
 * images.h: PTX that takes the reader long, by hand, for programs that send it
 * over the channel. Texts grow: text_line appends like printf.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "channel.h"

struct ptx_text {
    char *bytes;
    size_t n, room;
};

static inline void text_line(struct ptx_text *t, const char *format, ...) {
    va_list arguments;
    if (t->room - t->n < 256) {
        t->room = t->room ? t->room * 2 : 1 << 20;
        t->bytes = (char *)realloc(t->bytes, t->room);
        if (!t->bytes) abort();
    }
    va_start(arguments, format);
    t->n += (size_t)vsnprintf(t->bytes + t->n, 256, format, arguments);
    va_end(arguments);
}

static inline void text_head(struct ptx_text *t) {
    text_line(t, ".version 7.0\n.target sm_75\n.address_size 64\n");
}

static inline void text_kernel(struct ptx_text *t) {
    text_line(t, ".visible .entry k()\n{\n.reg .b32 %%r<9>;\n"
                 ".reg .b64 %%d<3>;\n.reg .pred %%p<3>;\nmov.b32 %%r1, 0;\n"
                 "setp.eq.u32 %%p1, %%r1, 0;\n");
}

static inline void send_text(uint32_t image, struct ptx_text *t) {
    send_image(image, t->bytes, t->n);
    find_kernel(image, "k");
    read_replies();
    t->n = 0;
}
