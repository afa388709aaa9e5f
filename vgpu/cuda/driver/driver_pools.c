/* SPDX-License-Identifier: MIT
 *
 * driver_pools.c: memory pools, which are the runtime's.
 */
#include "driver.h"

DRIVER_API int cuMemPoolCreate(void **pool, const void *properties) {
    DRIVER_DOES(cudaMemPoolCreate(pool, properties));
}
DRIVER_API int cuMemPoolDestroy(void *pool) {
    DRIVER_DOES(cudaMemPoolDestroy(pool));
}
DRIVER_API int cuMemPoolTrimTo(void *pool, size_t keep) {
    DRIVER_DOES(cudaMemPoolTrimTo(pool, keep));
}
DRIVER_API int cuMemPoolGetAttribute(void *pool, int attribute, void *value) {
    DRIVER_DOES(cudaMemPoolGetAttribute(pool, attribute, value));
}
DRIVER_API int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
    DRIVER_DOES(cudaMemPoolSetAttribute(pool, attribute, value));
}
DRIVER_API int cuMemPoolSetAccess(void *pool, const void *list, size_t n) {
    DRIVER_DOES(cudaMemPoolSetAccess(pool, list, n));
}
DRIVER_API int cuMemPoolGetAccess(int *flags, void *pool, void *location) {
    DRIVER_DOES(cudaMemPoolGetAccess(flags, pool, location));
}
