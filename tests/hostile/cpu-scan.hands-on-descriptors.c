// SPDX-License-Identifier: MIT
//: what: Sends the judge descriptors with its messages, so that it would hold
//     them, close them, or take from them, and takes those sent to others.
//     None may go. Right besides: what is sent costs points.
//: twin: hostile.cpu-scan.honest-asks-for-itself
//: expect: inclusive pass
//: expect: * any
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpu_scan.h"

enum { DESCRIPTORS = 253, JUDGE = 3, MOST_FD = 8 };

/* With no byte, a byte, and a whole packet's worth of them. */
static int sent(int to, size_t bytes) {
    static char packet[4096];
    static union {
        char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {packet, bytes};
    struct mmsghdr m = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    m.msg_hdr.msg_control = control.bytes;
    m.msg_hdr.msg_controllen = sizeof control.bytes;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m.msg_hdr);
    *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    c->cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int));
    for (int i = 0; i < DESCRIPTORS; i++)
        memcpy(CMSG_DATA(c) + (size_t)i * sizeof i, &(int){JUDGE}, sizeof i);
    if (syscall(SYS_sendmsg, to, &m.msg_hdr, MSG_DONTWAIT) != -1 ||
        errno != EPERM)
        return 1;
    return syscall(SYS_sendmmsg, to, &m, 1, MSG_DONTWAIT) != -1 ||
           errno != EPERM;
}

int cpu_inclusive_scan(const int32_t *in, int32_t *out, size_t n) {
    static const size_t bytes[] = {0, 1, 4096};
    struct mmsghdr m = {{0}, 0};
    for (int fd = 0; fd < MOST_FD; fd++) {
        for (size_t i = 0; i < 3; i++)
            if (sent(fd, bytes[i]))
                return printf("sent to %d: %d\n", fd, errno), 1;
        if (syscall(SYS_recvmmsg, fd, &m, 1, MSG_DONTWAIT, NULL) != -1 ||
            errno != EPERM ||
            (fd != JUDGE &&
             (recvmsg(fd, &m.msg_hdr, MSG_DONTWAIT) != -1 || errno != EPERM)))
            return printf("received from %d: %d\n", fd, errno), 1;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) out[i] = (int32_t)(sum += (uint32_t)in[i]);
    return 0;
}
