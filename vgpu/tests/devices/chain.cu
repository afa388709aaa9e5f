// SPDX-License-Identifier: MIT
// One message per device, chained: device d adds the sum of the devices before it
// to its part and hands the next one the sum with its own. `chain` uses system
// scope; `chain device` fences and stores for the device only, which is wrong.
#include "check.h"

#include <vector>

// Lies on the device that reads it.
struct message {
    int sum;
    volatile int flag;
};

__device__ void fence(bool system) {
    if (system)
        __threadfence_system();
    else
        __threadfence();
}

// Launched on the last device first, so that each one waits.
__global__ void scan_part(int *part, int n, message *from,
                          message *to, bool system) {
    __shared__ int before;
    if (threadIdx.x == 0) {
        int sum = 0, own = 0;
        for (int k = 0; k < n; k++) own += part[k];
        if (from) {
            while (!from->flag) {
            }
            fence(system);
            sum = from->sum; // BUG read
        }
        if (to) {
            to->sum = sum + own; // BUG write
            fence(system);
            to->flag = 1;
        }
        before = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = before;
        for (int k = 0; k < n; k++) part[k] = sum += part[k];
    }
}

//: what: one message for each device; with fences of the wrong scope
//: run: --check all --device teach-x2 | --check all --gpus 4 --schedule reverse
//: run: --check all --device teach-x2 --schedule random:SEED --memory-model weak:SEED
//: run: --check all --gpus 4 --schedule random:SEED --memory-model weak:SEED
//: case: devices-chain
//: expect: prints 0 wrong
//: case: devices-chain-scope device
//: expect: finding global-race at read other write "race of devices" "only the scope of the system"
//: case: devices-chain-weak device
//: run: --device teach-x2 --memory-model weak:SEED --schedule random:SEED
//: seeds: 40
//: least: 3 of 40
//: exit: 1
//: expect: prints 2 devices, 1
//: gpu: no, it may be right there
int main(int argc, char **argv) {
    bool system = argc < 2 || strcmp(argv[1], "device") != 0;
    const int n = 100;
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    std::vector<int *> parts(devices);
    std::vector<message *> messages(devices);
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        for (int p = 0; p < devices; p++)
            if (p != d) CHECK(cudaDeviceEnablePeerAccess(p, 0));
        CHECK(cudaMalloc(&parts[d], n * sizeof(int)));
        CHECK(cudaMalloc(&messages[d], sizeof(message)));
        CHECK(cudaMemset(messages[d], 0, sizeof(message)));
        std::vector<int> ones(n, 1);
        CHECK(cudaMemcpy(parts[d], ones.data(), n * sizeof(int),
                         cudaMemcpyHostToDevice));
    }
    for (int d = devices - 1; d >= 0; d--) {
        CHECK(cudaSetDevice(d));
        scan_part<<<1, 64>>>(parts[d], n, d ? messages[d] : nullptr,
                             d + 1 < devices ? messages[d + 1] : nullptr,
                             system);
        CHECK(cudaGetLastError());
    }
    for (int d = 0; d < devices; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaDeviceSynchronize());
    }
    int wrong = 0;
    for (int d = 0; d < devices; d++) {
        std::vector<int> got(n);
        CHECK(cudaMemcpy(got.data(), parts[d], n * sizeof(int),
                         cudaMemcpyDeviceToHost));
        for (int k = 0; k < n; k++) wrong += got[k] != d * n + k + 1;
        CHECK(cudaFree(parts[d]));
        CHECK(cudaFree(messages[d]));
    }
    printf("%d devices, %d wrong\n", devices, wrong);
    return wrong != 0;
}
