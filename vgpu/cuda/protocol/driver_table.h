/* SPDX-License-Identifier: MIT
 *
 * driver_table.h: what our libcuda.so.1 (cuda/driver) needs of our libcudart
 * beside the runtime's own functions. libcudart exports it as the variable
 * __cudaVgpuForDriver. Each function takes the client's lock and returns a
 * cudaError_t.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { VGPU_DRIVER_TABLE = 1 }; /* its version */

struct vgpu_driver_table {
    int version;
    /* The call (vgpu_call) is not there: says so once, and tells the device. */
    int (*refuse)(int call);
    /* Sends what __cudaRegisterFatBinary was given, which is otherwise done
     * when the first kernel of it is asked for; takes it back. */
    int (*load)(void **handle);
    int (*unload)(void **handle);
    /* The device's allocation around an address. */
    int (*range)(uint64_t address, uint64_t *base, uint64_t *bytes);
};
#define VGPU_DRIVER_TABLE_NAME "__cudaVgpuForDriver"
