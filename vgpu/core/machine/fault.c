/* SPDX-License-Identifier: MIT
 *
 * fault.c: findings: who, where, what, in words a student understands.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

struct vgpu_source exec_access_source(struct machine *m,
                                      const struct ptx_insn *i) {
    enum { MOST = 200 }; /* in a launch: more findings need no more help */
    const struct ptx_module *ptx = m->program->ptx;
    return m->n_accesses_told++ < MOST ? program_access(ptx, i)
                                       : program_source(ptx, i->loc);
}

static void set_place(const struct context *c, uint32_t lane,
                      struct vgpu_finding *f) {
    const struct machine *m = c->machine;
    const struct block *b = context_block(c);
    uint32_t t = c->warp->index * WARP_LANES + lane;
    f->has_thread = true;
    f->thread[0] = t % m->block[0];
    f->thread[1] = t / m->block[0] % m->block[1];
    f->thread[2] = t / m->block[0] / m->block[1];
    memcpy(f->block, b->index, sizeof f->block);
    if (c->insn && c->insn->source)
        f->where = exec_access_source(c->machine, c->insn->source);
}

static struct reported *slot_of(const struct context *c,
                                vgpu_finding_kind kind) {
    size_t number = (uintptr_t)c->insn / sizeof *c->insn + (unsigned)kind;
    return &c->machine->reported[number % REPORTED_SLOTS];
}

bool exec_repeats(struct context *c, vgpu_finding_kind kind) {
    const struct reported *t = slot_of(c, kind);
    if (!c->insn || t->insn != c->insn || t->kind != kind) return false;
    c->machine->repeat(c->machine->user, t->finding);
    return true;
}

void exec_report_finding(struct context *c, struct vgpu_finding *f) {
    size_t finding = c->machine->report(c->machine->user, f);
    if (finding == NO_FINDING) return;
    *slot_of(c, f->kind) = (struct reported){c->insn, f->kind, finding};
}

/* A word of shared memory in front of an array: its index may be -1. */
static void say_array(const struct context *c, struct vgpu_finding *f) {
    char name[64];
    size_t end = strlen(f->message);
    uint64_t behind = f->address + f->bytes;
    if (f->kind != VGPU_FINDING_UNINITIALISED ||
        behind >= c->machine->shared_bytes ||
        !program_shared_at(c->group->frame->function, behind, name,
                           sizeof name))
        return;
    f->before_array = true;
    snprintf(f->message + end, sizeof f->message - end,
             ", right before the array %s", name);
}

static void report(struct context *c, vgpu_finding_kind kind, uint32_t lane,
                   uint64_t address, uint32_t bytes, const char *format,
                   va_list args) {
    struct vgpu_finding f = {.kind = kind,
                             .address = address,
                             .bytes = bytes,
                             .not_started = c->machine->not_started,
                             .advances = c->machine->advances,
                             .word = c->machine->polled_word,
                             .word_bytes = c->machine->polled_bytes};
    set_place(c, lane, &f);
    vsnprintf(f.message, sizeof f.message, format, args);
    say_array(c, &f);
    exec_report_finding(c, &f);
}

void exec_report(struct context *c, vgpu_finding_kind kind, uint32_t lane,
                 uint64_t address, uint32_t bytes, const char *format, ...) {
    unsigned check = vgpu_finding_check(kind);
    if (check && !(c->machine->checks & check)) return;
    if (exec_repeats(c, kind)) return;
    va_list args;
    va_start(args, format);
    report(c, kind, lane, address, bytes, format, args);
    va_end(args);
}

bool exec_fault(struct context *c, vgpu_status status, vgpu_finding_kind kind,
                uint32_t lane, uint64_t address, uint32_t bytes,
                const char *format, ...) {
    va_list args;
    va_start(args, format);
    report(c, kind, lane, address, bytes, format, args);
    va_end(args);
    c->machine->status = status;
    return false;
}

static const char *name_of(const struct allocation *a, char *buffer, size_t n) {
    if (a->name) return a->name;
    snprintf(buffer, n, "the allocation at 0x%llx",
             (unsigned long long)a->region.base);
    return buffer;
}

/* An element of an array that there was no room for. */
static bool is_off_null(const struct memory *m, uint64_t address) {
    return m->refused_bytes && address <= UINT32_MAX &&
           (address < 4096 || address < m->refused_bytes);
}

void exec_describe_address(struct context *c, uint64_t address, uint32_t bytes,
                           char *out, size_t out_bytes) {
    const struct memory *m = c->machine->memory;
    struct allocation *a = memory_before(m, address);
    struct allocation *next = memory_before(m, address + 4096);
    char name[64];
    if (is_off_null(m, address)) {
        snprintf(out, out_bytes,
                 "at 0x%llx (a null pointer): an earlier cudaMalloc of %llu "
                 "bytes failed (out of memory), and the program went on. Look "
                 "at what cudaMalloc returns",
                 (unsigned long long)address,
                 (unsigned long long)m->refused_bytes);
        return;
    }
    if (address < VGPU_ADDRESS_BASE || address >= VGPU_ADDRESS_LIMIT) {
        snprintf(out, out_bytes, "at 0x%llx, which is no device memory%s",
                 (unsigned long long)address,
                 address < 4096                  ? " (a null pointer)"
                 : address >= VGPU_ADDRESS_LIMIT ? " (a host pointer?)"
                                                 : "");
        return;
    }
    if (a && address - a->region.base < (a->size ? a->size : 1)) {
        if (!a->region.bytes)
            snprintf(out, out_bytes,
                     "at byte %llu of %s (%llu bytes), which "
                     "has been freed",
                     (unsigned long long)(address - a->region.base),
                     name_of(a, name, sizeof name),
                     (unsigned long long)a->size);
        else if (address - a->region.base + bytes > a->size)
            snprintf(out, out_bytes, "across the end of %s (%llu bytes)",
                     name_of(a, name, sizeof name),
                     (unsigned long long)a->size);
        else
            snprintf(out, out_bytes, "byte %llu of %s (%llu bytes)",
                     (unsigned long long)(address - a->region.base),
                     name_of(a, name, sizeof name),
                     (unsigned long long)a->size);
        return;
    }
    if (next && next != a && next->region.base > address &&
        (!a ||
         next->region.base - address < address - a->region.base - a->size)) {
        snprintf(out, out_bytes, "%llu bytes before the start of %s",
                 (unsigned long long)(next->region.base - address),
                 name_of(next, name, sizeof name));
        return;
    }
    if (a && a->region.bytes) {
        snprintf(out, out_bytes, "%llu bytes past the end of %s (%llu bytes)",
                 (unsigned long long)(address - a->region.base - a->size),
                 name_of(a, name, sizeof name), (unsigned long long)a->size);
        return;
    }
    snprintf(out, out_bytes, "at 0x%llx, which is no device memory",
             (unsigned long long)address);
}
