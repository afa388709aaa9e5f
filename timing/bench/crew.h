/* SPDX-License-Identifier: MIT
 *
 * crew.h: everything that is started before the first round: compiled folders,
 * compiled peers, a process for each, and who performs what.
 */
#pragma once

#include "host.h"
#include "bench_gpu.h"
#include "peers.h"
#include "plan.h"
#include "worker.h"

enum { CREW_WORKERS = 24, CREW_ERROR_BYTES = 4096 };

struct crew {
    struct host host;
    char *units[UNITS_MOST]; /* 0: the measuring program; then peers */
    size_t n_units;
    struct worker workers[CREW_WORKERS]; /* 0: peers; then one per folder */
    size_t n_workers;
    struct performers performers;
};

/* tell: what is being done now, or NULL. false: error says why, in one message
 * for the user. crew_close in any case. */
bool crew_open(struct crew *, const struct bench_gpu_options *,
               const struct plan_filter *, void (*tell)(const char *text),
               char error[CREW_ERROR_BYTES]);
void crew_close(struct crew *);
