/* SPDX-License-Identifier: MIT
 *
 * held.cuh: what a warp of a wave (wave.cuh) holds in shared memory, behind its
 * rows in registers: some packs of 16 bytes for each lane. One bulk copy brings
 * them, so that they are on their way while no thread has registers for them.
 *
 * A lane walks down a column of its own, neighbouring packs, so that one scan
 * across the lanes is enough for all of them. Columns are an odd number of
 * packs: eight lanes that access shared memory together then meet all banks.
 */
#pragma once

#include "bulk.cuh"
#include "tiles.cuh"

template <typename T> __device__ pack<T> load_pack(const pack<T> *from) {
    if (!SHAPE_WAVE_ONCE) return *from;
    int4 bits = __ldcs((const int4 *)from);
    pack<T> p;
    memcpy(&p, &bits, sizeof p);
    return p;
}

template <class A> struct held_part {
    typedef typename A::Elem T;
    typedef typename A::Sum Sum;
    typedef pack<T> row;

    row *mine;            /* the warp's, one behind another */
    unsigned packs, lane; /* of a column; this one */
    unsigned first, size; /* element, and how many there are before n */
    gate *arrival;

    __device__ held_part(row *room, unsigned in_column, unsigned this_lane,
                         unsigned from, unsigned n, gate *warps_own)
        : mine(room), packs(in_column), lane(this_lane), first(from),
          size(from < n ? min(n - from, room_for()) : 0), arrival(warps_own) {}

    __device__ unsigned room_for(void) const { return packs * 32 * row::SIZE; }
    /* Elements that bulk copies move: whole packs. */
    __device__ unsigned wide(void) const { return size - size % row::SIZE; }

    /* Behind n, there is nothing. */
    __device__ void bring(const T *in) {
        if (lane == 0) {
            unsigned bytes = wide() * (unsigned)sizeof(T);
            arrival->prepare(1);
            fence_for_bulk();
            if (bytes > 0) {
                arrival->arrive_and_expect(bytes);
                if (SHAPE_WAVE_ONCE)
                    bulk_load_once(mine, in + first, bytes, arrival);
                else
                    bulk_load(mine, in + first, bytes, arrival);
            } else
                arrival->arrive();
        }
        T *item = (T *)mine;
        for (unsigned i = wide() + lane; i < room_for(); i += 32)
            item[i] = i < size ? in[first + i] : A::nothing();
        __syncwarp();
    }

    /* Of this lane's column, when it is there. */
    __device__ Sum sum(void) const {
        arrival->wait(0);
        const row *column = mine + lane * packs;
        Sum sum = A::none();
#pragma unroll 3
        for (unsigned k = 0; k < packs; k++) {
            row p = column[k];
#pragma unroll
            for (int i = 0; i < row::SIZE; i++) A::next(sum, p.item[i]);
        }
        return sum;
    }

    /* A column becomes the results, from what lies before it. */
    __device__ void walk(Sum before) const {
        row *column = mine + lane * packs;
#pragma unroll 3
        for (unsigned k = 0; k < packs; k++) {
            row p = column[k];
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                p.item[i] = A::next(before, p.item[i]);
            column[k] = p;
        }
    }

    /* Has all be taken away, as it is. Lane 0 waits for the end of that. */
    __device__ void take_away(T *out) const {
        fence_for_bulk();
        __syncwarp();
        if (lane == 0 && wide() > 0)
            bulk_store(out + first, mine, wide() * (unsigned)sizeof(T));
        if (wide() + lane < size)
            out[first + wide() + lane] = ((const T *)mine)[wide() + lane];
    }

    /* What walk made, behind what was not known then. */
    __device__ void store(T *out, const Sum &behind) const {
        __syncwarp();
#pragma unroll 3
        for (unsigned k = 0; k < packs; k++) {
            unsigned at = (k * 32 + lane) * row::SIZE;
            row p = mine[k * 32 + lane];
#pragma unroll
            for (int i = 0; i < row::SIZE; i++)
                p.item[i] = A::join(behind, p.item[i]);
            if (at < wide()) *(row *)(out + first + at) = p;
#pragma unroll
            for (int i = 0; i < row::SIZE - 1; i++)
                if (at == wide() && at + i < size)
                    out[first + at + i] = p.item[i];
        }
    }
};
