/* SPDX-License-Identifier: MIT
 *
 * tiny.cu: the smallest image that holds something to find.
 */
extern "C" __global__ void tiny(int *a) { a[threadIdx.x] += 1; }
