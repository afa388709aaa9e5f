/* SPDX-License-Identifier: MIT
 *
 * client_callers.c: where in the program's own file a call came from, as places
 * in that file. The stack is walked only when the device has something to say
 * about a call, or wants to name memory by the line that asked for it. Under a
 * judge the file is the library that made the call, which was loaded later.
 */
#define _GNU_SOURCE /* dl_iterate_phdr, dladdr */
#include "client.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

struct walk {
    uint64_t *at, base, first, last; /* an object's code: [first, last) */
    uint64_t inside; /* an address of the object that is wanted; 0: the first */
    size_t n, most;
};

/* The first object is the program itself. */
static int find_object(struct dl_phdr_info *object, size_t size, void *user) {
    struct walk *w = user;
    bool found = w->inside == 0;
    (void)size;
    for (size_t k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        uint64_t first = object->dlpi_addr + p->p_vaddr;
        found |= w->inside >= first && w->inside < first + p->p_memsz;
        w->first = first;
        w->last = first + p->p_memsz;
    }
    w->base = object->dlpi_addr;
    return found;
}

/* The first frame outside of the object. */
static _Unwind_Reason_Code leave(struct _Unwind_Context *frame, void *user) {
    struct walk *w = user;
    w->inside = (uint64_t)_Unwind_GetIP(frame) - 1;
    return w->inside >= w->first && w->inside < w->last ? _URC_NO_REASON
                                                        : _URC_END_OF_STACK;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *user) {
    struct walk *w = user;
    uint64_t at = (uint64_t)_Unwind_GetIP(frame) - 1; /* in the call itself */
    if (at >= w->first && at < w->last) w->at[w->n++] = at - w->base;
    return w->n == w->most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static _Unwind_Reason_Code leave_at_last(struct _Unwind_Context *frame,
                                         void *user) {
    struct walk *w = user;
    uint64_t at = (uint64_t)_Unwind_GetIP(frame) - 1;
    if (at < w->first || at >= w->last) return _URC_END_OF_STACK;
    w->inside = at;
    return _URC_NO_REASON;
}

const char *client_called(void) {
    Dl_info info;
    struct walk w = {.inside = (uint64_t)(uintptr_t)client_called};
    dl_iterate_phdr(find_object, &w);
    _Unwind_Backtrace(leave_at_last, &w);
    bool known = dladdr((void *)(uintptr_t)w.inside, &info) && info.dli_sname;
    return known ? info.dli_sname : NULL;
}

void client_callers(uint64_t *at, size_t most) {
    struct walk w = {.at = at, .most = most};
    if (!client_can_map()) {
        w.inside = (uint64_t)(uintptr_t)client_callers;
        dl_iterate_phdr(find_object, &w);
        _Unwind_Backtrace(leave, &w);
    }
    dl_iterate_phdr(find_object, &w);
    _Unwind_Backtrace(step, &w);
}
