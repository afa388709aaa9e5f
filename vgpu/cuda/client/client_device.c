/* SPDX-License-Identifier: MIT
 *
 * client_device.c: the devices, which are all alike: their properties and
 * attributes (from one table, attributes.def), limits, synchronisation, reset.
 * Which one is current, and what one may do with another's memory, is in
 * client_gpus.c.
 */
#include "client.h"

#include <stdio.h>
#include <string.h>

/* The driver's, and the newest runtime's of those that this one plays. */
enum {
    DRIVER_VERSION = 13000,
    RUNTIME_VERSION = CLIENT_CUDA == 12 ? 12090 : 13000,
    PCI_BUS_ID = 33,
    ATTRIBUTES_END = 148
};

int client_attribute(int attribute, int *value) {
    const struct vgpu_reply_HELLO *d = client_device();
    const struct {
        int attribute, value;
    } table[] = {
#define X(number, name, expression) {number, expression},
#include "attributes.def"
#undef X
    };
    if (attribute <= 0 || attribute >= ATTRIBUTES_END || !value)
        return cudaErrorInvalidValue;
    *value = 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].attribute == attribute) *value = table[i].value;
    return cudaSuccess;
}

/* Locks, connects, and checks that there is such a device. */
static int client_device_begin(int device) {
    int error = client_begin();
    if (error) return error;
    return device < 0 || device >= client_n_gpus() ? (int)cudaErrorInvalidDevice
                                                   : cudaSuccess;
}

CUDA_API int cudaDeviceGetAttribute(int *value, int attribute, int device) {
    int error = client_device_begin(device);
    if (!error) error = client_attribute(attribute, value);
    if (!error && attribute == PCI_BUS_ID) *value += device;
    return client_end(error);
}

enum {
#define X(number, name, expression) ATTRIBUTE_##name = number,
#include "attributes.def"
#undef X
};

static int get(int attribute) {
    int value = 0;
    client_attribute(attribute, &value);
    return value;
}

static void fill_sizes(struct rt_device_prop *p) {
    p->totalGlobalMem = (size_t)client_device()->memory_mib << 20;
    p->sharedMemPerBlock = (size_t)get(ATTRIBUTE_MaxSharedMemoryPerBlock);
    p->sharedMemPerMultiprocessor =
        (size_t)get(ATTRIBUTE_MaxSharedMemoryPerMultiprocessor);
    p->sharedMemPerBlockOptin =
        (size_t)get(ATTRIBUTE_MaxSharedMemoryPerBlockOptin);
    p->totalConstMem = (size_t)get(ATTRIBUTE_TotalConstantMemory);
    p->memPitch = (size_t)get(ATTRIBUTE_MaxPitch);
    p->textureAlignment = (size_t)get(ATTRIBUTE_TextureAlignment);
    p->texturePitchAlignment = (size_t)get(ATTRIBUTE_TexturePitchAlignment);
    p->surfaceAlignment = (size_t)get(ATTRIBUTE_SurfaceAlignment);
    p->l2CacheSize = get(ATTRIBUTE_L2CacheSize);
    p->memoryBusWidth = get(ATTRIBUTE_GlobalMemoryBusWidth);
}

static void fill_limits(struct rt_device_prop *p) {
    p->major = get(ATTRIBUTE_ComputeCapabilityMajor);
    p->minor = get(ATTRIBUTE_ComputeCapabilityMinor);
    p->warpSize = get(ATTRIBUTE_WarpSize);
    p->multiProcessorCount = get(ATTRIBUTE_MultiProcessorCount);
    p->maxThreadsPerBlock = get(ATTRIBUTE_MaxThreadsPerBlock);
    p->maxThreadsPerMultiProcessor = get(ATTRIBUTE_MaxThreadsPerMultiProcessor);
    p->maxBlocksPerMultiProcessor = get(ATTRIBUTE_MaxBlocksPerMultiprocessor);
    p->regsPerBlock = get(ATTRIBUTE_MaxRegistersPerBlock);
    p->regsPerMultiprocessor = get(ATTRIBUTE_MaxRegistersPerMultiprocessor);
    for (int i = 0; i < 3; i++) {
        p->maxThreadsDim[i] = get(ATTRIBUTE_MaxBlockDimX + i);
        p->maxGridSize[i] = get(ATTRIBUTE_MaxGridDimX + i);
    }
}

