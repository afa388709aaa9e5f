/* SPDX-License-Identifier: MIT
 *
 * driver_launch.c: what kernels are like, and launches. Arguments come as
 * pointers, or packed in one buffer.
 */
#include "driver.h"

#include <string.h>

enum { MOST_PARAMETERS = 4096 };
enum { EXTRA_END, EXTRA_BUFFER, EXTRA_BYTES }; /* CU_LAUNCH_PARAM_* */

/* The body of a call about a kernel. */
#define OF_KERNEL(handle, ...)                                                 \
    do {                                                                       \
        const void *kernel = driver_function(handle);                          \
        if (!kernel) return CU_INVALID_HANDLE;                                 \
        DRIVER_DOES(__VA_ARGS__);                                              \
    } while (0)

/* ---- attributes ---- */

DRIVER_API int cuFuncGetAttribute(int *value, int attribute,
                                  const void *function) {
    struct rt_attributes a = {0};
    int error = driver_enter();
    if (!error && !driver_function(function)) error = CU_INVALID_HANDLE;
    if (!error && !value) error = CU_INVALID_VALUE;
    if (!error)
        error = driver_result(
            driver_runtime()->cudaFuncGetAttributes(&a, function));
    if (error) return error;
    const int values[] = {a.max_threads, (int)a.shared, (int)a.constant,
                          (int)a.local,  a.registers,   a.ptx,
                          a.binary,      a.caches,      a.max_dynamic,
                          a.carveout};
    enum { N_ATTRIBUTES = sizeof values / sizeof *values, MOST = 16 };
    if (attribute < 0 || attribute >= MOST) return CU_INVALID_VALUE;
    *value = attribute < N_ATTRIBUTES ? values[attribute] : 0; /* clusters */
    return CU_SUCCESS;
}
DRIVER_API int cuKernelGetAttribute(int *value, int attribute,
                                    const void *kernel, UNUSED int device) {
    return cuFuncGetAttribute(value, attribute, kernel);
}
DRIVER_API int cuFuncSetAttribute(const void *function, int attribute,
                                  int value) {
    OF_KERNEL(function, cudaFuncSetAttribute(kernel, attribute, value));
}
DRIVER_API int cuKernelSetAttribute(int attribute, int value,
                                    const void *kernel, UNUSED int device) {
    return cuFuncSetAttribute(kernel, attribute, value);
}
DRIVER_API int cuFuncGetParamInfo(const void *function, size_t index,
                                  size_t *offset, size_t *bytes) {
    OF_KERNEL(function, cudaFuncGetParamInfo(kernel, index, offset, bytes));
}
DRIVER_ALSO(cuKernelGetParamInfo, cuFuncGetParamInfo);
/* Hints, which change nothing here. */
DRIVER_API int cuFuncSetCacheConfig(const void *function, UNUSED int config) {
    return driver_function(function) ? driver_enter() : (int)CU_INVALID_HANDLE;
}
DRIVER_ALSO(cuFuncSetSharedMemConfig, cuFuncSetCacheConfig);
DRIVER_API int cuKernelSetCacheConfig(const void *kernel, int config,
                                      UNUSED int device) {
    return cuFuncSetCacheConfig(kernel, config);
}

/* ---- occupancy ---- */

DRIVER_API int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int threads, size_t smem,
    unsigned flags) {
    OF_KERNEL(function, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                            blocks, kernel, threads, smem, flags));
}
DRIVER_API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                           const void *function,
                                                           int threads,
                                                           size_t smem) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, function, threads, smem, 0);
}
DRIVER_API int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                       const void *function,
                                                       int blocks,
                                                       int threads) {
    OF_KERNEL(function, cudaOccupancyAvailableDynamicSMemPerBlock(
                            bytes, kernel, blocks, threads));
}

typedef size_t smem_of_block(int threads);

/* As the runtime's header does: of all sizes of blocks that keep most threads
 * resident the largest. */
DRIVER_API int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                         const void *function,
                                                         smem_of_block *smem_of,
                                                         size_t smem, int limit,
                                                         unsigned flags) {
    enum { SMS = 16, WARP = 32 };
    int most = 0, best = 0, most_threads, sms, device;
    int error = cuFuncGetAttribute(&most_threads, 0, function);
    if (!error && (!grid || !block)) error = CU_INVALID_VALUE;
    if (error) return error;
    device = driver_current()->device;
    if (limit > 0 && limit < most_threads) most_threads = limit;
    for (int n = most_threads; n > 0; n = (n - 1) / WARP * WARP) {
        int blocks = 0;
        error = cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, function, n, smem_of ? smem_of(n) : smem, flags);
        if (error) return error;
        if (blocks * n <= most) continue;
        most = blocks * n;
        best = n;
    }
    error = driver_result(
        driver_runtime()->cudaDeviceGetAttribute(&sms, SMS, device));
    *block = best;
    *grid = best ? most / best * sms : 0;
    return error;
}
DRIVER_API int cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                                const void *function,
                                                smem_of_block *smem_of,
                                                size_t smem, int limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function,
                                                     smem_of, smem, limit, 0);
}

