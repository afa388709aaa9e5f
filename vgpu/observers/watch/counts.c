/* SPDX-License-Identifier: MIT
 *
 * counts.c: what an access costs: sectors, segments, bank wavefronts.
 *
 * Shared memory (CUDA C++ Programming Guide, "Shared Memory" per compute
 * capability): a phase serves 4-byte words from distinct banks in one pass;
 * lanes that want the same word share it; 8- and 16-byte accesses take halves
 * and quarters of the lanes at a time. What the guide leaves out is measured on
 * an H200 (docs/counts.md): loads join phases (`joins`), atomics share no
 * words.
 */
#include "counts.h"

#include <stddef.h>

/* Neighbours mostly want the same or the next: addresses that do not fall need
 * no list of what was seen. All lanes; 0: they fall somewhere. */
WIDER static uint32_t rising_sectors(const uint64_t *a, uint32_t bytes,
                                     uint32_t shift) {
    uint64_t n = ((a[0] + bytes - 1) >> shift) - (a[0] >> shift) + 1, falls = 0;
    for (int l = 1; l < WARP_LANES; l++) {
        uint64_t before = (a[l - 1] + bytes - 1) >> shift;
        uint64_t from = a[l] >> shift, to = (a[l] + bytes - 1) >> shift;
        falls |= (from - before) >> 63;
        n += to - from + (from != before);
    }
    return falls ? 0 : (uint32_t)n;
}

/* Addresses anywhere: each lane's piece is compared with those of all lanes
 * before it. Lanes that are not active want what the first active one wants. 0:
 * a lane touches two pieces, or they lie too far apart. */
WIDER static uint32_t scattered_pieces(const uint64_t *a, uint32_t mask,
                                       uint32_t bytes, uint32_t shift) {
    enum { BITS = 31 };
    uint32_t piece[2 * WARP_LANES], again[WARP_LANES] = {0}, n = 0;
    uint64_t some = a[__builtin_ctz(mask)], far = 0;
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        uint64_t on = 0 - (uint64_t)(mask >> l & 1);
        uint64_t first = (a[l] & on) | (some & ~on), last = first + bytes - 1;
        far |= ((first ^ some) >> shift >> BITS) | (first ^ last) >> shift;
        piece[l] = ~0u; /* nobody's */
        piece[WARP_LANES + l] = (uint32_t)(first >> shift) & ~0u >> 1;
    }
    if (far) return 0;
    for (uint32_t k = 1; k < WARP_LANES; k++)
        for (uint32_t l = 0; l < WARP_LANES; l++)
            again[l] |= piece[WARP_LANES + l] == piece[WARP_LANES + l - k];
    for (uint32_t l = 0; l < WARP_LANES; l++) n += again[l];
    return WARP_LANES - n;
}

/* Distinct pieces of 1 << shift bytes that the lanes touch. */
static uint32_t count_sectors(const uint64_t *addresses, uint32_t mask,
                              uint32_t bytes, uint32_t shift) {
    uint64_t seen[2 * WARP_LANES];
    uint32_t n =
        mask == FULL_MASK ? rising_sectors(addresses, bytes, shift) : 0;
    if (!n) n = scattered_pieces(addresses, mask, bytes, shift);
    if (n) return n;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t a = addresses[__builtin_ctz(m)];
        uint64_t last = (a + bytes - 1) >> shift;
        for (uint64_t s = a >> shift; s <= last; s++) {
            /* neighbours mostly ask for the latest one again */
            uint32_t k = n;
            while (k && seen[k - 1] != s) k--;
            if (!k) seen[n++] = s;
        }
    }
    return n;
}

/* Passes where a bank holds several of the words: the fullest bank's number.
 * share: a word counts once, however many lanes want it. */
