/* SPDX-License-Identifier: MIT
 *
 * alu_forms_move.c: moves, and the splitting and joining of registers. The
 * forms are in alu_move.def. Sources other than registers (symbols, special
 * registers, literals) never come here: the decoder gives them registers.
 */
#include "alu_bits.h"
#include "alu_masks.h"

static void mov_pred(ALU_ARGS) {
    const uint32_t a = alu_get_predicate(registers, o->at[1]);
    alu_put_predicate(registers, o->at[0], a, on->mask);
}

#define PACK4(name, T, part, bits)                                             \
    static void name(ALU_ARGS) {                                               \
        raw_##T *d = ALU_AT(T, 0);                                             \
        const uint32_t *p0 = ALU_AT(b32, 1), *p1 = ALU_AT(b32, 2);             \
        const uint32_t *p2 = ALU_AT(b32, 3), *p3 = ALU_AT(b32, 4);             \
        ALU_EACH(T, d,                                                         \
                 const raw_##T x = (raw_##T)get_##part(p0[l]) |                \
                                   (raw_##T)get_##part(p1[l]) << (bits) |      \
                                   (raw_##T)get_##part(p2[l])                  \
                                       << (2 * (bits)) |                       \
                                   (raw_##T)get_##part(p3[l]) << (3 * (bits))) \
    }
PACK4(pack_b64_b16, b64, u16, 16)
PACK4(pack_b32_b8, b32, u8, 8)

/* The parts go through a copy: a destination may be the source. */
static void put_part(uint32_t *d, const uint32_t *part,
                     const struct lane_set *on) {
    ALU_IVDEP ALU_LANES d[l] = (part[l] & on->w[l]) | (d[l] & ~on->w[l]);
}

#define UNPACK(name, T, n, mask)                                               \
    static void name(ALU_ARGS) {                                               \
        const raw_##T *pa = ALU_AT(T, n);                                      \
        uint32_t part[n][VGPU_LANES];                                          \
        const unsigned bits = 8 * sizeof *pa / (n);                            \
        ALU_IVDEP ALU_LANES {                                                  \
            const raw_##T a = pa[l];                                           \
            for (unsigned k = 0; k < (n); k++)                                 \
                part[k][l] = (uint32_t)(a >> (k * bits)) & (mask);             \
        }                                                                      \
        for (unsigned k = 0; k < (n); k++)                                     \
            put_part(ALU_AT(b32, k), part[k], on);                             \
    }
UNPACK(unpack_b64_b32, b64, 2, 0xffffffffu)
UNPACK(unpack_b32_b16, b32, 2, 0xffffu)
UNPACK(unpack_b64_b16, b64, 4, 0xffffu)
UNPACK(unpack_b32_b8, b32, 4, 0xffu)

static void unpack_b16_b8(ALU_ARGS) {
    const uint32_t *pa = ALU_AT(b32, 2);
    uint32_t low[VGPU_LANES], high[VGPU_LANES];
    ALU_LANES {
        low[l] = pa[l] & 0xffu;
        high[l] = pa[l] >> 8 & 0xffu;
    }
    put_part(ALU_AT(b32, 0), low, on);
    put_part(ALU_AT(b32, 1), high, on);
}

#define ALU_DEF   "alu_move.def"
#define ALU_TABLE alu_forms_move
#include "alu_emit.h"
