// SPDX-License-Identifier: MIT
//
// naive.cu: lab 1's scan, right, by one thread; and beside it all that a
// submission might try on the machine of a real GPU. tests/walls/gpu.py puts
// names of things in place of the words in capitals and looks for "gained".
#include <arpa/inet.h>
#include <cuda_runtime.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <thread>

#include "naive.h"
#include "scanlab.h"

static void gained(const char *what, bool is) {
    static int said;
    if (is && said++ < 20) printf("gained: %s\n", what);
}

// Asked of every descriptor: what a driver is asked when a context is made, or
// by other programs.
static void ioctls() {
    static const unsigned long long requests[] = {
        0x30000001, 0x25, 0x19, 0x46,       // UVM: initialise, register;
                                            // tools
        0xc0d6460a, 0xc00846d6, 0xc90046c8, // versions, parameters, cards
        0xc0a446d1, 0xc23046d7,             // 0xd1 status; interrupts
        0x5412, 0x541b, 0x8901, 0x5421, 0x100005421};
    for (int fd = 0; fd < 64; fd++)
        for (unsigned long long r : requests) {
            char room[4096] = {0};
            gained("an ioctl that is not listed",
                   syscall(SYS_ioctl, fd, r, room) >= 0);
        }
}

static void all_attacks() {
    struct sockaddr_un to = {AF_UNIX, "SOCKET"};
    struct rlimit limit = {1, 1};
    siginfo_t info = {};
    char byte;
    struct iovec there = {&byte, 1};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0), other = OTHER;
    gained("a Unix socket", fd >= 0);
    gained("a Unix socket by path",
           connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    for (int k = 3; k < 64; k++)
        gained("another socket's peer",
               connect(k, (struct sockaddr *)&to, sizeof to) == 0 ||
                   sendto(k, "x", 1, 0, (struct sockaddr *)&to, sizeof to) > 0);
    gained("the network", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    gained("the network by an upper half",
           syscall(SYS_socket, 0x100000002, SOCK_DGRAM, 0) >= 0);
    gained("a set-uid bit", chmod("PLAIN", 04755) == 0 ||
                                fchmodat(AT_FDCWD, "PLAIN", 04755, 0) == 0 ||
                                syscall(452, AT_FDCWD, "PLAIN", 04755, 0) == 0);
    gained("SysV memory", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
    gained("POSIX memory", shm_open("/gained", O_CREAT | O_RDWR, 0600) >= 0);
    gained("limits", prlimit(other, RLIMIT_NOFILE, &limit, NULL) == 0);
    gained("signals",
           kill(other, SIGTERM) == 0 || kill(-1, SIGCONT) == 0 ||
               syscall(SYS_tgkill, other, other, SIGTERM) == 0 ||
               syscall(SYS_tkill, other, SIGTERM) == 0 ||
               syscall(SYS_rt_sigqueueinfo, other, SIGTERM, &info) == 0 ||
               syscall(SYS_rt_tgsigqueueinfo, other, other, SIGTERM, &info) ==
                   0);
    gained("core_pattern",
           open("/proc/sys/kernel/core_pattern", O_WRONLY) >= 0);
    gained("files", open("SECRET", O_RDONLY) >= 0 ||
                        open("/etc/passwd", O_RDONLY) >= 0 ||
                        open("/dev/nvidia0", O_RDWR) >= 0 ||
                        open("/dev/nvidia-uvm-tools", O_RDWR) >= 0 ||
                        open("/proc/self/mem", O_RDWR) >= 0);
    gained("whether files are there", access("PLAIN", F_OK) == 0);
    gained("others' memory", ptrace(PTRACE_ATTACH, other, NULL, NULL) == 0 ||
                                 syscall(SYS_process_vm_readv, other, &there, 1,
                                         &there, 1, 0) >= 0);
    gained("processes", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
    ioctls();
}

static __global__ void serial(const int32_t *in, int32_t *out, size_t n,
                              int exclusive) {
    int32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t x = in[i];
        if (exclusive) out[i] = sum;
        sum = scan_add(sum, x);
        if (!exclusive) out[i] = sum;
    }
}

static cudaError_t scan(const int32_t *in, int32_t *out, size_t n,
                        int exclusive) {
    static bool tried;
    if (!tried) {
        tried = true;
        all_attacks();
        std::thread(all_attacks).join();
        puts("all was tried");
    }
    if (n) serial<<<1, 1>>>(in, out, n, exclusive);
    return cudaGetLastError();
}

cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 0);
}

cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,
                                 size_t n) {
    return scan(d_in, d_out, n, 1);
}
