/* SPDX-License-Identifier: MIT
 *
 * Dies when half of a message is written.
 */
// expect: naive/tiny fail "crashed (Killed)"
// most-mib: 300
// expect-score: naive 0
#include <signal.h>

#include "channel.h"
#include "naive.h"

cudaError_t naive_inclusive_scan(const int32_t *, int32_t *, size_t) {
    char half[100000] = {0};
    request(WRITE, 24 + 200000, half, sizeof half);
    kill(getpid(), SIGKILL);
    return cudaSuccess;
}