static uint32_t fullest_bank(uint32_t banks, const uint32_t *offsets,
                             uint32_t mask, uint32_t words, bool share) {
    uint32_t word[4 * WARP_LANES];
    int8_t next[4 * WARP_LANES], head[64];
    uint8_t depth[64];
    uint32_t n = 0, most = 0;
    for (uint32_t b = 0; b < banks; b++) head[b] = -1, depth[b] = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t first = offsets[__builtin_ctz(m)] >> 2;
        for (uint32_t w = first; w < first + words; w++) {
            uint32_t b = w % banks;
            int k = share ? head[b] : -1;
            while (k >= 0 && word[k] != w) k = next[k];
            if (k >= 0) continue;
            word[n] = w;
            next[n] = head[b];
            head[b] = (int8_t)n++;
            if (++depth[b] > most) most = depth[b];
        }
    }
    return most;
}

/* The same for a word of each lane, where none is shared. */
static uint32_t fullest_of_words(uint32_t banks, const uint32_t *offsets,
                                 uint32_t mask) {
    uint8_t depth[64] = {0}, most = 0;
    if (mask == FULL_MASK && banks == 32)
        for (uint32_t l = 0; l < WARP_LANES; l++) depth[offsets[l] >> 2 & 31]++;
    else
        for (uint32_t m = mask; m; m &= m - 1)
            depth[(offsets[__builtin_ctz(m)] >> 2) % banks]++;
    for (uint32_t b = 0; b < sizeof depth; b++)
        most = depth[b] > most ? depth[b] : most;
    return most;
}

static uint32_t phase_passes(uint32_t banks, const uint32_t *offsets,
                             uint32_t mask, uint32_t words, bool share) {
    uint32_t word[64];
    uint64_t taken = 0;
    if (!share && words == 1) return fullest_of_words(banks, offsets, mask);
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t first = offsets[__builtin_ctz(m)] >> 2;
        for (uint32_t w = first; w < first + words; w++) {
            uint32_t b = banks == 32 ? w & 31 : w % banks;
            if (taken >> b & 1) {
                if (share && word[b] == w) continue;
                return fullest_bank(banks, offsets, mask, words, share);
            }
            taken |= 1ull << b;
            word[b] = w;
        }
    }
    return 1;
}

/* Lanes under `end`. */
static uint32_t below(uint32_t end) {
    return end >= WARP_LANES ? FULL_MASK : (1u << end) - 1;
}

/* Every lane's neighbour `apart` lanes away is inactive or wants the same. */
static bool pairs_up(const uint32_t *offsets, uint32_t mask, uint32_t apart) {
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), other = lane ^ apart;
        if (mask >> other & 1 && offsets[other] != offsets[lane]) return false;
    }
    return true;
}

enum bank_use { BANKS_LOAD, BANKS_STORE, BANKS_ATOMIC };

/* A wide load's two phases, mask in all, go as one: the lanes pair up with
 * their neighbours, or with the next but one, so that half as many addresses
 * are left. Measured for 8 bytes over the warp and for 16 bytes over halves
 * alike (no pattern has one half join and the other not); only for loads, and
 * only where a phase is a warp (32 banks). */
static bool joins(const struct vgpu_profile *p, const uint32_t *offsets,
                  uint32_t mask, uint32_t words, enum bank_use use) {
    return use == BANKS_LOAD && words > 1 && p->phase_lanes == WARP_LANES &&
           (pairs_up(offsets, mask, 1) || pairs_up(offsets, mask, 2));
}

