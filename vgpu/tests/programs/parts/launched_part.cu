/* SPDX-License-Identifier: MIT
 *
 * launched_part.cu: a kernel that one of launches.cu launches.
 */
__global__ void elsewhere(int *x) {
    x[threadIdx.x] = 2 * (int)threadIdx.x;
}
