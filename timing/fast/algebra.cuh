/* SPDX-License-Identifier: MIT
 *
 * algebra.cuh: what the engines (tiles.cuh, stream.cuh) know of a scan. An
 * algebra A has
 *
 *   Elem          an element
 *   Sum           what a stretch of elements of one slot comes to
 *   Shift         how a sum changes when m elements more follow it
 *   nothing()     the element, none() the sum, that changes nothing
 *   next(s, x)    s becomes the sum with x behind it; returns the result at x
 *   join(a, b)    the sum of two neighbours; a, the older one, is shifted
 *                 already by the length of b
 *   later(m)      the Shift by m elements; earlier(m) undoes it
 *   shifted(s, m) s, m elements later
 *   IN_ORDER      join does not commute: neighbours only
 *   SHIFTS        Shift is not empty
 *
 * Sums and orders of sums commute once they are shifted, so that stretches may
 * be joined in any order.
 */
#pragma once

#include "scan_operators.h"

struct no_shift {};

/* An operator of lab 6. */
template <enum scan_operator OP, typename T> __device__ T joined(T x, T y) {
    return sizeof(T) == 8 ? (T)scan_join_i64(OP, (int64_t)x, (int64_t)y)
                          : (T)scan_join_i32(OP, (int32_t)x, (int32_t)y);
}

template <enum scan_operator OP, typename T, bool EXCLUSIVE> struct operation {
    typedef T Elem;
    typedef T Sum;
    typedef no_shift Shift;
    enum { IN_ORDER = OP == SCAN_AFFINE, SHIFTS = false };
    static __device__ T nothing(void) {
        return sizeof(T) == 8 ? (T)scan_identity_i64(OP)
                              : (T)scan_identity_i32(OP);
    }
    static __device__ T none(void) { return nothing(); }
    static __device__ T next(T &sum, T x) {
        T before = sum;
        sum = joined<OP>(sum, x);
        return EXCLUSIVE ? before : sum;
    }
    static __device__ T join(T a, T b) { return joined<OP>(a, b); }
    static __device__ Shift later(unsigned) { return Shift(); }
    static __device__ Shift earlier(unsigned) { return Shift(); }
    static __device__ T shifted(T sum, Shift) { return sum; }
};

/* Sums of orders 1 to Q, T unsigned: a polynomial modulo z^Q, the sum of order
 * d + 1 being the coefficient of z^d. An element more makes s into
 * (s + x) / (1 - z), m more that are 0 make it into s / (1 - z)^m: one product
 * carries all orders past a stretch (lab 7, "one exchange"). */
template <typename T, int Q> struct series { T of[Q]; };

/* 1 <= d <= 7. */
constexpr __device__ int twos_of(int d) {
    return d % 2 ? 0 : d % 4 ? 1 : 2;
}
/* Of d without its twos, modulo 2^64 and so modulo 2^32: 1 / 3, 1 / 5, 1 / 7.
 */
template <typename T> constexpr __device__ T inverse_of_odd(int d) {
    return d % 3 == 0 ? (T)0xaaaaaaaaaaaaaaabull
           : d == 5   ? (T)0xcccccccccccccccdull
           : d == 7   ? (T)0x6db6db6db6db6db7ull
                      : (T)1;
}

