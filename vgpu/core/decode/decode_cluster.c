/* SPDX-License-Identifier: MIT
 *
 * decode_cluster.c: mapa, getctarank; cvta and isspacep of shared memory, where
 * blocks may have clusters. A generic address of a thread's own shared memory
 * says whose it is, so that another block of the cluster can use it, as on a
 * GPU. (On an H200 an address has the rank in bits 24 and on.)
 */
#include "decode_cluster.h"

enum { SHIFT = 24, NOBODY = 0x7f };
#define OFFSETS 0xffffffull

/* operands.at: destination, address, rank; own rank; blocks of the cluster. */
enum { TO, FROM, RANK, OWN, BLOCKS };

static inline uint32_t cluster_word(const uint8_t *r,
                                    const struct alu_operands *o, int operand,
                                    int lane) {
    return ((const uint32_t *)(const void *)(r + o->at[operand]))[lane];
}

/* The same byte of the block with this rank. */
static uint64_t mapped(uint64_t a, uint32_t rank, uint32_t blocks) {
    if (blocks == 1) return rank ? (a & WINDOW_MASK) | 0xffffffff : a;
    if ((a & ~WINDOW_MASK) >> SHIFT > blocks) return a;
    uint64_t tag = rank < blocks ? rank + 1 : NOBODY;
    return (a & (WINDOW_MASK | OFFSETS)) | tag << SHIFT;
}

/* Whose it is, of an address without its window. */
static uint32_t rank_of(uint64_t a, uint32_t own) {
    uint64_t tag = a >> SHIFT;
    return tag ? (uint32_t)tag - 1 : own;
}

static void map_wide(uint8_t *r, const struct alu_operands *o,
                     const struct lane_set *on) {
    uint64_t *to = (uint64_t *)(void *)(r + o->at[TO]);
    const uint64_t *from = (const uint64_t *)(const void *)(r + o->at[FROM]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint64_t a = mapped(from[l], cluster_word(r, o, RANK, l),
                            cluster_word(r, o, BLOCKS, l));
        to[l] = (to[l] & ~on->d[l]) | (a & on->d[l]);
    }
}

static void map_narrow(uint8_t *r, const struct alu_operands *o,
                       const struct lane_set *on) {
    uint32_t *to = (uint32_t *)(void *)(r + o->at[TO]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t a = (uint32_t)mapped(cluster_word(r, o, FROM, l),
                                      cluster_word(r, o, RANK, l),
                                      cluster_word(r, o, BLOCKS, l));
        to[l] = (to[l] & ~on->w[l]) | (a & on->w[l]);
    }
}

static void rank_wide(uint8_t *r, const struct alu_operands *o,
                      const struct lane_set *on) {
    uint32_t *to = (uint32_t *)(void *)(r + o->at[TO]);
    const uint64_t *from = (const uint64_t *)(const void *)(r + o->at[FROM]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t a =
            rank_of(from[l] & ~WINDOW_MASK, cluster_word(r, o, OWN, l));
        to[l] = (to[l] & ~on->w[l]) | (a & on->w[l]);
    }
}

static void rank_narrow(uint8_t *r, const struct alu_operands *o,
                        const struct lane_set *on) {
    uint32_t *to = (uint32_t *)(void *)(r + o->at[TO]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t a =
            rank_of(cluster_word(r, o, FROM, l), cluster_word(r, o, OWN, l));
        to[l] = (to[l] & ~on->w[l]) | (a & on->w[l]);
    }
}

static void cvta(uint8_t *r, const struct alu_operands *o,
                 const struct lane_set *on) {
    uint64_t *to = (uint64_t *)(void *)(r + o->at[TO]);
    const uint64_t *from = (const uint64_t *)(const void *)(r + o->at[FROM]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint64_t a = from[l] | SHARED_WINDOW;
        if (cluster_word(r, o, BLOCKS, l) > 1 && !(from[l] >> SHIFT))
            a |= (cluster_word(r, o, OWN, l) + 1ull) << SHIFT;
        to[l] = (to[l] & ~on->d[l]) | (a & on->d[l]);
    }
}

/* own: of the thread's block only. */
static void cluster_is_within(uint8_t *r, const struct alu_operands *o,
                              const struct lane_set *on, bool own) {
    uint32_t *p = (uint32_t *)(void *)(r + o->at[TO]), hit = 0;
    const uint64_t *a = (const uint64_t *)(const void *)(r + o->at[FROM]);
    for (int l = 0; l < VGPU_LANES; l++) {
        uint32_t mine = cluster_word(r, o, OWN, l);
        bool is = (a[l] & WINDOW_MASK) == SHARED_WINDOW &&
                  (!own || cluster_word(r, o, BLOCKS, l) == 1 ||
                   rank_of(a[l] & ~WINDOW_MASK, mine) == mine);
        hit |= (uint32_t)is << l;
    }
    *p = (*p & ~on->mask) | (hit & on->mask);
}

static void cluster_is_own(uint8_t *r, const struct alu_operands *o,
                           const struct lane_set *on) {
    cluster_is_within(r, o, on, true);
}

static void is_of_cluster(uint8_t *r, const struct alu_operands *o,
                          const struct lane_set *on) {
    cluster_is_within(r, o, on, false);
}

static uint32_t special_register(struct decoder *d, enum ptx_sreg which) {
    struct ptx_operand o = {.kind = PTX_SPECIAL, .special = which};
    return decode_operand(d, &o, 'w', PTX_B32);
}

static void give_place(struct decoder *d, struct insn *out) {
    out->kind = KIND_ALU;
    out->n_destinations = out->n_sources = 1;
    out->operands.at[OWN] = special_register(d, PTX_SREG_CLUSTER_CTARANK);
    out->operands.at[BLOCKS] = special_register(d, PTX_SREG_CLUSTER_NCTARANK);
}

bool decode_rank(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool map = i->op == PTX_OP_mapa;
    if (i->n_operands != (map ? 3u : 2u))
        return decode_fail(d, "wrong number of operands");
    bool wide = ptx_type_bytes(ptx_type_at(i->typed, 0)) == 8;
    char class = wide ? 'd' : 'w';
    give_place(d, out);
    out->operands.at[TO] =
        decode_operand(d, &i->operands[0], map ? class : 'w', PTX_B64);
    out->operands.at[FROM] = decode_operand(d, &i->operands[1], class, PTX_B64);
    if (map)
        out->operands.at[RANK] =
            decode_operand(d, &i->operands[2], 'w', PTX_B32);
    out->run =
        map ? (wide ? map_wide : map_narrow) : (wide ? rank_wide : rank_narrow);
    return !d->failed;
}

bool decode_window(struct decoder *d, struct insn *out) {
    const struct ptx_insn *i = d->at;
    bool test = i->op == PTX_OP_isspacep;
    if (i->n_operands != 2) return decode_fail(d, "two operands expected");
    if (decode_operand_class(d, &i->operands[1]) == 'w')
        return decode_fail(d, "32-bit generic addresses are not supported");
    give_place(d, out);
    out->operands.at[TO] =
        decode_operand(d, &i->operands[0], test ? 'p' : 'd', PTX_B64);
    out->operands.at[FROM] = decode_operand(d, &i->operands[1], 'd', PTX_B64);
    out->run = !test                           ? cvta
               : decode_has(i, SHARED_CLUSTER) ? is_of_cluster
                                               : cluster_is_own;
    return !d->failed;
}
