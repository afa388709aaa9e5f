/* SPDX-License-Identifier: MIT
 *
 * clangd.h: what nvcc knows and clang does not, so that an editor underlines
 * no right line. Only clangd reads it (tools/editor.sh); nothing is compiled
 * with it.
 */
#pragma once

/* clang's own headers for CUDA take CUDA's macro away. */
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif

enum {
    __NV_ATOMIC_RELAXED,
    __NV_ATOMIC_CONSUME,
    __NV_ATOMIC_ACQUIRE,
    __NV_ATOMIC_RELEASE,
    __NV_ATOMIC_ACQ_REL,
    __NV_ATOMIC_SEQ_CST
};
enum {
    __NV_THREAD_SCOPE_THREAD,
    __NV_THREAD_SCOPE_BLOCK,
    __NV_THREAD_SCOPE_CLUSTER,
    __NV_THREAD_SCOPE_DEVICE,
    __NV_THREAD_SCOPE_SYSTEM
};

/* A value of T itself, so that the pointer alone says what T is. */
template <class T> struct scanlab_same { typedef T type; };
#define VALUE typename scanlab_same<T>::type

template <class T>
__device__ T __nv_atomic_load_n(const T *, int order,
                                int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_load(const T *, T *to, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_store_n(T *, VALUE, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM);
template <class T>
__device__ void __nv_atomic_store(T *, T *from, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM);
#define SCANLAB_FETCH(name)                                                    \
    template <class T>                                                         \
    __device__ T __nv_atomic_##name(T *, VALUE, int order,                     \
                                    int scope = __NV_THREAD_SCOPE_SYSTEM);
SCANLAB_FETCH(exchange_n)
SCANLAB_FETCH(fetch_add)
SCANLAB_FETCH(fetch_sub)
SCANLAB_FETCH(fetch_and)
SCANLAB_FETCH(fetch_or)
SCANLAB_FETCH(fetch_xor)
SCANLAB_FETCH(fetch_max)
SCANLAB_FETCH(fetch_min)
#undef SCANLAB_FETCH
template <class T>
__device__ bool
__nv_atomic_compare_exchange_n(T *, T *expected, VALUE, bool weak, int success,
                               int failure,
                               int scope = __NV_THREAD_SCOPE_SYSTEM);
__device__ void __nv_atomic_thread_fence(int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM);

/* Loads and stores with a hint for the caches. */
#define SCANLAB_LOAD(name) template <class T> __device__ T name(const T *);
SCANLAB_LOAD(__ldcg)
SCANLAB_LOAD(__ldca)
SCANLAB_LOAD(__ldcs)
SCANLAB_LOAD(__ldlu)
SCANLAB_LOAD(__ldcv)
#undef SCANLAB_LOAD
#define SCANLAB_STORE(name) template <class T> __device__ void name(T *, VALUE);
SCANLAB_STORE(__stwb)
SCANLAB_STORE(__stcg)
SCANLAB_STORE(__stcs)
SCANLAB_STORE(__stwt)
#undef SCANLAB_STORE
#undef VALUE

template <class T> __host__ T min(T, T);
template <class T> __host__ T max(T, T);
