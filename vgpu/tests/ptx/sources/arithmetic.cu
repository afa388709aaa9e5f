/* SPDX-License-Identifier: MIT
 *
 * arithmetic.cu: conversions, halves and maths, for the variety of forms.
 */
#include <cuda_fp16.h>
#include <cuda_bf16.h>

extern "C" __global__ void maths(float *f, double *d, int n) {
    int t = threadIdx.x;
    float x = f[t];
    double y = d[t];
    f[t] = sinf(x) + expf(x) * log2f(x) + powf(x, 3.1f) + sqrtf(x) + tanhf(x) +
           __sinf(x) + __fdividef(x, 3.0f) + fmaf(x, x, 2.0f) + rsqrtf(x) +
           fminf(x, 0.5f) + copysignf(x, -1.0f) + ceilf(x) + truncf(x);
    d[t] = sin(y) + exp(y) * log(y) + pow(y, 2.5) + sqrt(y) + fma(y, y, 1.0) +
           rint(y) + y / n + __double2int_rn(y) + fmod(y, 3.0);
    if (isnan(x) || isinf(y)) f[t] = __int_as_float(0x7fc00000);
}

extern "C" __global__ void integers(long long *a, unsigned *b, short *s,
                                    signed char *c) {
    int t = threadIdx.x;
    a[t] = a[t + 1] / a[t + 2] + a[t] % 7 + __mul64hi(a[t], 3);
    b[t] = b[t + 1] / b[t + 2] + b[t] % 5 + __umulhi(b[t], 3) + __umul24(t, 5) +
           __sad(t, 3, 2u) + __popcll(a[t]) + __dp4a(b[t], b[t + 1], 0u) +
           min(b[t], 9u) + __vadd4(b[t], 7u) + __clzll(a[t]) + abs(c[t]);
    s[t] = (short)(s[t] * c[t] >> 3);
    c[t] = (signed char)(s[t] + (b[t] << (t & 7)) + (a[t] >> t));
}

extern "C" __global__ void halves(__half *h, __half2 *h2, __nv_bfloat16 *b) {
    int t = threadIdx.x;
    h[t] = __hadd(h[t], __float2half(1.5f)) * h[t + 1];
    h2[t] = __hfma2(h2[t], h2[t + 1], h2[t + 2]);
    b[t] = __float2bfloat16(__bfloat162float(b[t]) + __half2float(h[t]));
    if (__hlt(h[t], h[t + 1])) h[t] = hsqrt(h[t]);
}

extern "C" __global__ void moves(float4 *a, double2 *b, uchar4 *c, short2 *s) {
    int t = threadIdx.x;
    float4 v = __ldg(a + t);
    v.x += __ldcg(&a[t + 1].y) + __ldcs(&a[t + 2].w);
    a[t + 3] = v;
    double2 w = b[t];
    w.y += 1.0;
    b[t + 1] = w;
    uchar4 u = c[t];
    u.z++;
    c[t + 1] = u;
    s[t] = make_short2(s[t + 1].y, s[t + 1].x);
    __stcg(&a[t].x, 2.0f);
}