static void fill_features(struct rt_device_prop *p) {
    p->concurrentKernels = get(ATTRIBUTE_ConcurrentKernels);
    p->asyncEngineCount = get(ATTRIBUTE_AsyncEngineCount);
    p->unifiedAddressing = get(ATTRIBUTE_UnifiedAddressing);
    p->cooperativeLaunch = get(ATTRIBUTE_CooperativeLaunch);
    p->clusterLaunch = get(ATTRIBUTE_ClusterLaunch);
    p->globalL1CacheSupported = get(ATTRIBUTE_GlobalL1CacheSupported);
    p->localL1CacheSupported = get(ATTRIBUTE_LocalL1CacheSupported);
    p->computePreemptionSupported = get(ATTRIBUTE_ComputePreemptionSupported);
    p->hostRegisterSupported = get(ATTRIBUTE_HostRegisterSupported);
    p->canMapHostMemory = get(ATTRIBUTE_CanMapHostMemory);
    p->managedMemory = get(ATTRIBUTE_ManagedMemory);
    p->memoryPoolsSupported = get(ATTRIBUTE_MemoryPoolsSupported);
    p->pciBusID = get(ATTRIBUTE_PciBusId);
    RT_13(p->hostNumaId = get(ATTRIBUTE_HostNumaId);)
    RT_12(p->clockRate = get(ATTRIBUTE_ClockRate);)
    RT_12(p->memoryClockRate = get(ATTRIBUTE_MemoryClockRate);)
    RT_12(p->deviceOverlap = get(ATTRIBUTE_GpuOverlap);)
    RT_12(p->singleToDoublePrecisionPerfRatio =
              get(ATTRIBUTE_SingleToDoublePrecisionPerfRatio);)
}

CUDA_API int cudaGetDeviceProperties(struct rt_device_prop *p, int device) {
    int error = client_device_begin(device);
    if (!error && !p) error = cudaErrorInvalidValue;
    if (error) return client_end(error);
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", client_device_name());
    memcpy(p->uuid.bytes, "scanlab-vgpu-000", sizeof p->uuid.bytes);
    p->uuid.bytes[sizeof p->uuid.bytes - 1] += (char)device;
    fill_sizes(p);
    fill_limits(p);
    fill_features(p);
    p->pciBusID += device;
    return client_end(cudaSuccess);
}

CUDA_API int cudaGetDeviceCount(int *count) {
    int error = client_begin();
    *count = error ? 0 : client_n_gpus();
    return client_end(error);
}

/* Calls that have nothing to do, or one answer, on the one device. */
#define NOTHING_TO_DO(name, device, ...)                                       \
    CUDA_API int name(__VA_ARGS__) {                                           \
        return client_end(client_device_begin(device));                        \
    }
#define ONE_ANSWER(name, answer, device, ...)                                  \
    CUDA_API int name(__VA_ARGS__) {                                           \
        *to = answer;                                                          \
        return client_end(client_device_begin(device));                        \
    }

NOTHING_TO_DO(cudaInitDevice, device, int device, UNUSED unsigned device_flags,
              UNUSED unsigned flags)
NOTHING_TO_DO(cudaSetValidDevices, 0, UNUSED int *devices, UNUSED int n)
NOTHING_TO_DO(cudaDeviceSetCacheConfig, 0, UNUSED int config)
NOTHING_TO_DO(cudaDeviceSetSharedMemConfig, 0, UNUSED int config)
NOTHING_TO_DO(cudaCtxResetPersistingL2Cache, 0, void)
NOTHING_TO_DO(cudaProfilerStart, 0, void)
NOTHING_TO_DO(cudaProfilerStop, 0, void)
ONE_ANSWER(cudaChooseDevice, 0, 0, int *to, UNUSED const void *prop)
ONE_ANSWER(cudaDeviceGetCacheConfig, 0, 0, int *to)
ONE_ANSWER(cudaDeviceGetSharedMemConfig, 1, 0, int *to) /* banks of 4 bytes */

