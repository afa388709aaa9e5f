/* SPDX-License-Identifier: MIT
 *
 * builtin.c: functions the device itself provides: vprintf, __assertfail,
 * malloc, free. Those by which kernels launch kernels: device_calls.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "cluster.h"
#include "fault.h"
#include "frames.h"
#include "watch.h"

enum { MAX_LINE = 1024, MAX_PRINT_PER_LAUNCH = 1 << 20 };

struct behind call_reach(const struct context *c, uint64_t a, uint32_t lane) {
    uint64_t offset = a & ~WINDOW_MASK;
    const struct warp *w = c->warp;
    if ((a & WINDOW_MASK) == LOCAL_WINDOW) {
        if (offset >= w->local_bytes) return (struct behind){0};
        uint64_t at = (uint64_t)lane * w->local_bytes + offset;
        return (struct behind){w->local + at, w->local_bytes - offset,
                               w->local_written, at};
    }
    if ((a & WINDOW_MASK) == SHARED_WINDOW) {
        const struct block *b = cluster_owner(context_block(c), &offset);
        if (!b || offset >= c->machine->shared_bytes) return (struct behind){0};
        const struct region *s = &b->shared;
        return (struct behind){s->bytes + offset,
                               c->machine->shared_bytes - offset, s->written,
                               offset};
    }
    const struct allocation *m = memory_range(c->machine->memory, a, 1);
    if (!m) return (struct behind){0};
    uint64_t at = a - m->region.base;
    return (struct behind){m->region.bytes + at, m->size - at,
                           m->region.written, at};
}

static bool text_at(struct context *c, uint64_t a, uint32_t lane, char *out,
                    size_t bytes) {
    struct behind from = call_reach(c, a, lane);
    const uint8_t *p = from.bytes;
    size_t n = 0;
    while (p && n < from.left && n + 1 < bytes && p[n]) n++;
    if (p) memcpy(out, p, n);
    out[n] = 0;
    return p != NULL;
}

/* ---- printf ---- */

struct cursor {
    const uint8_t *bytes;
    uint64_t left, at;
};

static uint64_t builtin_take(struct cursor *k, uint32_t bytes) {
    uint64_t v = 0;
    k->at = (k->at + bytes - 1) / bytes * bytes;
    if (k->bytes && k->at + bytes <= k->left)
        memcpy(&v, k->bytes + k->at, bytes);
    k->at += bytes;
    return v;
}

static bool is_wide(const char *spec) {
    return strstr(spec, "ll") || strchr(spec, 'l') || strchr(spec, 'z') ||
           strchr(spec, 'j') || strchr(spec, 't');
}

static int print_one(struct context *c, uint32_t lane, const char *spec,
                     struct cursor *k, char *out, size_t bytes) {
    char kind = spec[strlen(spec) - 1], clean[40], text[MAX_LINE];
    size_t n = 0;
    for (const char *p = spec; *p && n < 30; p++)
        if (!strchr("hljztL", *p)) clean[n++] = *p;
    clean[n - 1] = 0;
    char format[48];
    switch (kind) {
    case 'd':
    case 'i': {
        int64_t v = is_wide(spec) ? (int64_t)builtin_take(k, 8)
                                  : (int64_t)(int32_t)builtin_take(k, 4);
        snprintf(format, sizeof format, "%slld", clean);
        return snprintf(out, bytes, format, (long long)v);
    }
    case 'u':
    case 'x':
    case 'X':
    case 'o': {
        uint64_t v = is_wide(spec) ? builtin_take(k, 8) : builtin_take(k, 4);
        snprintf(format, sizeof format, "%sll%c", clean, kind);
        return snprintf(out, bytes, format, (unsigned long long)v);
    }
    case 'c':
        snprintf(format, sizeof format, "%sc", clean);
        return snprintf(out, bytes, format, (int)builtin_take(k, 4));
    case 's':
        if (!text_at(c, builtin_take(k, 8), lane, text, sizeof text))
            snprintf(text, sizeof text, "(null)");
        snprintf(format, sizeof format, "%ss", clean);
        return snprintf(out, bytes, format, text);
    case 'p':
        return snprintf(out, bytes, "0x%llx",
                        (unsigned long long)builtin_take(k, 8));
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A': {
        uint64_t b = builtin_take(k, 8);
        double v;
        memcpy(&v, &b, 8);
        snprintf(format, sizeof format, "%s%c", clean, kind);
        return snprintf(out, bytes, format, v);
    }
    default: return snprintf(out, bytes, "%s", spec);
    }
}

/* No width and no precision beyond what a line holds: the C library would make
 * all of it, be it gigabytes, before it cuts it off. */
