// SPDX-License-Identifier: MIT
//: what: Ignores every signal there is, those of the time limit, too, and goes on.
//: twin: hostile.cpu-scan.honest-works-hard
//: time: 500
//: expect: inclusive fail "did not return within"
//: expect: * fail
#include <signal.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    sigset_t all;
    for (int i = 1; i < 65; i++) signal(i, SIG_IGN);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    (void)in, (void)out, (void)n;
    for (volatile int i = 0;; i = !i) {
    }
}