/* Wavefronts of a shared access; *ideal: what its width needs. */
static uint32_t count_wavefronts(const struct vgpu_profile *p,
                                 const uint32_t *offsets, uint32_t mask,
                                 uint32_t bytes, enum bank_use use,
                                 uint32_t *ideal) {
    uint32_t words = bytes > 4 ? bytes / 4 : 1;
    uint32_t lanes = (uint32_t)p->phase_lanes / words;
    uint32_t passes = 0, step;
    *ideal = 0;
    for (uint32_t first = 0; first < WARP_LANES; first += step) {
        uint32_t rest = mask >> first << first;
        /* a group of two phases begins at every other phase only */
        bool even = first % (2 * lanes) == 0;
        step = 2 * lanes;
        uint32_t m = rest & below(first + step);
        if (!even || !joins(p, offsets, m, words, use)) {
            step = lanes;
            m = rest & below(first + step);
        }
        if (!m) continue;
        passes += phase_passes((uint32_t)p->banks, offsets, m, words,
                               use != BANKS_ATOMIC);
        ++*ideal;
    }
    return passes;
}

/* ---- shared memory ---- */

static void add_shared(uint64_t *n, enum bank_use use, uint64_t times,
                       uint64_t passes, uint64_t ideal) {
    uint64_t wavefronts = times * passes;
    n[VGPU_COUNT_SHARED_REQUESTS] += times;
    n[VGPU_COUNT_SHARED_WAVEFRONTS] += wavefronts;
    n[VGPU_COUNT_SHARED_CONFLICTS] += wavefronts - times * ideal;
    if (use == BANKS_LOAD) n[VGPU_COUNT_SHARED_READ_WAVEFRONTS] += wavefronts;
    if (use == BANKS_STORE) n[VGPU_COUNT_SHARED_WRITE_WAVEFRONTS] += wavefronts;
}

void counts_collect_like(const struct machine *m, const struct insn *i,
                         struct even_hint *e) {
    if (e->times)
        add_shared(costs_of(m, i),
                   i->kind == KIND_STORE ? BANKS_STORE : BANKS_LOAD, e->times,
                   e->passes, e->ideal);
    e->times = 0;
}

/* Atomics read and write at once: they are in the total only. */
static enum bank_use use_of(const struct access *x) {
    return x->atomic ? BANKS_ATOMIC : x->write ? BANKS_STORE : BANKS_LOAD;
}

uint8_t counts_wavefronts(struct context *c, struct access *x, uint8_t *ideal) {
    uint32_t offsets[WARP_LANES], least;
    if (!(x->mask & (x->mask - 1))) return *ideal = 1;
    access_spread(x);
    for (int l = 0; l < WARP_LANES; l++) offsets[l] = (uint32_t)x->address[l];
    uint32_t n = count_wavefronts(c->machine->profile, offsets, x->mask,
                                  x->bytes, use_of(x), &least);
    *ideal = (uint8_t)least;
    return (uint8_t)n;
}

/* Wavefronts do not change when all the addresses move by whole words: those of
 * the last access with evenly spaced lanes are remembered. */
static bool is_remembered(struct context *c, const struct access *x,
                          struct even_hint **e) {
    uint8_t low = x->address[x->shape.first] & 3;
    *e = x->like;
    if (*e) return false; /* or costs_access would not have asked */
    if (!x->shape.even || c->insn->plain) return false;
    *e = &hints_of(c->machine, c->insn)->even[x->mask != FULL_MASK];
    if ((*e)->mask == x->mask && (*e)->stride == (int64_t)x->stride &&
        (*e)->low == low)
        return true;
    **e = (struct even_hint){
        .mask = x->mask, .stride = (int32_t)x->stride, .low = low};
    return false;
}

void counts_shared(struct context *c, struct access *x) {
    struct even_hint *e, once;
    if (!is_remembered(c, x, &e)) {
        if (!e) e = &once;
        e->passes = counts_wavefronts(c, x, &e->ideal);
    }
    x->passes = e->passes;
    if (x->like)
        e->times++;
    else
        add_shared(costs_of(c->machine, c->insn), use_of(x), 1, e->passes,
                   e->ideal);
}

/* ---- global memory ---- */

/* Groups of `size` bits (a power of two) that are not all zero. */
static uint32_t groups_of_bits(uint64_t bits, uint32_t size) {
    for (uint32_t k = 1; k < size; k *= 2) bits |= bits >> k;
    bits &= size == 64 ? 1 : ~0ull / ((1ull << size) - 1);
    return (uint32_t)__builtin_popcountll(bits);
}

