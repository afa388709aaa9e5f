/* SPDX-License-Identifier: MIT
 *
 * shared_name.c: the arrays of shared memory by the names of the source.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { MOST_OF_NAME = 4096 }; /* a longer one is no compiler's */

/* "_ZZ4scanPKiE4sums" -> "sums": a variable of a function's ends in "E", the
 * number of its letters, and these. */
static void local_name(const char *mangled, char *out, size_t bytes) {
    const char *name = mangled;
    size_t all = strnlen(mangled, MOST_OF_NAME), letters = all;
    for (const char *at = mangled;
         all < MOST_OF_NAME && (at = strchr(at, 'E'));) {
        char *end;
        if (!isdigit((unsigned char)*++at)) continue;
        unsigned long n = strtoul(at, &end, 10);
        if (n && n <= all - (size_t)(end - mangled)) name = end, letters = n;
    }
    snprintf(out, bytes, "%.*s", letters < bytes ? (int)letters : 0, name);
}

bool program_shared_at(const struct function *f, uint64_t at, char *name,
                       size_t bytes) {
    uint64_t end = f->shared_at;
    for (uint32_t i = 0; i < f->ptx->n_variables; i++) {
        const struct ptx_variable *v = &f->ptx->variables[i];
        uint64_t align = v->align ? v->align : 1;
        if (v->space != PTX_SHARED) continue;
        end = (end + align - 1) / align * align;
        if (end == at) {
            local_name(v->name, name, bytes);
            return true;
        }
        end += v->bytes;
    }
    return false;
}

void program_shared_around(const struct function *f, uint64_t at, uint64_t end,
                           struct shared_variable *out) {
    const char *name = "";
    uint64_t first = f->shared_at;
    *out = (struct shared_variable){.next = end};
    for (uint32_t i = 0; i < f->ptx->n_variables; i++) {
        const struct ptx_variable *v = &f->ptx->variables[i];
        uint64_t align = v->align ? v->align : 1;
        if (v->space != PTX_SHARED) continue;
        first = (first + align - 1) / align * align;
        if (first > at) {
            if (first < end) out->next = first;
            break;
        }
        if (first > out->first || !*name) name = v->name;
        out->first = first;
        first += v->bytes;
    }
    local_name(name, out->name, sizeof out->name);
}
