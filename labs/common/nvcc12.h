/* SPDX-License-Identifier: MIT
 *
 * nvcc12.h: the atomic loads and stores that nvcc has built in from 12.8 on,
 * for an nvcc that is older: of 4 or 8 bytes, in the scope of the device.
 * scanlab.h includes it.
 */
#ifndef SCANLAB_NVCC12_H
#define SCANLAB_NVCC12_H

#define __NV_ATOMIC_RELAXED      0
#define __NV_ATOMIC_ACQUIRE      2
#define __NV_ATOMIC_RELEASE      3
#define __NV_THREAD_SCOPE_DEVICE scanlab_scope_device()

struct scanlab_scope_device {};

template <typename T>
inline __device__ T __nv_atomic_load_n(const T *at, int order,
                                       scanlab_scope_device) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "of 4 or 8 bytes");
    if (sizeof(T) == 4) {
        unsigned v;
        if (order == __NV_ATOMIC_ACQUIRE)
            asm volatile("ld.acquire.gpu.b32 %0, [%1];"
                         : "=r"(v)
                         : "l"(at)
                         : "memory");
        else
            asm volatile("ld.relaxed.gpu.b32 %0, [%1];"
                         : "=r"(v)
                         : "l"(at)
                         : "memory");
        return (T)v;
    }
    unsigned long long v;
    if (order == __NV_ATOMIC_ACQUIRE)
        asm volatile("ld.acquire.gpu.b64 %0, [%1];"
                     : "=l"(v)
                     : "l"(at)
                     : "memory");
    else
        asm volatile("ld.relaxed.gpu.b64 %0, [%1];"
                     : "=l"(v)
                     : "l"(at)
                     : "memory");
    return (T)v;
}

template <typename T, typename V>
inline __device__ void __nv_atomic_store_n(T *at, V value, int order,
                                           scanlab_scope_device) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "of 4 or 8 bytes");
    T v = (T)value;
    if (sizeof(T) == 4 && order == __NV_ATOMIC_RELEASE)
        asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(at), "r"((unsigned)v)
                     : "memory");
    else if (sizeof(T) == 4)
        asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(at), "r"((unsigned)v)
                     : "memory");
    else if (order == __NV_ATOMIC_RELEASE)
        asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(at),
                     "l"((unsigned long long)v)
                     : "memory");
    else
        asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(at),
                     "l"((unsigned long long)v)
                     : "memory");
}

#endif
