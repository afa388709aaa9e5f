/* SPDX-License-Identifier: MIT
 *
 * driver_device.c: devices: how many, their names, properties and attributes.
 * The numbers of attributes are the runtime's.
 */
#include "driver.h"

#include <stdio.h>
#include <string.h>

enum { CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76 };

/* How a cudaDeviceProp begins, in every version. */
struct properties {
    char name[256], uuid[16], luid[8];
    unsigned nodes;
    size_t memory;
    char more[4096];
};

/* cuInit, and there is such a device. */
static int driver_device_begin(int device) {
    int n = 0, error = driver_begin();
    if (!error) error = driver_result(driver_runtime()->cudaGetDeviceCount(&n));
    if (!error && (device < 0 || device >= n)) error = CU_INVALID_DEVICE;
    return error;
}
#define OF_DEVICE(device, ...)                                                 \
    do {                                                                       \
        int error_before = driver_device_begin(device);                        \
        if (error_before) return error_before;                                 \
        return driver_result(driver_runtime()->__VA_ARGS__);                   \
    } while (0)

DRIVER_API int cuDeviceGetCount(int *count) {
    int error = driver_begin();
    if (!error && !count) error = CU_INVALID_VALUE;
    return error ? error
                 : driver_result(driver_runtime()->cudaGetDeviceCount(count));
}

DRIVER_API int cuDeviceGet(int *device, int ordinal) {
    int error = driver_device_begin(ordinal);
    if (!error && !device) error = CU_INVALID_VALUE;
    if (!error) *device = ordinal;
    return error;
}

static int properties_of(int device, struct properties *p) {
    int error = driver_device_begin(device);
    if (error) return error;
    return driver_result(driver_runtime()->cudaGetDeviceProperties(p, device));
}

DRIVER_API int cuDeviceGetName(char *name, int bytes, int device) {
    struct properties p;
    int error = properties_of(device, &p);
    if (!error && (!name || bytes <= 0)) error = CU_INVALID_VALUE;
    if (!error) snprintf(name, (size_t)bytes, "%s", p.name);
    return error;
}

DRIVER_API int cuDeviceGetUuid(void *uuid, int device) {
    struct properties p;
    int error = properties_of(device, &p);
    if (!error && !uuid) error = CU_INVALID_VALUE;
    if (!error) memcpy(uuid, p.uuid, sizeof p.uuid);
    return error;
}
DRIVER_ALSO(cuDeviceGetUuid_v2, cuDeviceGetUuid);

DRIVER_API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    struct properties p;
    int error = properties_of(device, &p);
    if (!error && !bytes) error = CU_INVALID_VALUE;
    if (!error) *bytes = p.memory;
    return error;
}

DRIVER_API int cuDeviceGetAttribute(int *value, int attribute, int device) {
    OF_DEVICE(device, cudaDeviceGetAttribute(value, attribute, device));
}

DRIVER_API int cuDeviceComputeCapability(int *major, int *minor, int device) {
    int error = cuDeviceGetAttribute(major, CAPABILITY_MAJOR, device);
    return error ? error
                 : cuDeviceGetAttribute(minor, CAPABILITY_MINOR, device);
}

DRIVER_API int cuDeviceGetPCIBusId(char *id, int bytes, int device) {
    OF_DEVICE(device, cudaDeviceGetPCIBusId(id, bytes, device));
}
DRIVER_API int cuDeviceGetByPCIBusId(int *device, const char *id) {
    OF_DEVICE(0, cudaDeviceGetByPCIBusId(device, id));
}
DRIVER_API int cuDeviceCanAccessPeer(int *can, int device, int peer) {
    OF_DEVICE(device, cudaDeviceCanAccessPeer(can, device, peer));
}
DRIVER_API int cuDeviceGetP2PAttribute(int *value, int attribute, int device,
                                       int peer) {
    OF_DEVICE(device,
              cudaDeviceGetP2PAttribute(value, attribute, device, peer));
}
DRIVER_API int cuDeviceGetDefaultMemPool(void **pool, int device) {
    OF_DEVICE(device, cudaDeviceGetDefaultMemPool(pool, device));
}
DRIVER_API int cuDeviceGetMemPool(void **pool, int device) {
    OF_DEVICE(device, cudaDeviceGetMemPool(pool, device));
}
DRIVER_API int cuDeviceSetMemPool(int device, void *pool) {
    OF_DEVICE(device, cudaDeviceSetMemPool(device, pool));
}
