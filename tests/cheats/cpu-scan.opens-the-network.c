// SPDX-License-Identifier: MIT
//: what: Opens a connection to ask somebody else.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: expect: inclusive fail "open a network or local socket"
//: expect: * fail
#include <netinet/in.h>
#include <sys/socket.h>

#include "cpu_scan.h"

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = 80};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    connect(fd, (struct sockaddr *)&there, sizeof there);
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}
