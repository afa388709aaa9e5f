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

static int open_cores(struct ranks_part *p, const int32_t *in, size_t n,
                      int local, int locals) {
    (void)local;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    p->in = in;
    p->n = n;
    p->threads = cores > locals ? (int)(cores / locals) : 1;
    if (p->threads > 256) p->threads = 256;
    p->out = malloc((n ? n : 1) * sizeof *p->out);
    return p->out ? 0 : ENOMEM;
}

static int total_of_cores(struct ranks_part *p, int32_t *sum) {
    uint32_t all = 0;
    for (size_t i = 0; i < p->n; i++) all += (uint32_t)p->in[i];
    *sum = (int32_t)all;
    return 0;
}

/* The scan has nothing before it: the first element takes that in. */
static int scan_on_cores(struct ranks_part *p, int32_t before) {
    if (p->n == 0) return 0;
    memcpy(p->out, p->in, p->n * sizeof *p->out);
    p->out[0] = (int32_t)((uint32_t)p->out[0] + (uint32_t)before);
    return cpu_single_pass_scan(p->out, p->out, p->n, p->threads);
}

static int result_of_cores(const struct ranks_part *p, int32_t *out) {
    memcpy(out, p->out, p->n * sizeof *out);
    return 0;
}

static void close_cores(struct ranks_part *p) {
    free(p->out);
    p->out = NULL;
}

const struct ranks_engine ranks_cores = {"cores",         open_cores,
                                         total_of_cores,  scan_on_cores,
                                         result_of_cores, close_cores};
