/* SPDX-License-Identifier: MIT
 *
 * launch.cu: what a launch costs a program: microseconds each for batches of
 * 10,000 launches of an empty kernel, one batch a line. "launch" counts on the
 * queue; "sync" waits after each.
 */
#include <stdio.h>
#include <time.h>

__global__ void empty(void) {}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(void) {
    enum { LAUNCHES = 10000, BATCHES = 5 };
    empty<<<1, 32>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    for (int wait = 0; wait < 2; wait++)
        for (int b = 0; b < BATCHES; b++) {
            double start = now_us();
            for (int k = 0; k < LAUNCHES; k++) {
                empty<<<1, 32>>>();
                if (wait && cudaDeviceSynchronize() != cudaSuccess) return 1;
            }
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
            printf("%s %.3f\n", wait ? "sync" : "launch",
                   (now_us() - start) / LAUNCHES);
        }
    return 0;
}
