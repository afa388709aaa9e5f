// SPDX-License-Identifier: MIT
//: what: Kills its parent, its process group, everybody.
//: twin: hostile.cpu-scan.honest-works-hard
//: expect: tiny fail "send a signal to another process"
#include <signal.h>
#include <unistd.h>

#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    kill(getppid(), SIGKILL);
    kill(0, SIGKILL);
    kill(-1, SIGKILL);
    return cudaSuccess;
}