template <typename T, int Q> struct orders {
    typedef T Elem;
    typedef series<T, Q> Sum;
    typedef series<T, Q> Shift;
    enum { IN_ORDER = false, SHIFTS = true, PARTS = Q };
    static __device__ T nothing(void) { return 0; }
    static __device__ Sum none(void) { return Sum{}; }
    static __device__ T next(Sum &sum, T x) {
        sum.of[0] += x;
#pragma unroll
        for (int d = 1; d < Q; d++) sum.of[d] += sum.of[d - 1];
        return sum.of[Q - 1];
    }
    static __device__ Sum join(const Sum &a, const Sum &b) {
        Sum sum;
#pragma unroll
        for (int d = 0; d < Q; d++) sum.of[d] = a.of[d] + b.of[d];
        return sum;
    }
    static __device__ Sum shifted(const Sum &s, const Shift &m) {
        Sum product = {};
#pragma unroll
        for (int d = 0; d < Q; d++)
#pragma unroll
            for (int e = 0; e <= d; e++) product.of[d] += s.of[e] * m.of[d - e];
        return product;
    }
    /* The coefficients of 1 / (1 - z)^m are binomials, C(m + d - 1, d); those
     * of its inverse are C(m, d) with alternating signs. Each is a product of d
     * neighbouring numbers over d!, but nothing is divided: twos are counted,
     * and what is left of d! is odd and has an inverse. m < 2^26: of all
     * factors together there are fewer than 32 twos. */
    template <bool EARLIER> static __device__ Shift binomials(unsigned m) {
        Shift c = {{1}};
        T odd = 1;
        int twos = 0;
#pragma unroll
        for (int d = 1; d < Q; d++) {
            unsigned factor = EARLIER ? m - d + 1 : m + d - 1;
            int even = factor == 0 ? 0 : __ffs((int)factor) - 1;
            odd *= (T)(factor >> even) * inverse_of_odd<T>(d);
            twos += even - twos_of(d);
            bool some = EARLIER ? (unsigned)d <= m : m > 0;
            if (some)
                c.of[d] = EARLIER && d % 2 ? 0 - (odd << twos) : odd << twos;
        }
        return c;
    }
    static __device__ Shift later(unsigned m) {
        return binomials<false>(m);
    }
    static __device__ Shift earlier(unsigned m) {
        return binomials<true>(m);
    }

    /* A series of which each of eight neighbouring lanes has one coefficient,
     * lane 8k + d that of z^d: its product with m, which lies in shared memory
     * (lanes take different coefficients of it). A whole warp; from lane 8k + Q
     * on, nothing. */
    static __device__ T shifted_part(T mine, const Shift &m) {
        int d = threadIdx.x % 8;
        T product = 0;
#pragma unroll
        for (int e = 0; e < Q; e++) {
            T other = __shfl_sync(0xffffffffu, mine, e, 8);
            bool some = e <= d && d - e < Q;
            T by = m.of[some ? d - e : 0];
            product += other * (some ? by : 0);
        }
        return product;
    }
    /* What LANES neighbouring lanes have together, spread like that. Each lane
     * passes on half of the coefficients that it is left with, three times. */
    template <int LANES> static __device__ T sum_of_lanes(const Sum &s) {
        T left[8];
#pragma unroll
        for (int d = 0; d < 8; d++) left[d] = d < Q ? s.of[d] : 0;
#pragma unroll
        for (int half = 4; half > 0; half /= 2) {
            bool upper = threadIdx.x & half;
#pragma unroll
            for (int d = 0; d < half; d++) {
                T keep = upper ? left[d + half] : left[d];
                if (half >= Q) { /* there is nothing in the upper half */
                    left[d] += __shfl_xor_sync(0xffffffffu, left[d], half);
                    continue;
                }
                T pass = upper ? left[d] : left[d + half];
                left[d] = keep + __shfl_xor_sync(0xffffffffu, pass, half);
            }
        }
#pragma unroll
        for (int by = 8; by < LANES; by *= 2)
            left[0] += __shfl_xor_sync(0xffffffffu, left[0], by);
        return left[0];
    }
};

/* The same, but binomials come from repeated squaring: some 25 times as many
 * instructions once in a block, and yet faster for some shapes
 * (SHAPE_SQUARES). */
template <typename T, int Q> struct squaring_orders : orders<T, Q> {
    typedef typename orders<T, Q>::Shift Shift;
    static __device__ Shift power(Shift square, unsigned m) {
        Shift result = {{1}};
        for (; m > 0; m /= 2) {
            if (m % 2 == 1) result = orders<T, Q>::shifted(result, square);
            square = orders<T, Q>::shifted(square, square);
        }
        return result;
    }
    static __device__ Shift later(unsigned m) {
        Shift one;
        for (int d = 0; d < Q; d++) one.of[d] = 1;
        return power(one, m);
    }
    static __device__ Shift earlier(unsigned m) {
        Shift one = {{1, (T)-1}};
        return power(one, m);
    }
};
template <class A> struct squaring { typedef A type; };
template <typename T, int Q> struct squaring<orders<T, Q>> {
    typedef squaring_orders<T, Q> type;
};

/* Order 1: addition, also of floats. */
template <typename T> struct orders<T, 1> {
    typedef T Elem;
    typedef T Sum;
    typedef no_shift Shift;
    enum { IN_ORDER = false, SHIFTS = false };
    static __device__ T nothing(void) { return 0; }
    static __device__ T none(void) { return 0; }
    static __device__ T next(T &sum, T x) { return sum += x; }
    static __device__ T join(T a, T b) { return a + b; }
    static __device__ Shift later(unsigned) { return Shift(); }
    static __device__ Shift earlier(unsigned) { return Shift(); }
    static __device__ T shifted(T sum, Shift) { return sum; }
};

/* ---- sums between lanes ---- */

template <typename Sum> struct words_of {
    enum { WORDS = sizeof(Sum) / 4 };
    uint32_t word[WORDS];
    __device__ words_of(void) {}
    __device__ explicit words_of(const Sum &sum) {
        memcpy(word, &sum, sizeof sum);
    }
    __device__ Sum sum(void) const {
        Sum s;
        memcpy(&s, word, sizeof s);
        return s;
    }
};

#define ALL_LANES 0xffffffffu

template <typename Sum> __device__ Sum shuffle_up(const Sum &sum, int by) {
    words_of<Sum> w(sum);
#pragma unroll
    for (int k = 0; k < w.WORDS; k++)
        w.word[k] = __shfl_up_sync(ALL_LANES, w.word[k], by);
    return w.sum();
}

template <typename Sum> __device__ Sum shuffle_down(const Sum &sum, int by) {
    words_of<Sum> w(sum);
#pragma unroll
    for (int k = 0; k < w.WORDS; k++)
        w.word[k] = __shfl_down_sync(ALL_LANES, w.word[k], by);
    return w.sum();
}
