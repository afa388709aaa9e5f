/* SPDX-License-Identifier: MIT
 *
 * client_symbols.c: __device__ and __constant__ variables by the address of
 * their host shadow: where they are, and copies to and from them.
 */
#include "client.h"

static int client_symbols_find(const void *symbol,
                               struct client_variable **variable) {
    int error = client_connect();
    if (error) return error;
    *variable = client_variable_find(symbol);
    return *variable ? client_variable_resolve(*variable)
                     : (int)cudaErrorInvalidSymbol;
}

CUDA_API int cudaGetSymbolAddress(void **address, const void *symbol) {
    struct client_variable *v;
    client_lock();
    int error = client_symbols_find(symbol, &v);
    if (!error) *address = (void *)(uintptr_t)v->address;
    return client_end(error);
}

CUDA_API int cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    struct client_variable *v;
    client_lock();
    int error = client_symbols_find(symbol, &v);
    if (!error) *bytes = v->bytes;
    return client_end(error);
}

/* The place in a symbol that a copy of bytes at offset means. */
static int locate(vgpu_call call, const void *symbol, size_t bytes,
                  size_t offset, void **place) {
    struct client_variable *v;
    int error = client_symbols_find(symbol, &v);
    if (error == cudaErrorInvalidSymbol)
        return client_misuse(VGPU_MISUSE_NO_SYMBOL, call, 0, error);
    if (error) return error;
    if (offset > v->bytes || bytes > v->bytes - offset)
        return client_misuse(VGPU_MISUSE_PAST_SYMBOL, call, 0,
                             cudaErrorInvalidValue);
    *place = (void *)(uintptr_t)(v->address + offset);
    return cudaSuccess;
}

/* cudaMemcpyDefault, or one of the two kinds that end on the right side. */
static bool kind_fits(int kind, int from_host, int on_device) {
    return kind == from_host || kind == on_device || kind == RT_COPY_DEFAULT;
}

static int copy_to(vgpu_call call, const void *symbol, const void *from,
                   size_t bytes, size_t offset, int kind) {
    void *to = NULL;
    int error = kind_fits(kind, RT_HOST_TO_DEVICE, RT_DEVICE_TO_DEVICE)
                    ? locate(call, symbol, bytes, offset, &to)
                    : (int)cudaErrorInvalidMemcpyDirection;
    return error ? error : client_copy(call, to, from, bytes, kind);
}

static int copy_from(vgpu_call call, void *to, const void *symbol, size_t bytes,
                     size_t offset, int kind) {
    void *from = NULL;
    int error = kind_fits(kind, RT_DEVICE_TO_HOST, RT_DEVICE_TO_DEVICE)
                    ? locate(call, symbol, bytes, offset, &from)
                    : (int)cudaErrorInvalidMemcpyDirection;
    return error ? error : client_copy(call, to, from, bytes, kind);
}

CLIENT_CALLS(cudaMemcpyToSymbol,
             copy_to(call, symbol, from, bytes, offset, kind),
             const void *symbol, const void *from, size_t bytes, size_t offset,
             int kind);
CLIENT_CALLS(cudaMemcpyFromSymbol,
             copy_from(call, to, symbol, bytes, offset, kind), void *to,
             const void *symbol, size_t bytes, size_t offset, int kind);
