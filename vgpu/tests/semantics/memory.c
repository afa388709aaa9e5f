/* SPDX-License-Identifier: MIT
 *
 * memory.c: what a program finds in memory and in its parameters, and what its
 * result means.
 */
#include <string.h>

#include "gen.h"

static uint64_t draw(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Eight bytes that are interesting as integers or as floats. */
static uint64_t interesting(uint64_t *state) {
    static const uint32_t singles[] = {
        0,           0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u,
        0xff800000u, 0x7fc00000u, 0x00000001u, 0x007fffffu, 0x00800000u,
        0x80800001u, 0x7f7fffffu, 0x4f000000u, 0xcf000000u, 0x4b7fffffu,
        0x5f000000u, 0x3effffffu, 0x7fffffffu};
    static const uint64_t doubles[] = {0,
                                       0x8000000000000000u,
                                       0x3ff0000000000000u,
                                       0x7ff0000000000000u,
                                       0x7ff8000000000000u,
                                       1,
                                       0x000fffffffffffffu,
                                       0x0010000000000000u,
                                       0x41dfffffffc00000u,
                                       0xc1e0000000000000u,
                                       0x43e0000000000000u,
                                       0x7fefffffffffffffu,
                                       0x47efffffe0000000u,
                                       0x36a0000000000000u};
    static const uint16_t halves[] = {0,      0x8000, 0x3c00, 0xbc00,
                                      0x7c00, 0x7e00, 0x0001, 0x03ff,
                                      0x0400, 0x7bff, 0x6800, 0xfc00};
    uint64_t r = draw(state), v = draw(state);
    switch (r >> 60) {
    case 0:
    case 1: return singles[v % 18] | (uint64_t)singles[(v >> 20) % 18] << 32;
    case 2:
    case 3: return doubles[v % 14];
    case 4: {
        uint64_t h = 0;
        for (unsigned k = 0; k < 4; k++)
            h = h << 16 | halves[(v >> (8 * k)) % 12];
        return h;
    }
    case 5: return v & 0xff;                     /* small */
    case 6: return (uint64_t)((int64_t)v >> 56); /* small, signed */
    case 7: return 1ull << (v & 63);             /* one bit */
    case 8: return ~0ull >> (v & 63);            /* a mask */
    case 9: {                                    /* moderate f32 */
        uint32_t a = (uint32_t)v, b = (uint32_t)(v >> 32);
        a = (a & 0x807fffffu) | (120 + (a >> 23) % 16) << 23;
        b = (b & 0x807fffffu) | (120 + (b >> 23) % 16) << 23;
        return a | (uint64_t)b << 32;
    }
    case 10: /* moderate f64 */
        return (v & 0x800fffffffffffffu) | (1010 + (v >> 52) % 30) << 52;
    case 11: { /* moderate f16 */
        uint64_t h = 0;
        for (unsigned k = 0; k < 4; k++) {
            uint64_t a = v >> (16 * k) & 0xffff;
            h |= ((a & 0x83ff) | (10 + (a >> 10) % 10) << 10) << (16 * k);
        }
        return h;
    }
    default: return v;
    }
}

static uint32_t blocks_of(const struct program *p) {
    return p->shape.grid[0] * p->shape.grid[1] * p->shape.grid[2];
}

void program_fill(const struct program *p, uint8_t *memory) {
    uint64_t state = p->data;
    memset(memory, 0xa5, p->shape.bytes);
    uint32_t slots = PROGRAM_INPUT + p->shape.threads * PROGRAM_SLOT;
    for (uint32_t k = 0; k < slots; k += 8) {
        uint64_t v = interesting(&state);
        memcpy(memory + k, &v, 8);
    }
    uint32_t areas = 2 * blocks_of(p) + 1;
    for (uint32_t k = 0; k < areas * PROGRAM_ATOMICS; k += 8) {
        unsigned word = k % PROGRAM_ATOMICS / 8;
        uint64_t v = interesting(&state);
        if (word >= 11 && word < 14) v = 0; /* sums of floats */
        memcpy(memory + slots + k, &v, 8);
    }
}

void program_parameters(const struct program *p, uint64_t address,
                        uint8_t block[PROGRAM_PARAMETERS]) {
    uint64_t state = p->data ^ 0x5555;
    uint64_t slots = address + PROGRAM_INPUT;
    uint64_t atomics = slots + p->shape.threads * PROGRAM_SLOT;
    uint64_t out = atomics + (2 * blocks_of(p) + 1) * PROGRAM_ATOMICS;
    uint64_t first[] = {address, slots, atomics, out, address + p->shape.trace};
    for (unsigned k = 0; k < PROGRAM_PARAMETERS; k += 8) {
        uint64_t v = interesting(&state);
        memcpy(block + k, &v, 8);
    }
    memcpy(block, first, sizeof first);
    uint32_t uniform = (uint32_t)(draw(&state) % 1000);
    memcpy(block + 40, &uniform, 4);
    memset(block + 47, 0, 1);
    memset(block + 52, 0, 4);
}

void program_name(const struct program *p, uint32_t offset, char *text,
                  size_t bytes) {
    uint32_t slots = p->shape.threads * PROGRAM_SLOT;
    uint32_t areas = (2 * blocks_of(p) + 1) * PROGRAM_ATOMICS;
    if (offset < slots) {
        snprintf(text, bytes, "slot of thread %u, byte %u",
                 offset / PROGRAM_SLOT, offset % PROGRAM_SLOT);
        return;
    }
    if (offset < slots + areas) {
        snprintf(text, bytes, "atomics, area %u, byte %u",
                 (offset - slots) / PROGRAM_ATOMICS,
                 (offset - slots) % PROGRAM_ATOMICS);
        return;
    }
    uint32_t at = (offset - slots - areas) / 4;
    uint32_t word = at / p->shape.threads, thread = at % p->shape.threads;
    for (unsigned c = 0; gen_classes[c]; c++) {
        char class = gen_classes[c];
        uint32_t words = class == 'd' || class == 'g' ? 2 : 1;
        uint32_t all = class == 'p' ? 1 : words * gen_pool(class);
        if (word < all) {
            snprintf(text, bytes, "%%%c%u%s of thread %u", class, word / words,
                     class == 'p' && !word ? "..7" : "", thread);
            return;
        }
        word -= all;
    }
    snprintf(text, bytes, "byte %u", offset);
}

uint64_t program_digest(const uint8_t *result, size_t bytes) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ bytes, v;
    for (; bytes >= 8; bytes -= 8, result += 8) {
        memcpy(&v, result, 8);
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; bytes; bytes--) h = (h ^ *result++) * 0xff51afd7ed558ccdu;
    return h ^ h >> 29;
}
