// SPDX-License-Identifier: MIT
//
// later.cu: as early.cu, and the work itself waits: a timed call covers nothing
// but its beginning. Each scan starts 20 ms after "done" has been said.
#include <sys/socket.h>
#include <unistd.h>

#include "honest.h"
#include "@ROOT@/grader/contract/wire.h"

extern "C" cudaError_t lookback_scan_i32(const int32_t *d_in, int32_t *d_out,
                                         size_t n, int op) {
    static wire_message m;
    uint64_t sequence = 4;
    for (;;) {
        m = wire_message();
        m.magic = WIRE_MAGIC;
        m.kind = WIRE_ANSWER;
        m.sequence = sequence;
        m.value = SIZE_MAX;
        send(WIRE_CONTROL_FD, &m, sizeof m, MSG_NOSIGNAL);
        usleep(20000);
        honest_scan_i32(d_in, d_out, n, op);
        if (recv(WIRE_CONTROL_FD, &m, sizeof m, 0) != (ssize_t)sizeof m)
            return cudaErrorUnknown;
        sequence = m.sequence;
    }
}
