/* SPDX-License-Identifier: MIT
 *
 * kernels.cl: kernels.cu in OpenCL C, for Oclgrind. Two differences: OpenCL 1.2
 * has no 64-bit atomics everywhere, so the look-back's status is 32 bits (two
 * of flag, thirty of value); and it is read and written by atomics, where CUDA
 * has volatile accesses.
 */
#define THREADS 256
#define TILE 512
#define BINS 64
#define AGGREGATE 1u
#define PREFIX 2u
#define VALUE 0x3fffffffu

kernel void step(global const int *in, global int *out,
                 volatile global uint *aux, int n, int offset)
{
    int i = get_global_id(0);
    if (i < n)
        out[i] = i >= offset ? in[i] + in[i - offset] : in[i];
}

kernel void blelloch(global const int *in, global int *out,
                     volatile global uint *aux, int n, int arg)
{
    local int temp[TILE];
    int t = get_local_id(0), base = get_group_id(0) * TILE, offset = 1;
    temp[t] = in[base + t];
    temp[t + THREADS] = in[base + t + THREADS];
    for (int d = TILE / 2; d > 0; d /= 2, offset *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            temp[offset * (2 * t + 2) - 1] += temp[offset * (2 * t + 1) - 1];
    }
    if (t == 0)
        temp[TILE - 1] = 0;
    for (int d = 1; d < TILE; d *= 2) {
        offset /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
            int left = temp[a];
            temp[a] = temp[b];
            temp[b] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + t] = temp[t];
    out[base + t + THREADS] = temp[t + THREADS];
}

kernel void lookback(global const int *in, global int *out,
                     volatile global uint *aux, int n, int arg)
{
    local uint sums[THREADS], tile, before;
    volatile global uint *status = aux + 1;
    int t = get_local_id(0);
    if (t == 0)
        tile = atomic_add(aux, 1u);
    barrier(CLK_LOCAL_MEM_FENCE);
    int base = tile * TILE + 2 * t;
    uint a = in[base], b = in[base + 1], sum = a + b;
    sums[t] = sum;
    for (int d = 1; d < THREADS; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint left = t >= d ? sums[t - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += left;
        sums[t] = sum;
    }
    if (t == THREADS - 1) {
        uint prefix = 0;
        atomic_xchg(&status[tile], (tile ? AGGREGATE : PREFIX) << 30 | sum);
        for (int k = (int)tile - 1; k >= 0; k--) {
            uint s;
            do
                s = atomic_or(&status[k], 0u);
            while (!(s >> 30));
            prefix += s & VALUE;
            if (s >> 30 == PREFIX)
                break;
        }
        if (tile)
            atomic_xchg(&status[tile], PREFIX << 30 | (prefix + sum));
        before = prefix;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += before;
    out[base] = sum - b;
    out[base + 1] = sum;
}

kernel void histogram(global const int *in, volatile global int *out,
                      volatile global uint *aux, int n, int arg)
{
    local int bins[BINS];
    int t = get_local_id(0), base = get_group_id(0) * TILE;
    if (t < BINS)
        bins[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[in[base + t] % BINS], 1);
    atomic_add(&bins[in[base + t + THREADS] % BINS], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < BINS)
        atomic_add(&out[t], bins[t]);
}