/* `pieces` can tell. */
static inline bool is_regular(const struct access *x) {
    return (x->shape.even && x->shape.neighbours) ||
           (x->shape.in_line && x->bytes >= 4);
}

/* Pieces of 1 << shift bytes that the lanes touch. */
static inline uint32_t pieces(const struct access *x, uint32_t shift) {
    int64_t stride = (int64_t)x->stride;
    if (x->shape.even &&
        x->shape.neighbours) { /* no piece between them is left out */
        if ((stride < 0 ? -stride : stride) >= 1 << shift)
            return x->shape.lanes;
        return (uint32_t)(((x->high + x->bytes - 1) >> shift) -
                          (x->low >> shift)) +
               1;
    } /* else a bit for each lane */
    uint32_t lanes = (1u << shift) / x->bytes;
    uint32_t at =
        (uint32_t)(x->address[x->shape.first] - x->shape.first * x->stride) /
        x->bytes;
    return groups_of_bits((uint64_t)x->mask << (at & (lanes - 1)), lanes);
}

static inline void add_global(uint64_t *n, bool write, uint64_t sectors,
                              uint64_t segments, uint64_t bytes) {
    n[write ? VGPU_COUNT_GLOBAL_WRITE_REQUESTS
            : VGPU_COUNT_GLOBAL_READ_REQUESTS]++;
    n[write ? VGPU_COUNT_GLOBAL_WRITE_SECTORS
            : VGPU_COUNT_GLOBAL_READ_SECTORS] += sectors;
    n[write ? VGPU_COUNT_GLOBAL_WRITE_SEGMENTS
            : VGPU_COUNT_GLOBAL_READ_SEGMENTS] += segments;
    n[write ? VGPU_COUNT_GLOBAL_WRITE_BYTES : VGPU_COUNT_GLOBAL_READ_BYTES] +=
        bytes;
}

/* How many lanes before each want what it wants; true: some do. Lanes that are
 * not active want nothing. */
WIDER static bool earlier_lanes(const uint64_t *a, uint32_t mask,
                                uint64_t *earlier) {
    uint64_t want[2 * WARP_LANES], any = 0;
    for (uint64_t l = 0; l < WARP_LANES; l++) {
        uint64_t on = 0 - (uint64_t)(mask >> l & 1);
        want[l] = ~l;
        want[WARP_LANES + l] = (a[l] & on) | (~(l + WARP_LANES) & ~on);
        earlier[l] = 0;
    }
    for (uint32_t k = 1; k < WARP_LANES; k++)
        for (uint32_t l = 0; l < WARP_LANES; l++)
            earlier[l] += want[WARP_LANES + l] == want[WARP_LANES + l - k];
    for (uint32_t l = 0; l < WARP_LANES; l++) any |= earlier[l];
    return any;
}

/* Sectors of an atomic as the hardware counts them: of the lanes at one word
 * the first goes in the first pass, the second in the second, and each pass
 * counts its sectors. */
static uint32_t passed_sectors(const struct access *x, uint32_t touched) {
    uint64_t pass[WARP_LANES];
    if (!earlier_lanes(x->address, x->mask, pass)) return touched;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        pass[l] = ((x->address[l] >> 5) << 5 | pass[l]) << 5;
    return count_sectors(pass, x->mask, 1, 5);
}

static __attribute__((noinline)) void
count_atomic(struct context *c, struct access *x, uint32_t sectors) {
    uint64_t *n = costs_of(c->machine, c->insn);
    bool used = c->insn->mode != ATOMIC_UNUSED;
    bool apart = x->shape.even && (int64_t)x->stride;
    if (!apart) access_spread(x);
    n[VGPU_COUNT_ATOMIC_SECTORS] += sectors;
    n[used ? VGPU_COUNT_OP_ATOM_REQUESTS : VGPU_COUNT_OP_RED_REQUESTS]++;
    n[used ? VGPU_COUNT_OP_ATOM_SECTORS : VGPU_COUNT_OP_RED_SECTORS] +=
        apart ? sectors : passed_sectors(x, sectors);
}

