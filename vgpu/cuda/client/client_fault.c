/* SPDX-License-Identifier: MIT
 *
 * client_fault.c: host code that uses a device pointer as its own dies of a
 * segmentation fault, as with a real GPU. Here the reason is reported: nothing
 * else is ever mapped at device addresses, so the fault address shows it. The
 * handler may only use what is safe in a signal: it writes a prepared message
 * to the channel and a line to stderr, and lets the fault happen again.
 */
#define _GNU_SOURCE /* REG_ERR */
#include "client.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 15 };

/* For the handler, which gets nothing but a signal. */
static struct {
    int fd;
    struct {
        struct vgpu_header header;
        struct vgpu_request_FAULT request;
    } message;
    char stack[STACK_BYTES];
} fault;

enum { READ, WROTE, USED };

static unsigned access_kind(const void *context) {
#if defined(__x86_64__)
    const ucontext_t *c = context;
    return c->uc_mcontext.gregs[REG_ERR] & 2 ? WROTE : READ;
#else
    (void)context;
    return USED;
#endif
}

static void client_fault_put(const char *text) {
    ssize_t n = write(STDERR_FILENO, text, strlen(text));
    (void)n;
}

static void put_line(unsigned access, uint64_t address) {
    static const char *const did[] = {"read", "wrote", "used"};
    char digits[19] = "0x";
    size_t at = 2;
    for (int shift = 44; shift >= 0; shift -= 4)
        digits[at++] = "0123456789abcdef"[address >> shift & 15];
    digits[at] = 0;
    client_fault_put("vgpu: host code ");
    client_fault_put(did[access]);
    client_fault_put(" device pointer ");
    client_fault_put(digits);
    client_fault_put("; copy it with cudaMemcpy first\n");
}

static void on_fault(int number, siginfo_t *info, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    if (info->si_code > 0 &&
        client_watch_fault(info->si_addr, access_kind(context), context))
        return;
    if (info->si_code > 0 && client_is_device_address(info->si_addr)) {
        unsigned access = access_kind(context);
        if (client_mapped_fault(info->si_addr, access)) return;
        fault.message.request.address = address;
        fault.message.request.access = access;
        /* Another thread may be in the middle of a request; then this garbles
         * it, but the process is about to end and the line below remains. */
        ssize_t n = send(fault.fd, &fault.message, sizeof fault.message,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        (void)n;
        put_line(access, address);
    }
    /* Once more with the default action, so that the parent sees the signal
     * and a core dump shows the place. */
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);
}

static void install(int number) {
    struct sigaction old, action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL) return;
    action.sa_sigaction = on_fault;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

bool client_fault_is_ours(void) {
    struct sigaction now;
    return sigaction(SIGSEGV, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
           now.sa_sigaction == on_fault;
}

void client_fault_install(int fd) {
    stack_t old, stack = {.ss_sp = fault.stack, .ss_size = sizeof fault.stack};
    fault.fd = fd;
    fault.message.header =
        (struct vgpu_header){.magic = VGPU_MAGIC,
                             .version = VGPU_PROTOCOL_VERSION,
                             .request = VGPU_REQUEST_FAULT,
                             .payload_bytes = sizeof fault.message.request};
    if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE))
        sigaltstack(&stack, NULL);
    install(SIGSEGV);
    install(SIGBUS);
}
