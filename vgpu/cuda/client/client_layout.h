/* SPDX-License-Identifier: MIT
 *
 * client_layout.h: the types of CUDA's runtime interface that cross the library
 * boundary, by layout, so that the client builds without a toolkit: those of
 * CUDA 13, or of CUDA 12 where CLIENT_CUDA is 12.
 * vgpu/tests/runtime/layout_check.c compares sizes, offsets and values with the
 * toolkit's own header where there is one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifndef CLIENT_CUDA
#define CLIENT_CUDA 13
#endif
/* Members that only CUDA 12's types have, and those that only 13's have. */
#if CLIENT_CUDA == 12
#define RT_12(...) __VA_ARGS__
#define RT_13(...)
#else
#define RT_12(...)
#define RT_13(...) __VA_ARGS__
#endif

struct rt_dim3 {
    unsigned x, y, z;
};

enum rt_copy_kind {
    RT_HOST_TO_HOST,
    RT_HOST_TO_DEVICE,
    RT_DEVICE_TO_HOST,
    RT_DEVICE_TO_DEVICE,
    RT_COPY_DEFAULT
};

enum rt_memory_type { RT_UNREGISTERED, RT_HOST, RT_DEVICE, RT_MANAGED };

struct rt_mem_location {
    int type, id;
};
enum { RT_LOCATION_DEVICE = 1 };

struct rt_pool_props {
    int alloc_type, handle_types;
    struct rt_mem_location location;
    void *security;
    size_t max_bytes;
    unsigned short usage;
    unsigned char reserved[54];
};

struct rt_extent {
    size_t width, height, depth;
};
struct rt_pos {
    size_t x, y, z;
};
struct rt_pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct rt_copy3d {
    void *srcArray;
    struct rt_pos srcPos;
    struct rt_pitched srcPtr;
    void *dstArray;
    struct rt_pos dstPos;
    struct rt_pitched dstPtr;
    struct rt_extent extent;
    int kind;
};

struct rt_pointer_attributes {
    int type, device;
    void *devicePointer, *hostPointer;
    RT_13(long reserved[8];)
};

struct rt_func_attributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight;
    int requiredClusterDepth, clusterSchedulingPolicyPreference;
    int nonPortableClusterSizeAllowed, reserved[16];
};

enum rt_func_attribute {
    RT_FUNC_MAX_DYNAMIC_SMEM = 8,
    RT_FUNC_SMEM_CARVEOUT = 9,
    RT_FUNC_CLUSTER_WIDTH = 11, /* then height, depth */
    RT_FUNC_LARGE_CLUSTERS = 14
};

struct rt_kernel_node {
    void *function;
    struct rt_dim3 grid, block;
    unsigned smem_bytes;
    void **arguments, **extra;
};

struct rt_memset_node {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* width: elements */
};

struct rt_host_node {
    void (*function)(void *);
    void *user;
};

struct rt_instantiate { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void *stream, *error_node;
    int result;
};

struct rt_update { /* cudaGraphExecUpdateResultInfo */
    int result;
    void *node, *from;
};

struct rt_launch_config {
    struct rt_dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    void *stream;
    struct rt_launch_attribute *attrs;
    unsigned numAttrs;
};

struct rt_launch_attribute { /* id, padding, then a union of 64 bytes */
    int id;
    char pad[4];
    union {
        char pad[64];
        int cooperative;
        struct rt_dim3 clusterDim;
    } val;
};
enum { RT_LAUNCH_COOPERATIVE = 2, RT_LAUNCH_CLUSTER = 4 };

struct rt_channel_desc {
    int x, y, z, w, f;
};
enum { RT_ARRAY_LAYERED = 1 };

enum rt_resource_kind {
    RT_RESOURCE_ARRAY,
    RT_RESOURCE_MIPMAPPED,
    RT_RESOURCE_LINEAR,
    RT_RESOURCE_PITCH
};
struct rt_resource {
    int kind;
    union {
        struct client_array *array;
        struct { /* of linear memory `size`, and no more */
            void *pointer;
            struct rt_channel_desc desc;
            size_t size, height, pitch;
        } memory;
        int reserved[32];
    };
    unsigned flags;
};
struct rt_texture {
    int mode[3], filter, read_mode, srgb;
    float border[4];
    int is_normalised;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmaps[3];
    int more[2];
};

struct rt_uuid {
    char bytes[16];
};

/* Members that the client fills have their CUDA name; the rest are holes. */
struct rt_device_prop {
    char name[256];
    struct rt_uuid uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    RT_12(int clockRate;)
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    RT_12(int deviceOverlap;)
    int multiProcessorCount;
    RT_12(int kernelExecTimeoutEnabled;)
    int integrated, canMapHostMemory;
    RT_12(int computeMode, maxTexture1DLinear;)
    int textures[39];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
    int tccDriver, asyncEngineCount, unifiedAddressing;
    RT_12(int memoryClockRate;)
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
    int multiGpuBoardGroupID, hostNativeAtomicSupported;
    RT_12(int singleToDoublePrecisionPerfRatio;)
    int pageableMemoryAccess, concurrentManagedAccess;
    int computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    RT_12(int cooperativeMultiDeviceLaunch;)
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported;
    int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
    int memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
    int unifiedFunctionPointers;
    RT_12(int reserved[63];)
    RT_13(int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;)
    RT_13(unsigned gpuPciDeviceID, gpuPciSubsystemID;)
    RT_13(int hostNumaMultinodeIpcSupported, reserved[56];)
};