static inline void add_access(struct context *c, struct access *x,
                              uint32_t sectors, uint32_t segments) {
    uint32_t lanes = x->shape.neighbours
                         ? x->shape.lanes
                         : (uint32_t)__builtin_popcount(x->mask);
    uint32_t bytes = lanes * x->bytes;
    uint64_t *n = costs_of(c->machine, c->insn);
    if (!x->write || x->atomic) add_global(n, false, sectors, segments, bytes);
    if (x->write) add_global(n, true, sectors, segments, bytes);
    if (x->atomic) count_atomic(c, x, sectors);
    if (c->insn->read_only) {
        n[VGPU_COUNT_READONLY_REQUESTS]++;
        n[VGPU_COUNT_READONLY_SECTORS] += sectors;
    }
}

/* Lanes anywhere. The bytes of each lie in one sector, if they are a power of
 * two: so where each lane has a segment for itself, it has a sector for itself.
 */
static __attribute__((noinline)) void count_scattered(struct context *c,
                                                      struct access *x) {
    bool one_each = x->bytes <= 32 && !(x->bytes & (x->bytes - 1));
    access_spread(x);
    uint32_t n = count_sectors(x->address, x->mask, x->bytes, 7), segments = n;
    if (!one_each || n < (uint32_t)__builtin_popcount(x->mask))
        n = count_sectors(x->address, x->mask, x->bytes, 5);
    add_access(c, x, n, segments);
}

/* What goes over a link: lanes whose bytes are another GPU's. */
static __attribute__((noinline)) void count_link(struct context *c,
                                                 const struct access *x) {
    uint64_t *n = costs_of(c->machine, c->insn);
    bool strong = x->atomic || c->insn->order != ORDER_WEAK;
    uint64_t ways = x->atomic ? 2 : 1;
    for (uint32_t m = x->mask; m; m &= m - 1) {
        const struct region *r = access_region(x, (uint32_t)__builtin_ctz(m));
        const struct allocation *a =
            (const struct allocation *)(const void *)((const uint8_t *)r -
                                                      offsetof(
                                                          struct allocation,
                                                          region));
        if (a->gpu == c->machine->gpu || a->is_mapped) continue;
        n[VGPU_COUNT_LINK_BYTES] += ways * x->bytes;
        n[VGPU_COUNT_LINK_MESSAGES] += x->write && strong;
    }
}

uint32_t counts_constant(const struct access *x) {
    if (x->shape.even) return x->stride ? x->shape.lanes : 1;
    return count_sectors(x->address, x->mask, 1, 0);
}

static __attribute__((noinline)) void count_constant(struct context *c,
                                                     struct access *x) {
    uint64_t *n = costs_of(c->machine, c->insn);
    access_spread(x);
    n[VGPU_COUNT_CONSTANT_REQUESTS]++;
    n[VGPU_COUNT_CONSTANT_WORDS] += counts_constant(x);
}

void counts_global(struct context *c, struct access *x) {
    if (x->space == PTX_CONST) {
        count_constant(c, x);
        return;
    }
    if (c->machine->n_gpus > 1) count_link(c, x);
    if (is_regular(x))
        add_access(c, x, pieces(x, 5), pieces(x, 7));
    else
        count_scattered(c, x);
}

void counts_bulk(struct context *c, uint64_t global, uint32_t bytes,
                 bool write) {
    uint64_t last = global + bytes - 1;
    add_global(costs_of(c->machine, c->insn), write,
               (last >> 5) - (global >> 5) + 1, (last >> 7) - (global >> 7) + 1,
               bytes);
}
