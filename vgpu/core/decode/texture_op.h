/* SPDX-License-Identifier: MIT
 *
 * texture_op.h: what an instruction about textures and surfaces wants
 * (insn.extra of a KIND_TEXTURE).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum texture_verb {
    TEXTURE_FETCH,
    TEXTURE_GATHER,
    SURFACE_LOAD,
    SURFACE_STORE,
    TEXTURE_QUERY
};
enum surface_bound { BOUND_TRAP, BOUND_CLAMP, BOUND_ZERO };
enum texture_query { QUERY_WIDTH, QUERY_HEIGHT, QUERY_DEPTH, QUERY_LAYERS };

struct texture_op {
    uint8_t verb, dims, bound, query;
    bool is_layered, is_whole; /* whole: coordinates are integers */
    uint8_t component;         /* of a gather */
    uint32_t handle;           /* a wide register */
    uint32_t layer;            /* words; NO_REGISTER: none */
    uint32_t at[3];
};
