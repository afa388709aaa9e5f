/* SPDX-License-Identifier: MIT
 *
 * client_gpus.c: several devices: which one is current (of each host thread),
 * which may use another's memory, and waiting while other threads of the
 * program have still to ask for what a kernel waits for.
 */
#include "client.h"

#include <dirent.h>
#include <time.h>

static _Thread_local int current;
/* Guarded by the client's lock: of each device those whose memory it may use,
 * as bits. */
static unsigned peers[VGPU_MOST_GPUS];

int client_n_gpus(void) {
    int n = client_device()->n_gpus;
    return n > 1 ? n : 1;
}

int client_gpu(void) {
    return current;
}

int client_use_gpu(int gpu) {
    int before = current;
    current = gpu;
    return before;
}

int client_gpu_of(const void *pointer) {
    struct vgpu_request_POINTER request = {.address =
                                               (uint64_t)(uintptr_t)pointer};
    struct vgpu_reply_POINTER reply = {0};
    return client_ask(VGPU_REQUEST_POINTER, &request, &reply) ? 0
                                                              : (int)reply.gpu;
}

/* Locks, connects, and checks that there is such a device. */
static int client_gpus_begin(int device) {
    int error = client_begin();
    if (error) return error;
    return device < 0 || device >= client_n_gpus() ? (int)cudaErrorInvalidDevice
                                                   : cudaSuccess;
}

CUDA_API int cudaSetDevice(int device) {
    int error = client_gpus_begin(device);
    if (!error) current = device;
    return client_end(error);
}

CUDA_API int cudaGetDevice(int *device) {
    int error = client_begin();
    if (!error && !device) error = cudaErrorInvalidValue;
    if (!error) *device = current;
    return client_end(error);
}

/* ---- peers ---- */

CUDA_API int cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    int error = client_gpus_begin(device);
    if (!error && (peer < 0 || peer >= client_n_gpus()))
        error = cudaErrorInvalidDevice;
    if (!error && !can) error = cudaErrorInvalidValue;
    if (!error) *can = device != peer;
    return client_end(error);
}

CUDA_API int cudaDeviceGetP2PAttribute(int *value, int attribute, int device,
                                       int peer) {
    enum { RANK = 1, ACCESS, NATIVE_ATOMIC, ARRAY_ACCESS };
    int error = client_gpus_begin(device);
    if (!error && (peer < 0 || peer >= client_n_gpus() || peer == device))
        error = cudaErrorInvalidDevice;
    if (!error && (!value || attribute < RANK || attribute > ARRAY_ACCESS))
        error = cudaErrorInvalidValue;
    if (!error) *value = attribute == ACCESS || attribute == NATIVE_ATOMIC;
    return client_end(error);
}

static int set_peer(int peer, bool may) {
    struct vgpu_request_PEER request = {.peer = (uint32_t)peer, .may = may};
    int error = client_unsafe();
    /* What was launched before runs as it was allowed to then. */
    if (!error) client_order_say(VGPU_ORDER_HOST_ALL, NULL, 0);
    if (!error) error = client_sync();
    if (!error) error = client_ask(VGPU_REQUEST_PEER, &request, NULL);
    if (error) return error;
    peers[current] ^= 1u << peer;
    return cudaSuccess;
}

CUDA_API int cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    int error = client_gpus_begin(peer);
    if (!error && peer == current) error = cudaErrorInvalidDevice;
    if (!error && flags) error = cudaErrorInvalidValue;
    if (!error && peers[current] >> peer & 1)
        error = cudaErrorPeerAccessAlreadyEnabled;
    return client_end(error ? error : set_peer(peer, true));
}

CUDA_API int cudaDeviceDisablePeerAccess(int peer) {
    int error = client_gpus_begin(peer);
    if (!error && !(peers[current] >> peer & 1))
        error = cudaErrorPeerAccessNotEnabled;
    return client_end(error ? error : set_peer(peer, false));
}

/* ---- waiting for other threads ---- */

/* Threads of the program that could ask for something. */
static int count_threads(void) {
    DIR *tasks = opendir("/proc/self/task");
    int n = tasks ? -2 : 1; /* "." and ".." */
    while (tasks && readdir(tasks)) n++;
    if (tasks) closedir(tasks);
    return n;
}

void client_gpus_wait(int tries) {
    enum { MOST = 2000 };
    static const struct timespec moment = {.tv_nsec = 1000000};
    struct client_order_kept kept = client_order_keep();
    if (tries < MOST && count_threads() > 1) {
        client_unlock();
        nanosleep(&moment, NULL);
        client_lock();
        client_order_again(&kept);
        return;
    }
    struct vgpu_request_NOBODY none = {0};
    client_ask(VGPU_REQUEST_NOBODY, &none, NULL);
    client_order_again(&kept);
}
