/* SPDX-License-Identifier: MIT
 *
 * client_callers.c: where in the program's own file a call came from, as places
 * in that file. The stack is walked only when the device has something to say
 * about a call.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "client.h"

#include <link.h>
#include <unwind.h>

struct walk {
    uint64_t *at, base, first, last; /* the program's code: [first, last) */
    size_t n;
};

/* The first object is the program itself. */
static int find_program(struct dl_phdr_info *object, size_t size, void *user) {
    struct walk *w = user;
    (void)size;
    w->base = object->dlpi_addr;
    for (size_t k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X)) continue;
        w->first = w->base + p->p_vaddr;
        w->last = w->first + p->p_memsz;
    }
    return 1;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *frame, void *user) {
    struct walk *w = user;
    uint64_t at = (uint64_t)_Unwind_GetIP(frame) - 1; /* in the call itself */
    if (at >= w->first && at < w->last) w->at[w->n++] = at - w->base;
    return w->n == VGPU_CALLERS_MAX ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void client_callers(uint64_t at[VGPU_CALLERS_MAX]) {
    struct walk w = {.at = at};
    dl_iterate_phdr(find_program, &w);
    _Unwind_Backtrace(step, &w);
}
