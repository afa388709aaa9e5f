/* SPDX-License-Identifier: MIT
 *
 * cores.c: a rank's part on its share of the machine's cores, by lab 0's fast
 * scan (timing/fast/cpu_scan.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu_scan.h"
#include "ranks.h"

static struct {
    const int32_t *in;
    int32_t *out;
    size_t n;
    int threads;
} part;

static int open_cores(const int32_t *in, size_t n, int local, int locals) {
    (void)local;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    part.in = in;
    part.n = n;
    part.threads = cores > locals ? (int)(cores / locals) : 1;
    if (part.threads > 256) part.threads = 256;
    part.out = malloc((n ? n : 1) * sizeof *part.out);
    return part.out ? 0 : ENOMEM;
}

static int total_of_cores(int32_t *sum) {
    uint32_t all = 0;
    for (size_t i = 0; i < part.n; i++) all += (uint32_t)part.in[i];
    *sum = (int32_t)all;
    return 0;
}

/* The scan has nothing before it: the first element takes that in. */
static int scan_on_cores(int32_t before) {
    if (part.n == 0) return 0;
    memcpy(part.out, part.in, part.n * sizeof *part.out);
    part.out[0] = (int32_t)((uint32_t)part.out[0] + (uint32_t)before);
    return cpu_single_pass_scan(part.out, part.out, part.n, part.threads);
}

static int result_of_cores(int32_t *out) {
    memcpy(out, part.out, part.n * sizeof *out);
    return 0;
}

static void close_cores(void) {
    free(part.out);
    part.out = NULL;
}

const struct ranks_engine ranks_cores = {"cores",       open_cores,
                                         total_of_cores, scan_on_cores,
                                         result_of_cores, close_cores};