/* ---- launches ---- */

/* Where each parameter lies in a packed buffer. A CUresult. */
static int unpack_buffer(const void *kernel, void **extra, void **arguments) {
    const struct driver_runtime *rt = driver_runtime();
    char *buffer = NULL;
    size_t bytes = 0, at, size, n = 0;
    for (; *extra; extra += 2) {
        if (*extra == (void *)EXTRA_BUFFER) buffer = extra[1];
        if (*extra == (void *)EXTRA_BYTES) bytes = *(size_t *)extra[1];
    }
    while (n < MOST_PARAMETERS &&
           !rt->cudaFuncGetParamInfo(kernel, n, &at, &size)) {
        if (!buffer || at + size > bytes) return CU_INVALID_VALUE;
        arguments[n++] = buffer + at;
    }
    driver_result(CU_INVALID_VALUE); /* that there is no next one */
    return CU_SUCCESS;
}

typedef int launch_fn(const void *, struct rt3, struct rt3, void **, size_t,
                      void *);

static int launch_by(launch_fn *launches, const void *function,
                     const unsigned n[6], unsigned smem, void *stream,
                     void **arguments, void **extra) {
    void *unpacked[MOST_PARAMETERS];
    const void *kernel = driver_function(function);
    int error = driver_enter();
    if (error) return error;
    if (!kernel) return CU_INVALID_HANDLE;
    if (arguments && extra) return CU_INVALID_VALUE;
    if (extra) {
        error = unpack_buffer(kernel, extra, unpacked);
        if (error) return error;
        arguments = unpacked;
    }
    return driver_result(launches(kernel, (struct rt3){n[0], n[1], n[2]},
                                  (struct rt3){n[3], n[4], n[5]}, arguments,
                                  smem, stream));
}

DRIVER_API int cuLaunchKernel(const void *function, unsigned gx, unsigned gy,
                              unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned smem, void *stream,
                              void **arguments, void **extra) {
    const unsigned n[6] = {gx, gy, gz, bx, by, bz};
    const struct driver_runtime *rt = driver_runtime();
    if (!rt) return CU_NOT_INITIALIZED;
    return launch_by(rt->cudaLaunchKernel, function, n, smem, stream, arguments,
                     extra);
}
DRIVER_API int cuLaunchKernel_ptsz(const void *function, unsigned gx,
                                   unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned smem,
                                   void *stream, void **arguments,
                                   void **extra) {
    return cuLaunchKernel(function, gx, gy, gz, bx, by, bz, smem,
                          driver_of_thread(stream), arguments, extra);
}

DRIVER_API int cuLaunchCooperativeKernel(const void *function, unsigned gx,
                                         unsigned gy, unsigned gz, unsigned bx,
                                         unsigned by, unsigned bz,
                                         unsigned smem, void *stream,
                                         void **arguments) {
    const unsigned n[6] = {gx, gy, gz, bx, by, bz};
    const struct driver_runtime *rt = driver_runtime();
    if (!rt) return CU_NOT_INITIALIZED;
    return launch_by(rt->cudaLaunchCooperativeKernel, function, n, smem, stream,
                     arguments, NULL);
}
DRIVER_API int cuLaunchCooperativeKernel_ptsz(const void *function, unsigned gx,
                                              unsigned gy, unsigned gz,
                                              unsigned bx, unsigned by,
                                              unsigned bz, unsigned smem,
                                              void *stream, void **arguments) {
    return cuLaunchCooperativeKernel(function, gx, gy, gz, bx, by, bz, smem,
                                     driver_of_thread(stream), arguments);
}

struct launch_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], smem;
    void *stream, *attributes;
    unsigned n;
};
struct runtime_config { /* cudaLaunchConfig_t */
    struct rt3 grid, block;
    size_t smem;
    void *stream, *attributes; /* the same in both interfaces */
    unsigned n;
};

DRIVER_API int cuLaunchKernelEx(const struct launch_config *config,
                                const void *function, void **arguments,
                                void **extra) {
    void *unpacked[MOST_PARAMETERS];
    const void *kernel = driver_function(function);
    int error = driver_enter();
    if (error) return error;
    if (!config || (arguments && extra)) return CU_INVALID_VALUE;
    if (!kernel) return CU_INVALID_HANDLE;
    if (extra && (error = unpack_buffer(kernel, extra, unpacked)) != 0)
        return error;
    const struct runtime_config c = {
        {config->grid[0], config->grid[1], config->grid[2]},
        {config->block[0], config->block[1], config->block[2]},
        config->smem,
        config->stream,
        config->attributes,
        config->n};
    return driver_result(driver_runtime()->cudaLaunchKernelExC(
        &c, kernel, extra ? unpacked : arguments));
}
DRIVER_API int cuLaunchKernelEx_ptsz(const struct launch_config *config,
                                     const void *function, void **arguments,
                                     void **extra) {
    if (!config) return CU_INVALID_VALUE;
    struct launch_config own = *config;
    own.stream = driver_of_thread(own.stream);
    return cuLaunchKernelEx(&own, function, arguments, extra);
}
