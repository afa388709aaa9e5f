/* SPDX-License-Identifier: MIT
 *
 * driver_errors.c: names and texts of the errors that can come.
 */
#include "driver.h"

/* CUresult of CUDA 13. X(number, name, text) */
#define ERRORS(X)                                                              \
    X(0, "CUDA_SUCCESS", "no error")                                           \
    X(1, "CUDA_ERROR_INVALID_VALUE", "invalid argument")                       \
    X(2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory")                          \
    X(3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error")                 \
    X(4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down")                   \
    X(34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library")          \
    X(46, "CUDA_ERROR_DEVICE_UNAVAILABLE",                                     \
      "CUDA-capable device(s) is/are busy or unavailable")                     \
    X(100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected")       \
    X(101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal")              \
    X(200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid")       \
    X(201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context")             \
    X(205, "CUDA_ERROR_MAP_FAILED", "mapping of buffer object failed")         \
    X(206, "CUDA_ERROR_UNMAP_FAILED", "unmapping of buffer object failed")     \
    X(209, "CUDA_ERROR_NO_BINARY_FOR_GPU",                                     \
      "no kernel image is available for execution on the device")              \
    X(215, "CUDA_ERROR_UNSUPPORTED_LIMIT",                                     \
      "limit is not supported on this architecture")                           \
    X(217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",                               \
      "peer access is not supported between these two devices")                \
    X(218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed")           \
    X(300, "CUDA_ERROR_INVALID_SOURCE", "device kernel image is invalid")      \
    X(301, "CUDA_ERROR_FILE_NOT_FOUND", "file not found")                      \
    X(304, "CUDA_ERROR_OPERATING_SYSTEM",                                      \
      "OS call failed or operation not supported on this OS")                  \
    X(400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle")             \
    X(401, "CUDA_ERROR_ILLEGAL_STATE",                                         \
      "the operation cannot be performed in the present state")                \
    X(500, "CUDA_ERROR_NOT_FOUND", "named symbol not found")                   \
    X(600, "CUDA_ERROR_NOT_READY", "device not ready")                         \
    X(700, "CUDA_ERROR_ILLEGAL_ADDRESS",                                       \
      "an illegal memory access was encountered")                              \
    X(701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",                               \
      "too many resources requested for launch")                               \
    X(702, "CUDA_ERROR_LAUNCH_TIMEOUT",                                        \
      "the launch timed out and was terminated")                               \
    X(704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",                           \
      "peer access is already enabled")                                        \
    X(705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED",                               \
      "peer access has not been enabled")                                      \
    X(708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE",                                \
      "cannot set while device is active in this process")                     \
    X(709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed")          \
    X(710, "CUDA_ERROR_ASSERT", "device-side assert triggered")                \
    X(712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",                        \
      "part or all of the requested memory range is already mapped")           \
    X(713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",                            \
      "pointer does not correspond to a registered memory region")             \
    X(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION",                                   \
      "an illegal instruction was encountered")                                \
    X(716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address")              \
    X(719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure")           \
    X(720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",                          \
      "too many blocks in cooperative launch")                                 \
    X(800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted")              \
    X(801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported")              \
    X(900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",                            \
      "operation not permitted when stream is capturing")                      \
    X(901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",                            \
      "operation failed due to a previous error during capture")               \
    X(999, "CUDA_ERROR_UNKNOWN", "unknown error")

static const struct driver_error {
    int number;
    const char *name, *text;
} errors[] = {
#define X(number, name, text) {number, name, text},
    ERRORS(X)
#undef X
};

static const struct driver_error *error_find(int number) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == number) return &errors[k];
    return NULL;
}

DRIVER_API int cuGetErrorName(int error, const char **name) {
    const struct driver_error *e = error_find(error);
    if (!name) return CU_INVALID_VALUE;
    *name = e ? e->name : NULL;
    return e ? CU_SUCCESS : CU_INVALID_VALUE;
}

DRIVER_API int cuGetErrorString(int error, const char **text) {
    const struct driver_error *e = error_find(error);
    if (!text) return CU_INVALID_VALUE;
    *text = e ? e->text : NULL;
    return e ? CU_SUCCESS : CU_INVALID_VALUE;
}
