/* SPDX-License-Identifier: MIT
 *
 * client_driver.c: what libcuda.so.1 (cuda/driver) is lent beside the
 * functions that programs have, too.
 */
#include "client.h"
#include "driver_table.h"

static int for_driver_refuse(int call) {
    return client_refuse((vgpu_call)call);
}

static int for_driver_load(void **handle) {
    client_lock();
    int error = client_connect();
    if (!error) error = client_image_load((struct client_image *)handle);
    return client_end(error);
}

static int for_driver_unload(void **handle) {
    client_lock();
    int error = client_connect();
    if (!error) error = client_image_unload((struct client_image *)handle);
    return client_end(error);
}

static int for_driver_range(uint64_t address, uint64_t *base, uint64_t *bytes) {
    struct vgpu_request_POINTER request = {.address = address};
    struct vgpu_reply_POINTER reply = {0};
    client_lock();
    int error = client_ask(VGPU_REQUEST_POINTER, &request, &reply);
    *base = reply.address;
    *bytes = reply.bytes;
    return client_end(error);
}

CUDA_API const struct vgpu_driver_table __cudaVgpuForDriver = {
    .version = VGPU_DRIVER_TABLE,
    .refuse = for_driver_refuse,
    .load = for_driver_load,
    .unload = for_driver_unload,
    .range = for_driver_range};