static unsigned device_flags; /* guarded by the lock; only remembered */

CUDA_API int cudaSetDeviceFlags(unsigned flags) {
    int error = client_device_begin(0);
    device_flags = flags;
    return client_end(error);
}

CUDA_API int cudaGetDeviceFlags(unsigned *flags) {
    int error = client_device_begin(0);
    *flags = device_flags;
    return client_end(error);
}

CUDA_API int cudaDeviceSynchronize(void) {
    client_lock();
    int error = client_whole_device();
    if (!error) client_order_say(VGPU_ORDER_HOST_ALL, NULL, 0);
    if (!error) error = client_sync();
    client_watch_close();
    return client_end(error);
}

CUDA_API int cudaDeviceReset(void) {
    struct vgpu_request_RESET none = {0};
    client_lock();
    if (!client_connect()) client_order_say(VGPU_ORDER_HOST_ALL, NULL, 0);
    client_sync(); /* kernels end; memory opens */
    client_watch_close();
    client_images_keep();
    int error = client_ask(VGPU_REQUEST_RESET, &none, NULL);
    if (error) return client_end(error);
    client_mapped_forget();
    client_host_forget();
    client_images_forget();
    return client_end(error);
}

/* ---- limits: kept and given back; the device has its own ---- */

enum { PENDING = 4, LIMITS = 7 };
static size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

CUDA_API int cudaDeviceSetLimit(int limit, size_t value) {
    int error = client_device_begin(0);
    if (!error && (limit < 0 || limit >= LIMITS))
        error = cudaErrorUnsupportedLimit;
    if (!error && limit == PENDING) {
        struct vgpu_request_PENDING request = {.most = value};
        error = client_ask(VGPU_REQUEST_PENDING, &request, NULL);
    }
    if (!error) limits[limit] = value;
    return client_end(error);
}

CUDA_API int cudaDeviceGetLimit(size_t *value, int limit) {
    int error = client_device_begin(0);
    if (!error && (limit < 0 || limit >= LIMITS))
        error = cudaErrorUnsupportedLimit;
    if (!error) *value = limits[limit];
    return client_end(error);
}

CUDA_API int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = 0;
    return client_end(client_device_begin(0));
}

/* ---- versions, buses, peers ---- */

static int give_version(int *to, int version) {
    if (!to) return client_keep(cudaErrorInvalidValue);
    *to = version;
    return cudaSuccess;
}

CUDA_API int cudaDriverGetVersion(int *version) {
    return give_version(version, DRIVER_VERSION);
}

CUDA_API int cudaRuntimeGetVersion(int *version) {
    return give_version(version, RUNTIME_VERSION);
}

enum { BUS_ID = sizeof "0000:01:00.0" };

static void write_bus_id(char to[BUS_ID], int device) {
    snprintf(to, BUS_ID, "0000:%02x:00.0",
             (unsigned)(get(ATTRIBUTE_PciBusId) + device) & 255u);
}

CUDA_API int cudaDeviceGetPCIBusId(char *to, int bytes, int device) {
    int error = client_device_begin(device);
    if (!error && (!to || bytes < BUS_ID)) error = cudaErrorInvalidValue;
    if (!error) write_bus_id(to, device);
    return client_end(error);
}

CUDA_API int cudaDeviceGetByPCIBusId(int *device, const char *id) {
    char own[BUS_ID];
    int error = client_device_begin(0), found = -1;
    for (int k = 0; !error && device && id && k < client_n_gpus(); k++) {
        write_bus_id(own, k);
        if (strcmp(id, own) == 0) found = k;
    }
    if (!error && found < 0) error = cudaErrorInvalidValue;
    if (!error) *device = found;
    return client_end(error);
}

CUDA_API struct rt_channel_desc cudaCreateChannelDesc(int x, int y, int z,
                                                      int w, int f) {
    return (struct rt_channel_desc){x, y, z, w, f};
}
