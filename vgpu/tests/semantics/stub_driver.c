/* SPDX-License-Identifier: MIT
 *
 * stub_driver.c: a libcuda.so.1 that runs nothing, so that ptx_referee's own
 * doings can be tested where there is no GPU. Memory stays what it was; the
 * third launch of a process, and each one after it, is an illegal instruction.
 */
#include <stdlib.h>
#include <string.h>

enum { FAULT_AT = 3, ILLEGAL_INSTRUCTION = 715, NOT_SUPPORTED = 801 };
enum { STACK = 0, STACK_WANTED = 8192 };
typedef unsigned long long address;
static int launches;

int cuInit(unsigned flags) {
    return (int)flags;
}

int cuDeviceGet(int *device, int ordinal) {
    return *device = ordinal;
}

int cuDeviceGetName(char *name, int bytes, int device) {
    if (bytes < 5 || device) return NOT_SUPPORTED;
    strcpy(name, "stub");
    return 0;
}

int cuDriverGetVersion(int *version) {
    *version = 13000;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
    *context = &launches;
    return device;
}

int cuCtxSetCurrent(void *context) {
    return !context;
}

int cuCtxSetLimit(int limit, size_t value) {
    return limit == STACK && value >= STACK_WANTED ? 0 : NOT_SUPPORTED;
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned n,
                       int *options, void **values) {
    *module = &launches;
    return !image || !n || !options || !values;
}

int cuModuleUnload(void *module) {
    return !module;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    *function = module;
    return *name != 'k';
}

int cuMemAlloc_v2(address *a, size_t bytes) {
    void *p = malloc(bytes);
    memcpy(a, &p, sizeof p);
    return !p;
}

static void *pointer(address a) {
    void *p;
    memcpy(&p, &a, sizeof p);
    return p;
}

int cuMemFree_v2(address a) {
    free(pointer(a));
    return 0;
}

int cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) {
    memcpy(pointer(to), from, bytes);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, address from, size_t bytes) {
    memcpy(to, pointer(from), bytes);
    return 0;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **parameters, void **extra) {
    (void)shared;
    launches++;
    return !function || gx * gy * gz * bx * by * bz == 0 || stream ||
           parameters || !extra;
}

int cuCtxSynchronize(void) {
    return launches >= FAULT_AT ? ILLEGAL_INSTRUCTION : 0;
}
