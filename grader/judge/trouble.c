/* SPDX-License-Identifier: MIT
 *
 * trouble.c: see trouble.h.
 */
#include "trouble.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "machine.h"

enum { AGAIN_MS = 100, MOST_AGAIN = 3 };

static bool is_doubtful(const struct case_result *r) {
    return r->is_doubtful || r->verdict == CASE_ENVIRONMENT;
}

/* The labs of the host are about threads. */
static unsigned threads_of(const struct case_spec *s) {
    return s->device == WIRE_HOST ? PROCESS_MOST_THREADS : 1;
}

static int machine_error(const struct case_spec *s, unsigned long long kills) {
    if (machine_kills() != kills) return ENOMEM;
    return machine_refuses(threads_of(s), s->lab->memory_limit_mib);
}

/* Who looks on has seen the first run. */
static bool may_run_again(const struct case_spec *s) {
    return !s->inspect && !s->look && !s->trace;
}

void trouble_run(void (*run)(const struct case_spec *, struct case_result *),
                 const struct case_spec *s, struct case_result *result) {
    unsigned long long kills = machine_kills();
    run(s, result);
    for (int i = 0; is_doubtful(result) && may_run_again(s); i++) {
        if (i >= (result->verdict == CASE_ENVIRONMENT ? MOST_AGAIN : 1)) break;
        case_result_free(result);
        poll(NULL, 0, AGAIN_MS << i);
        run(s, result);
    }
    if (!result->is_doubtful || result->verdict == CASE_ENVIRONMENT) return;
    int error = machine_error(s, kills);
    if (!error) return;
    case_result_free(result);
    case_trouble(result,
                 text_format("this machine refuses what a submission may have "
                             "(%u threads, %u MiB, files): %s",
                             threads_of(s), s->lab->memory_limit_mib,
                             strerror(error)));
}
