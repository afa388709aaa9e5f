/* SPDX-License-Identifier: MIT
 *
 * client_refused.c: every name of the real library, from calls.def, for those
 * that the virtual GPU does not have. A program that links one still starts;
 * when it calls one, the call says its name once, tells the device, and returns
 * cudaErrorNotSupported. The arguments do not matter, so they are not declared.
 */
#define CLIENT_TRUE_NAMES /* of the library that is built */
#include "client.h"

static bool was_said[VGPU_N_CALLS]; /* guarded by the client's lock */

int client_refuse(vgpu_call call) {
    int error = client_begin();
    if (error) return client_end(error);
    if (!was_said[call]) {
        client_say("%s is not supported by the virtual GPU",
                   vgpu_call_name(call));
        client_misuse(VGPU_MISUSE_NOT_SUPPORTED, call, 0, 0);
    }
    was_said[call] = true;
    return client_end(cudaErrorNotSupported);
}

/* Weak: where another file has the function, that one is taken. */
#define X(name)                                                                \
    CUDA_API __attribute__((weak)) int name(void) {                            \
        return client_refuse(VGPU_CALL_##name);                                \
    }
#if CLIENT_CUDA != 12
#define X12(name)
#endif
#include "calls.def"
