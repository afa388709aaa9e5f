/* SPDX-License-Identifier: MIT
 *
 * driver_streams.c: streams and events, which are the runtime's.
 */
#include "driver.h"

/* A call about a stream, and the same for programs whose default streams are
 * their threads'. `stream` is the first argument. */
#define STREAM_CALL(name, does, ...)                                           \
    DRIVER_API int name(void *stream, ##__VA_ARGS__) {                         \
        DRIVER_DOES(does);                                                     \
    }                                                                          \
    DRIVER_API int name##_ptsz(void *stream, ##__VA_ARGS__) {                  \
        stream = driver_of_thread(stream);                                     \
        DRIVER_DOES(does);                                                     \
    }                                                                          \
    _Static_assert(1, "a semicolon follows")

DRIVER_API int cuStreamCreateWithPriority(void **stream, unsigned flags,
                                          int priority) {
    DRIVER_DOES(cudaStreamCreateWithPriority(stream, flags, priority));
}
DRIVER_API int cuStreamCreate(void **stream, unsigned flags) {
    return cuStreamCreateWithPriority(stream, flags, 0);
}
DRIVER_API int cuStreamDestroy_v2(void *stream) {
    DRIVER_DOES(cudaStreamDestroy(stream));
}
DRIVER_ALSO(cuStreamDestroy, cuStreamDestroy_v2);

STREAM_CALL(cuStreamSynchronize, cudaStreamSynchronize(stream));
STREAM_CALL(cuStreamQuery, cudaStreamQuery(stream));
STREAM_CALL(cuStreamWaitEvent, cudaStreamWaitEvent(stream, event, flags),
            void *event, unsigned flags);
/* The callback gets a CUresult, which is 0 in both interfaces. */
STREAM_CALL(cuStreamAddCallback,
            cudaStreamAddCallback(stream, function, user, flags),
            void *function, void *user, unsigned flags);
STREAM_CALL(cuStreamGetFlags, cudaStreamGetFlags(stream, flags),
            unsigned *flags);
STREAM_CALL(cuStreamGetPriority, cudaStreamGetPriority(stream, priority),
            int *priority);
STREAM_CALL(cuStreamGetId, cudaStreamGetId(stream, id), unsigned long long *id);
STREAM_CALL(cuStreamGetDevice, cudaStreamGetDevice(stream, device),
            int *device);
STREAM_CALL(cuStreamIsCapturing, cudaStreamIsCapturing(stream, state),
            int *state);
STREAM_CALL(cuLaunchHostFunc, cudaLaunchHostFunc(stream, function, user),
            void *function, void *user);

DRIVER_API int cuStreamGetCtx(void *stream, struct driver_context **context) {
    int device = 0, error = cuStreamGetDevice(stream, &device);
    if (!error && !context) error = CU_INVALID_VALUE;
    if (error) return error;
    struct driver_context *c = driver_current();
    *context = c->device == device ? c : driver_primary(device);
    return CU_SUCCESS;
}
DRIVER_ALSO(cuStreamGetCtx_ptsz, cuStreamGetCtx);

/* ---- events ---- */

DRIVER_API int cuEventCreate(void **event, unsigned flags) {
    DRIVER_DOES(cudaEventCreateWithFlags(event, flags));
}
DRIVER_API int cuEventDestroy_v2(void *event) {
    DRIVER_DOES(cudaEventDestroy(event));
}
DRIVER_ALSO(cuEventDestroy, cuEventDestroy_v2);
DRIVER_API int cuEventRecordWithFlags(void *event, void *stream,
                                      unsigned flags) {
    DRIVER_DOES(cudaEventRecordWithFlags(event, stream, flags));
}
DRIVER_API int cuEventRecordWithFlags_ptsz(void *event, void *stream,
                                           unsigned flags) {
    return cuEventRecordWithFlags(event, driver_of_thread(stream), flags);
}
DRIVER_API int cuEventRecord(void *event, void *stream) {
    return cuEventRecordWithFlags(event, stream, 0);
}
DRIVER_API int cuEventRecord_ptsz(void *event, void *stream) {
    return cuEventRecord(event, driver_of_thread(stream));
}
DRIVER_API int cuEventSynchronize(void *event) {
    DRIVER_DOES(cudaEventSynchronize(event));
}
DRIVER_API int cuEventQuery(void *event) {
    DRIVER_DOES(cudaEventQuery(event));
}
DRIVER_API int cuEventElapsedTime(float *ms, void *from, void *to) {
    DRIVER_DOES(cudaEventElapsedTime(ms, from, to));
}
DRIVER_ALSO(cuEventElapsedTime_v2, cuEventElapsedTime);
