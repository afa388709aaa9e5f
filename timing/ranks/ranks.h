/* SPDX-License-Identifier: MIT
 *
 * ranks.h: what a rank of exscan.c does with its part: on its cores (cores.c)
 * or on a GPU (gpu.cu, in a library of its own: ranks-gpu.so).
 */
#ifndef TIMING_RANKS_H
#define TIMING_RANKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rank's part of the array, zeroed before it is opened. */
struct ranks_part {
    const int32_t *in;
    size_t n;
    int threads;  /* cores.c */
    int32_t *out; /* of gpu.cu: on the device, as are the others */
    int32_t *device_in;
    uint32_t *sum;
};

/* Functions return 0, or an errno value. */
struct ranks_engine {
    const char *name;
    /* Takes a part of n elements; local: the rank's number on its machine, of
     * so many. */
    int (*open)(struct ranks_part *p, const int32_t *in, size_t n, int local,
                int locals);
    /* What the part comes to. */
    int (*total)(struct ranks_part *p, int32_t *sum);
    /* Scans it, behind what lies before it. */
    int (*scan)(struct ranks_part *p, int32_t before);
    /* The results. */
    int (*result)(const struct ranks_part *p, int32_t *out);
    void (*close)(struct ranks_part *p);
};

extern const struct ranks_engine ranks_cores;
/* The name of the function of ranks-gpu.so that says whether there is a GPU;
 * NULL: there is none. */
#define RANKS_GPU "ranks_gpu_engine"
typedef const struct ranks_engine *ranks_gpu_function(void);

#ifdef __cplusplus
}
#endif

#endif
