/* SPDX-License-Identifier: MIT
 *
 * driver_errors.c: names of the errors that the driver's calls return; their
 * texts are the runtime's (errors.def), whose numbers are the same.
 */
#include "driver.h"

/* CUresult of CUDA 13. */
static const struct driver_error {
    int number;
    const char *name;
} errors[] = {
    {0, "CUDA_SUCCESS"},
    {1, "CUDA_ERROR_INVALID_VALUE"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
    {3, "CUDA_ERROR_NOT_INITIALIZED"},
    {4, "CUDA_ERROR_DEINITIALIZED"},
    {34, "CUDA_ERROR_STUB_LIBRARY"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
    {100, "CUDA_ERROR_NO_DEVICE"},
    {101, "CUDA_ERROR_INVALID_DEVICE"},
    {200, "CUDA_ERROR_INVALID_IMAGE"},
    {201, "CUDA_ERROR_INVALID_CONTEXT"},
    {205, "CUDA_ERROR_MAP_FAILED"},
    {206, "CUDA_ERROR_UNMAP_FAILED"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
    {215, "CUDA_ERROR_UNSUPPORTED_LIMIT"},
    {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"},
    {218, "CUDA_ERROR_INVALID_PTX"},
    {300, "CUDA_ERROR_INVALID_SOURCE"},
    {301, "CUDA_ERROR_FILE_NOT_FOUND"},
    {304, "CUDA_ERROR_OPERATING_SYSTEM"},
    {400, "CUDA_ERROR_INVALID_HANDLE"},
    {401, "CUDA_ERROR_ILLEGAL_STATE"},
    {500, "CUDA_ERROR_NOT_FOUND"},
    {600, "CUDA_ERROR_NOT_READY"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"},
    {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"},
    {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
    {710, "CUDA_ERROR_ASSERT"},
    {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
    {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"},
    {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS"},
    {719, "CUDA_ERROR_LAUNCH_FAILED"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"},
    {800, "CUDA_ERROR_NOT_PERMITTED"},
    {801, "CUDA_ERROR_NOT_SUPPORTED"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
    {999, "CUDA_ERROR_UNKNOWN"},
};

static const char *driver_error_name(int number) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == number) return errors[k].name;
    return NULL;
}

static const char *driver_error_text(int number) {
    switch (number) {
#define X(name, value, text)                                                   \
    case value:                                                                \
        return text;
#include "errors.def"
#undef X
    default: return NULL;
    }
}

DRIVER_API int cuGetErrorName(int error, const char **name) {
    if (!name) return CU_INVALID_VALUE;
    *name = driver_error_name(error);
    return *name ? CU_SUCCESS : CU_INVALID_VALUE;
}

DRIVER_API int cuGetErrorString(int error, const char **text) {
    if (!text) return CU_INVALID_VALUE;
    *text = driver_error_name(error) ? driver_error_text(error) : NULL;
    return *text ? CU_SUCCESS : CU_INVALID_VALUE;
}
