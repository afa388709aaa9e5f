/* SPDX-License-Identifier: MIT
 *
 * fault.c: findings: who, where, what.
 */
#include <string.h>

#include "cluster.h"
#include "fault.h"

struct vgpu_source exec_access_source(struct machine *m,
                                      const struct ptx_insn *i) {
    enum { MOST = 200 }; /* in a launch: more findings need no more help */
    const struct ptx_module *ptx = m->program->ptx;
    return m->n_accesses_named++ < MOST ? program_access(ptx, i)
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

static struct reported *fault_slot_of(const struct context *c,
                                      vgpu_finding_kind kind) {
    size_t number = (uintptr_t)c->insn / sizeof *c->insn + (unsigned)kind;
    return &c->machine->reported[number % REPORTED_SLOTS];
}

bool exec_repeats(struct context *c, vgpu_finding_kind kind) {
    const struct reported *t = fault_slot_of(c, kind);
    if (!c->insn || t->insn != c->insn || t->kind != kind) return false;
    c->machine->repeat(c->machine->user, t->finding);
    return true;
}

void exec_report_finding(struct context *c, struct vgpu_finding *f) {
    size_t finding = c->machine->report(c->machine->user, f);
    if (finding == NO_FINDING) return;
    *fault_slot_of(c, f->kind) = (struct reported){c->insn, f->kind, finding};
}

/* A word of shared memory in front of an array: its index may be -1. */
static void say_array_behind(const struct context *c, struct vgpu_finding *f) {
    char name[64];
    uint64_t behind = f->address + f->bytes;
    if (f->kind != VGPU_FINDING_UNINITIALISED ||
        behind >= c->machine->shared_bytes ||
        !program_shared_at(c->group->frame->function, behind, name,
                           sizeof name))
        return;
    f->before_array = true;
    vgpu_say_text(&f->message, "before", name);
}

static bool is_strong(const struct insn *i) {
    return i->kind == KIND_ATOMIC || i->order != ORDER_WEAK;
}

static void fault_report(struct context *c, vgpu_finding_kind kind,
                         struct fault_at at,
                         const struct vgpu_message *message) {
    struct vgpu_finding f = {.kind = kind,
                             .address = at.address,
                             .bytes = at.bytes,
                             .strong = c->insn && is_strong(c->insn),
                             .stray = at.stray,
                             .array_bytes = at.array_bytes,
                             .not_started = c->machine->not_started,
                             .waits_for_own = c->machine->waits_for_own,
                             .advances = c->machine->advances,
                             .word = c->machine->polled_word,
                             .word_bytes = c->machine->polled_bytes,
                             .message = *message};
    const struct allocation *in =
        kind == VGPU_FINDING_UNINITIALISED && at.address >= VGPU_ADDRESS_BASE
            ? memory_find(c->machine->memory, at.address)
            : NULL;
    if (in) f.found_in = in->size - in->slack;
    if (in) f.found_at = at.address - in->region.base;
    set_place(c, at.lane, &f);
    say_array_behind(c, &f);
    exec_report_finding(c, &f);
}

void exec_report(struct context *c, vgpu_finding_kind kind, struct fault_at at,
                 const struct vgpu_message *message) {
    unsigned check = vgpu_finding_check(kind);
    if (check && !(c->machine->checks & check)) return;
    if (!exec_repeats(c, kind)) fault_report(c, kind, at, message);
}

bool exec_fault(struct context *c, vgpu_status status, vgpu_finding_kind kind,
                struct fault_at at, const struct vgpu_message *message) {
    fault_report(c, kind, at, message);
    c->machine->status = status;
    return false;
}

const char *exec_form_name(const struct insn *i) {
    return i->kind == KIND_WARP_SYNC ? "__syncwarp()" : i->source->form;
}

/* ---- places ---- */

void exec_say_array(const struct allocation *a, struct vgpu_message *array) {
    if (a->name)
        VGPU_SAY(array, ARRAY, .name = a->name);
    else
        VGPU_SAY(array, ALLOCATION_AT, .address = a->region.base);
}

/* Bytes of what the instruction reads or writes: of one element of a vector. */
static uint32_t width_of(const struct context *c) {
    return c->insn && c->insn->bytes ? c->insn->bytes : sizeof(uint32_t);
}

/* nvcc makes an array of any type one of bytes: its elements are taken to be as
 * wide as what the instruction accesses. */
void exec_say_shared(const struct context *c, uint64_t address,
                     struct vgpu_message *where) {
    const struct machine *m = c->machine;
    struct shared_variable v = {0};
    struct vgpu_message array;
    uint32_t width = width_of(c);
    if (address < m->shared_static)
        program_shared_around(m->kernel, address, m->shared_static, &v);
    VGPU_SAY(&array, ARRAY, .name = v.name);
    if (!*v.name || (address - v.first) % width)
        VGPU_SAY(where, SHARED_BYTE, .byte = address);
    else if (v.next - v.first <= width)
        VGPU_SAY(where, SHARED_VARIABLE, .array = &array, .byte = address);
    else
        VGPU_SAY(where, SHARED_ELEMENT, .array = &array,
                 .index = (address - v.first) / width, .byte = address);
}

void exec_say_shared_of(const struct context *c, const struct block *b,
                        uint64_t address, struct vgpu_message *where) {
    struct vgpu_message in;
    if (b == context_block(c)) {
        exec_say_shared(c, address, where);
        return;
    }
    exec_say_shared(c, address, &in);
    VGPU_SAY(where, OF_BLOCK, .where = &in, .block = b->index);
}

bool exec_say_shared_element(const struct context *c, int64_t address,
                             struct vgpu_message *element) {
    const struct machine *m = c->machine;
    struct shared_variable v;
    struct vgpu_message array;
    int64_t width = width_of(c);
    if (m->shared_dynamic || !m->shared_static || address % width) return false;
    program_shared_around(m->kernel, 0, m->shared_static, &v);
    if (!*v.name || v.first || v.next != m->shared_static) return false;
    VGPU_SAY(&array, ARRAY, .name = v.name);
    VGPU_SAY(element, ELEMENT, .array = &array,
             .index = (uint64_t)(address / width));
    return true;
}

/* An element of an array that there was no room for. */
static bool is_off_null(const struct memory *m, uint64_t address) {
    return m->refused_bytes && address <= UINT32_MAX &&
           (address < 4096 || address < m->refused_bytes);
}

static void say_no_memory(uint64_t address, struct vgpu_message *where) {
    VGPU_SAY(where, NO_MEMORY, .address = address,
             .pointer = address < 4096                  ? VGPU_POINTER_NULL
                        : address >= VGPU_ADDRESS_LIMIT ? VGPU_POINTER_HOST
                                                        : VGPU_POINTER_UNKNOWN);
}

/* The index in an array whose name is known; false: the address is no
 * element's. */
static bool find_element(const struct context *c, const struct allocation *a,
                         uint64_t address, int64_t *index) {
    int64_t width = a->element ? a->element : width_of(c);
    int64_t offset = (int64_t)(address - a->region.base - a->first);
    *index = offset / width;
    return a->name && offset % width == 0;
}

static uint64_t elements_of(const struct context *c,
                            const struct allocation *a) {
    uint64_t all = a->size - a->slack, width = a->element;
    if (!width) width = width_of(c);
    return all > a->first ? (all - a->first) / width : 0;
}

static void say_element(const struct allocation *a, uint64_t byte,
                        int64_t index, const struct vgpu_message *array,
                        struct vgpu_message *where) {
    if (!a->region.bytes)
        VGPU_SAY(where, FREED_ELEMENT, .array = array,
                 .index = (uint64_t)index);
    else if (a->element && a->element == a->size - a->slack)
        *where = *array;
    else if (a->element)
        VGPU_SAY(where, ELEMENT, .array = array, .index = (uint64_t)index);
    else
        VGPU_SAY(where, TYPELESS_ELEMENT, .array = array,
                 .index = (uint64_t)index, .byte = byte, .size = a->size);
}

/* The first byte is one of the allocation's. */
static void say_inside(const struct context *c, const struct allocation *a,
                       uint64_t address, uint32_t bytes,
                       struct vgpu_message *where) {
    struct vgpu_message array;
    uint64_t byte = address - a->region.base;
    int64_t index;
    bool is_across = a->region.bytes && byte + bytes > a->size;
    exec_say_array(a, &array);
    if (!is_across && find_element(c, a, address, &index))
        say_element(a, byte, index, &array, where);
    else if (!a->region.bytes)
        VGPU_SAY(where, FREED_BYTE, .byte = byte, .array = &array,
                 .size = a->size);
    else if (is_across)
        VGPU_SAY(where, ACROSS_END, .byte = byte, .array = &array,
                 .size = a->size);
    else
        VGPU_SAY(where, BYTE, .byte = byte, .array = &array, .size = a->size);
}

void exec_say_outside(const struct context *c, const struct allocation *a,
                      uint64_t address, struct vgpu_message *where) {
    struct vgpu_message array;
    int64_t index;
    exec_say_array(a, &array);
    bool known = find_element(c, a, address, &index);
    if (known && index < 0)
        VGPU_SAY(where, ELEMENT_BEFORE, .array = &array,
                 .index = (uint64_t)index);
    else if (known)
        VGPU_SAY(where, ELEMENT_PAST, .array = &array, .index = (uint64_t)index,
                 .count = elements_of(c, a));
    else if (address < a->region.base)
        VGPU_SAY(where, BEFORE_START, .distance = a->region.base - address,
                 .array = &array, .size = a->size);
    else
        VGPU_SAY(where, PAST_END,
                 .distance = address - a->region.base - a->size,
                 .array = &array, .size = a->size);
}

void exec_say_place(struct context *c, uint64_t address, uint32_t bytes,
                    struct vgpu_message *where) {
    const struct memory *m = c->machine->memory;
    struct allocation *a = memory_before(m, address);
    struct allocation *next = memory_before(m, address + 4096);
    if (is_off_null(m, address))
        VGPU_SAY(where, REFUSED_NULL, .address = address,
                 .bytes = m->refused_bytes);
    else if (address < VGPU_ADDRESS_BASE || address >= VGPU_ADDRESS_LIMIT)
        say_no_memory(address, where);
    else if (a && address - a->region.base < (a->size ? a->size : 1))
        say_inside(c, a, address, bytes, where);
    else if (next && next != a && next->region.base > address &&
             (!a ||
              next->region.base - address < address - a->region.base - a->size))
        exec_say_outside(c, next, address, where);
    else if (a && a->region.bytes)
        exec_say_outside(c, a, address, where);
    else
        say_no_memory(address, where);
}

bool exec_is_own_shared(struct context *c, uint32_t lane, uint64_t address) {
    struct vgpu_message m;
    uint64_t tag = address >> CLUSTER_SHIFT;
    if (!cluster_in(c->machine) || !tag || tag > c->machine->cluster_blocks)
        return true;
    VGPU_SAY(&m, CLUSTER_OTHERS, .form = c->insn->source->form);
    return exec_fault(c, VGPU_LAUNCH_FAILURE, VGPU_FINDING_UNSUPPORTED,
                      (struct fault_at){.lane = lane, .address = address}, &m);
}
