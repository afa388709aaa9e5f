/* SPDX-License-Identifier: MIT
 *
 * layout_check.c: client_layout.h and errors.def against the toolkit's own
 * header, of CUDA 12 or 13. It has nothing to run: a difference does not
 * compile.
 */
#include <cuda_runtime_api.h>

#define CLIENT_CUDA (CUDART_VERSION / 1000)
#include "client_layout.h"

#define SAME_SIZE(ours, theirs)                                                \
    _Static_assert(sizeof(ours) == sizeof(theirs), #theirs " has another "     \
                                                           "size")
#define SAME_PLACE(ours, theirs, member)                                       \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member),         \
                   #theirs "." #member " lies elsewhere")
#define SAME_VALUE(ours, theirs)                                               \
    _Static_assert((int)(ours) == (int)(theirs), #theirs " has another value")

SAME_SIZE(struct rt_dim3, dim3);
SAME_SIZE(struct rt_channel_desc, struct cudaChannelFormatDesc);

SAME_SIZE(struct rt_pointer_attributes, struct cudaPointerAttributes);
SAME_PLACE(struct rt_pointer_attributes, struct cudaPointerAttributes,
           hostPointer);

SAME_SIZE(struct rt_mem_location, struct cudaMemLocation);
SAME_PLACE(struct rt_mem_location, struct cudaMemLocation, id);
SAME_VALUE(RT_LOCATION_DEVICE, cudaMemLocationTypeDevice);
SAME_SIZE(struct rt_pool_props, struct cudaMemPoolProps);
SAME_PLACE(struct rt_pool_props, struct cudaMemPoolProps, location);
#if CUDART_VERSION >= 12060
SAME_PLACE(struct rt_pool_props, struct cudaMemPoolProps, usage);
#endif
SAME_SIZE(struct rt_kernel_node, struct cudaKernelNodeParams);
SAME_SIZE(struct rt_memset_node, struct cudaMemsetParams);
SAME_SIZE(struct rt_host_node, struct cudaHostNodeParams);
SAME_SIZE(struct rt_instantiate, cudaGraphInstantiateParams);
SAME_PLACE(struct rt_instantiate, cudaGraphInstantiateParams, flags);
_Static_assert(offsetof(struct rt_instantiate, result) ==
                   offsetof(cudaGraphInstantiateParams, result_out),
               "cudaGraphInstantiateParams.result_out lies elsewhere");
SAME_SIZE(struct rt_update, cudaGraphExecUpdateResultInfo);
SAME_PLACE(struct rt_update, cudaGraphExecUpdateResultInfo, result);
_Static_assert(offsetof(struct rt_update, from) ==
                   offsetof(cudaGraphExecUpdateResultInfo, errorFromNode),
               "cudaGraphExecUpdateResultInfo.errorFromNode lies elsewhere");
SAME_SIZE(struct rt_pitched, struct cudaPitchedPtr);
SAME_PLACE(struct rt_pitched, struct cudaPitchedPtr, ysize);
SAME_SIZE(struct rt_copy3d, struct cudaMemcpy3DParms);
SAME_PLACE(struct rt_copy3d, struct cudaMemcpy3DParms, srcPtr);
SAME_PLACE(struct rt_copy3d, struct cudaMemcpy3DParms, dstArray);
SAME_PLACE(struct rt_copy3d, struct cudaMemcpy3DParms, dstPtr);
SAME_PLACE(struct rt_copy3d, struct cudaMemcpy3DParms, extent);
SAME_PLACE(struct rt_copy3d, struct cudaMemcpy3DParms, kind);

#define FUNC(member)                                                           \
    SAME_PLACE(struct rt_func_attributes, struct cudaFuncAttributes, member)
SAME_SIZE(struct rt_func_attributes, struct cudaFuncAttributes);
FUNC(localSizeBytes);
FUNC(numRegs);
FUNC(maxDynamicSharedSizeBytes);
FUNC(preferredShmemCarveout);

SAME_SIZE(struct rt_resource, struct cudaResourceDesc);
SAME_SIZE(struct rt_texture, struct cudaTextureDesc);
_Static_assert(offsetof(struct rt_resource, memory.size) ==
                   offsetof(struct cudaResourceDesc, res.linear.sizeInBytes),
               "linear memory's bytes");
_Static_assert(offsetof(struct rt_resource, memory.pitch) ==
                   offsetof(struct cudaResourceDesc, res.pitch2D.pitchInBytes),
               "the pitch");
_Static_assert(offsetof(struct rt_texture, is_normalised) ==
                   offsetof(struct cudaTextureDesc, normalizedCoords),
               "normalised coordinates");
SAME_SIZE(struct rt_launch_config, cudaLaunchConfig_t);
SAME_PLACE(struct rt_launch_config, cudaLaunchConfig_t, stream);
SAME_PLACE(struct rt_launch_config, cudaLaunchConfig_t, numAttrs);
SAME_SIZE(struct rt_launch_attribute, cudaLaunchAttribute);
SAME_PLACE(struct rt_launch_attribute, cudaLaunchAttribute, val);
SAME_VALUE(RT_LAUNCH_COOPERATIVE, cudaLaunchAttributeCooperative);
SAME_VALUE(RT_LAUNCH_CLUSTER, cudaLaunchAttributeClusterDimension);
SAME_VALUE(RT_FUNC_MAX_DYNAMIC_SMEM,
           cudaFuncAttributeMaxDynamicSharedMemorySize);
SAME_VALUE(RT_FUNC_SMEM_CARVEOUT,
           cudaFuncAttributePreferredSharedMemoryCarveout);
SAME_VALUE(RT_FUNC_CLUSTER_WIDTH, cudaFuncAttributeRequiredClusterWidth);
SAME_VALUE(RT_FUNC_LARGE_CLUSTERS,
           cudaFuncAttributeNonPortableClusterSizeAllowed);
SAME_VALUE(RT_HOST_TO_DEVICE, cudaMemcpyHostToDevice);
SAME_VALUE(RT_DEVICE_TO_HOST, cudaMemcpyDeviceToHost);
SAME_VALUE(RT_DEVICE_TO_DEVICE, cudaMemcpyDeviceToDevice);
SAME_VALUE(RT_COPY_DEFAULT, cudaMemcpyDefault);
SAME_VALUE(RT_HOST, cudaMemoryTypeHost);
SAME_VALUE(RT_DEVICE, cudaMemoryTypeDevice);

#define PROP(member)                                                           \
    SAME_PLACE(struct rt_device_prop, struct cudaDeviceProp, member)
SAME_SIZE(struct rt_device_prop, struct cudaDeviceProp);
PROP(uuid);
PROP(totalGlobalMem);
PROP(sharedMemPerBlock);
PROP(regsPerBlock);
PROP(warpSize);
PROP(memPitch);
PROP(maxThreadsPerBlock);
PROP(maxGridSize);
PROP(totalConstMem);
PROP(major);
PROP(minor);
PROP(textureAlignment);
PROP(multiProcessorCount);
PROP(surfaceAlignment);
PROP(concurrentKernels);
PROP(asyncEngineCount);
PROP(memoryBusWidth);
PROP(l2CacheSize);
PROP(maxThreadsPerMultiProcessor);
PROP(sharedMemPerMultiprocessor);
PROP(regsPerMultiprocessor);
PROP(cooperativeLaunch);
PROP(sharedMemPerBlockOptin);
PROP(maxBlocksPerMultiProcessor);
PROP(reservedSharedMemPerBlock);
PROP(memoryPoolsSupported);
PROP(clusterLaunch);
#if CLIENT_CUDA == 12
PROP(clockRate);
PROP(deviceOverlap);
PROP(computeMode);
PROP(memoryClockRate);
PROP(singleToDoublePrecisionPerfRatio);
#else
PROP(hostNumaId);
#endif

/* The toolkit's enumerators are in scope, so each row is compared with its
 * namesake. Before 12.9 a few errors had none yet. */
#if CUDART_VERSION >= 12090
#define X(name, value, text) SAME_VALUE(value, name);
#include "errors.def"
#undef X
#endif

#define X(number, name, value) SAME_VALUE(number, cudaDevAttr##name);
#include "attributes.def"
#undef X