static void cap_numbers(char *spec) {
    char *to = spec;
    for (const char *p = spec; *p;) {
        while (*p == '0') *to++ = *p++;
        char *end;
        if (*p < '1' || *p > '9') {
            if (*p) *to++ = *p++;
            continue;
        }
        unsigned long number = strtoul(p, &end, 10);
        if (number > 2 * MAX_LINE) number = 2 * MAX_LINE;
        char digits[24];
        int n = snprintf(digits, sizeof digits, "%lu", number);
        memcpy(to, digits, (size_t)n); /* never more than there were */
        to += n;
        p = end;
    }
    *to = 0;
}

/* Copies one conversion ("%-5.2lf") into spec; returns its length. */
static size_t conversion(const char *p, char *spec, size_t bytes,
                         struct cursor *k) {
    size_t n = 0, in = 1;
    spec[n++] = '%';
    while (p[in] && strchr("-+ #0123456789.*hljztL", p[in]) && n + 14 < bytes) {
        if (p[in] == '*')
            n += (size_t)snprintf(spec + n, bytes - n, "%d",
                                  (int)builtin_take(k, 4));
        else
            spec[n++] = p[in];
        in++;
    }
    if (p[in]) spec[n++] = p[in++];
    spec[n] = 0;
    return in;
}

static int print_lane(struct context *c, const struct call *call,
                      uint32_t lane) {
    char format[MAX_LINE], out[2 * MAX_LINE];
    /* As CUDA does when its buffer is full: nothing more is printed. */
    if (c->machine->printed_bytes >= MAX_PRINT_PER_LAUNCH) return -1;
    if (!text_at(c, call_argument(c, call, 0, lane), lane, format,
                 sizeof format))
        return -1;
    struct behind list = call_reach(c, call_argument(c, call, 1, lane), lane);
    struct cursor k = {.bytes = list.bytes, .left = list.left};
    size_t at = 0;
    int arguments = 0;
    for (const char *p = format; *p && at + 64 < sizeof out;) {
        if (*p != '%') {
            out[at++] = *p++;
        } else if (p[1] == '%') {
            out[at++] = '%';
            p += 2;
        } else {
            char spec[64];
            p += conversion(p, spec, sizeof spec, &k);
            cap_numbers(spec);
            int n = print_one(c, lane, spec, &k, out + at, sizeof out - at);
            at += n < 0 ? 0 : (size_t)n;
            if (at >= sizeof out) at = sizeof out - 1;
            arguments++;
        }
    }
    struct machine *m = c->machine;
    m->print(m->user, out, at);
    m->printed_bytes += at;
    return arguments;
}

static bool assert_failed(struct context *c, const struct call *call) {
    uint32_t lane = (uint32_t)__builtin_ctz(c->lanes->mask);
    char what[256], file[256], function[256];
    struct vgpu_message m;
    text_at(c, call_argument(c, call, 0, lane), lane, what, sizeof what);
    text_at(c, call_argument(c, call, 1, lane), lane, file, sizeof file);
    text_at(c, call_argument(c, call, 3, lane), lane, function,
            sizeof function);
    VGPU_SAY(&m, ASSERT, .what = what, .file = file,
             .line = (uint32_t)call_argument(c, call, 2, lane),
             .function = function);
    return exec_fault(c, VGPU_ASSERT, VGPU_FINDING_ASSERT,
                      (struct fault_at){.lane = lane}, &m);
}

uint64_t exec_device_malloc(struct context *c, uint64_t bytes) {
    struct allocation *a =
        memory_allocate_in_heap(c->machine->memory, bytes ? bytes : 1);
    return a ? a->region.base : 0;
}

void exec_device_free(struct context *c, uint32_t lane, uint64_t address) {
    struct allocation *a = memory_find(c->machine->memory, address);
    if (!address) return;
    if (a && a->device_heap && a->region.base == address && a->region.bytes) {
        memory_release(c->machine->memory, address);
        return;
    }
    struct vgpu_message m;
    VGPU_SAY(&m, DEVICE_FREE, .address = address);
    exec_report(c, VGPU_FINDING_USE_AFTER_FREE,
                (struct fault_at){.lane = lane, .address = address, .bytes = 0},
                &m);
}

bool exec_builtin(struct context *c, const struct call *call) {
    if (call->builtin == BUILTIN_ASSERT) return assert_failed(c, call);
    watch_built_in(c->machine->watching, c, call);
    if (ptx_is_device_call(call->builtin)) return exec_device_call(c, call);
    for (uint32_t m = c->lanes->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (call->builtin == BUILTIN_PRINTF)
            call_result(c, call, lane, (uint64_t)print_lane(c, call, lane));
        else if (call->builtin == BUILTIN_MALLOC)
            call_result(c, call, lane,
                        exec_device_malloc(c, call_argument(c, call, 0, lane)));
        else
            exec_device_free(c, lane, call_argument(c, call, 0, lane));
    }
    return true;
}
