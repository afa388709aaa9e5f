/* SPDX-License-Identifier: MIT
 *
 * copies.c: which copies are on their way.
 */
#include "copies.h"

static bool meets(uint64_t a, uint32_t n, uint64_t b, uint32_t k) {
    return a < b + k && b < a + n;
}

const struct insn *async_flying(const struct block *b, bool shared,
                                uint64_t address, uint32_t bytes) {
    if (!b->async) return NULL;
    for (const struct async_copy *k = b->async->first; k; k = k->next) {
        if (k->op->to.shared != shared) continue;
        if (k->op->verb == ASYNC_BULK_LOAD &&
            meets(k->to, k->bytes, address, bytes))
            return k->insn;
        for (uint32_t on = k->small ? k->lanes : 0; on; on &= on - 1)
            if (meets(k->small->to[__builtin_ctz(on)], k->op->bytes, address,
                      bytes))
                return k->insn;
    }
    return NULL;
}
