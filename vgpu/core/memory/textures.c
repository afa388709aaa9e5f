/* SPDX-License-Identifier: MIT
 *
 * textures.c: the table of texture and surface objects. A handle is never given
 * again.
 */
#include "textures.h"

#include <stdlib.h>

uint64_t textures_add(struct memory *m, const struct texture *t) {
    if (m->n_textures == TEXTURES_MAX) return 0;
    if (!(m->n_textures & (m->n_textures - 1))) {
        size_t room = m->n_textures ? 2 * (size_t)m->n_textures : 1;
        struct texture *more = realloc(m->textures, room * sizeof *more);
        if (!more) return 0;
        m->textures = more;
    }
    m->textures[m->n_textures++] = *t;
    return m->n_textures;
}

const struct texture *textures_find(const struct memory *m, uint64_t handle) {
    if (!handle || handle > m->n_textures) return NULL;
    const struct texture *t = &m->textures[handle - 1];
    return t->base ? t : NULL;
}

bool textures_remove(struct memory *m, uint64_t handle) {
    if (!textures_find(m, handle)) return false;
    m->textures[handle - 1].base = 0;
    return true;
}
