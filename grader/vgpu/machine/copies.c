/* SPDX-License-Identifier: MIT
 *
 * copies.c: which copies are on their way, and who issued them.
 */
#include "copies.h"

#include <string.h>

static void thread_index(const struct machine *m, uint32_t t,
                         uint32_t index[3]) {
    index[0] = t % m->block[0];
    index[1] = t / m->block[0] % m->block[1];
    index[2] = t / m->block[0] / m->block[1];
}

bool async_issuer(const struct machine *m, uint32_t name,
                  const struct insn **by, uint32_t block[3],
                  uint32_t thread[3]) {
    const struct issuer *i =
        m->async ? &m->async->issuers[name % KNOWN_ISSUERS] : NULL;
    if (!i || i->name != name) return false;
    *by = i->insn;
    memcpy(block, i->block, sizeof i->block);
    thread_index(m, i->thread, thread);
    return true;
}

static bool meets(uint64_t a, uint32_t n, uint64_t b, uint32_t k) {
    return a < b + k && b < a + n;
}

const struct insn *async_flying(const struct block *b, bool shared,
                                uint64_t address, uint32_t bytes) {
    if (!b->async) return NULL;
    for (const struct async_copy *k = b->async->first; k; k = k->next) {
        if (k->state == COPY_LANDED || k->op->to.shared != shared) continue;
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
