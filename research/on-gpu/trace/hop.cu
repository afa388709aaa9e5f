/* SPDX-License-Identifier: MIT
 *
 * hop.cu: what a message from one block to the next takes: the floor of a
 * chained scan (lab 5), whose tiles wait for each other one by one. The blocks
 * are as many as lab 5's, and pass messages as its reference does, with nothing
 * else to do. CSV to standard output: blocks, messages, and of 11 runs the
 * median, least and most nanoseconds per message. Built and run by trace.sh.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "chained.h"

enum { MESSAGES = 1 << 15, TIMES = 11, THREADS = 32 * CHAINED_WARPS };

typedef unsigned long long message;
#define READY ((message)1 << 32)

static void must(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "hop: %s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

__global__ void pass_on(message *box, int n) {
    for (int tile = (int)blockIdx.x; tile < n; tile += (int)gridDim.x) {
        if (threadIdx.x == 0) {
            message m = READY;
            if (tile > 0) do
                    m = *(volatile message *)&box[tile - 1];
                while (!(m & READY));
            *(volatile message *)&box[tile] = m + 1;
        }
        __syncthreads();
    }
}

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void measure(message *box, int blocks) {
    float ns[TIMES];
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin), "event");
    must(cudaEventCreate(&end), "event");
    for (int i = -1; i < TIMES; i++) {
        float ms;
        message last;
        must(cudaMemset(box, 0, MESSAGES * sizeof *box), "clear");
        must(cudaEventRecord(begin), "record");
        pass_on<<<blocks, THREADS>>>(box, MESSAGES);
        must(cudaGetLastError(), "launch");
        must(cudaEventRecord(end), "record");
        must(cudaEventSynchronize(end), "wait");
        must(cudaEventElapsedTime(&ms, begin, end), "time");
        must(cudaMemcpy(&last, box + MESSAGES - 1, sizeof last,
                        cudaMemcpyDeviceToHost),
             "read");
        if (last != READY + MESSAGES) {
            fprintf(stderr, "hop: a message was lost\n");
            exit(1);
        }
        if (i >= 0) ns[i] = 1e6f * ms / MESSAGES;
    }
    qsort(ns, TIMES, sizeof *ns, by_value);
    printf("%d,%d,%.1f,%.1f,%.1f\n", blocks, MESSAGES, ns[TIMES / 2], ns[0],
           ns[TIMES - 1]);
}

int main(void) {
    message *box;
    cudaDeviceProp is;
    int resident = 0;
    must(cudaGetDeviceProperties(&is, 0), "device");
    must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, pass_on,
                                                       THREADS, 0),
         "occupancy");
    must(cudaMalloc(&box, MESSAGES * sizeof *box), "allocate");
    puts("blocks,messages,ns,least,most");
    measure(box, is.multiProcessorCount);
    measure(box, is.multiProcessorCount * resident);
    return 0;
}
