/* SPDX-License-Identifier: MIT
 *
 * client_test.c: the client library as a program sees it, linked like a
 * program links libcudart, with a server and the fake device on a thread of
 * the same process. Functions are declared by hand, since there may be no
 * toolkit. One process has one channel, so the tests share a device.
 */
#include "client_layout.h"
#include "client_names.h"
#include "device_hooks.h"
#include "fake_device.h"
#include "protocol.h"
#define UNIT_SET_UP reset
#include "unit.h"
#include "said.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocHost(void **, size_t);
int cudaFreeHost(void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpyPeer(void *, int, const void *, int, size_t);
int cudaMemset(void *, int, size_t);
int cudaMemGetInfo(size_t *, size_t *);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
const char *cudaGetErrorString(int);
const char *cudaGetErrorName(int);
int cudaGetDeviceCount(int *);
int cudaSetDevice(int);
int cudaGetDeviceProperties(struct rt_device_prop *, int);
int cudaDeviceGetAttribute(int *, int, int);
int cudaPointerGetAttributes(struct rt_pointer_attributes *, const void *);
int cudaStreamCreate(void **);
int cudaStreamDestroy(void *);
int cudaStreamSynchronize(void *);
int cudaStreamSynchronize_ptsz(void *);
int cudaEventCreate(void **);
int cudaEventRecord(void *, void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaEventDestroy(void *);
int cudaLaunchKernel(const void *, struct rt_dim3, struct rt_dim3, void **,
                     size_t, void *);
int cudaFuncGetAttributes(struct rt_func_attributes *, const void *);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int,
                                                  size_t);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolSize(size_t *, const void *);
int cudaIpcGetMemHandle(void *, void *);
int cudaMallocManaged(void **, size_t, unsigned);
int cudaHostGetDevicePointer(void **, void *, unsigned);
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int);
unsigned __cudaPushCallConfiguration(struct rt_dim3, struct rt_dim3, size_t,
                                     void *);
int __cudaPopCallConfiguration(struct rt_dim3 *, struct rt_dim3 *, size_t *,
                               void *);
int __cudaGetKernel(void **, const void *);
int __cudaLaunchKernel(void *, struct rt_dim3, struct rt_dim3, void **, size_t,
                       void *);

enum { H2H, H2D, D2H, D2D, DEFAULT };
static const struct rt_dim3 one = {1, 1, 1}, warp = {32, 1, 1};

/* What the server thread and the tests share. The device is only looked at
 * while no call is under way, so no lock is needed. */
static struct world {
    vgpu_device *device;
    int client, server;
    pthread_t thread;
} world;

static void *serve(void *unused) {
    vgpu_session *session = vgpu_session_new(world.device, world.server);
    struct pollfd wait = {.fd = world.server, .events = POLLIN};
    (void)unused;
    while (poll(&wait, 1, -1) > 0 && vgpu_session_step(session) > 0) continue;
    vgpu_session_free(session);
    return NULL;
}

/* What nvcc's output registers: an image, kernels, a variable. */
static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    char text[16];
} good = {0xBA55ED50u, 1, 16, 16, "some ptx"},
  bad = {0xBA55ED50u, 1, 16, 16, "no ptx"}, empty = {0xBA55ED50u, 1, 16, 0, ""};
struct wrapper {
    uint32_t magic, version;
    const void *data;
    const void *const *linked;
};
static const void *const linked[] = {&empty, &good, NULL};
static struct wrapper good_wrapper = {0x466243B1, 1, &good, NULL},
                      bad_wrapper = {0x466243B1, 1, &bad, NULL},
                      linked_wrapper = {0x466243B1, 2, &empty, linked};
static char k2_stub, k0_stub, missing_stub, bad_stub, linked_stub, symbol,
    missing_symbol, unknown_stub;

static void add_kernel(void **image, char *stub, const char *name) {
    __cudaRegisterFunction(image, stub, NULL, name, -1, NULL, NULL, NULL, NULL,
                           NULL);
}

static int set_up(void **state) {
    char number[16];
    int ends[2];
    (void)state;
    void **image = __cudaRegisterFatBinary(&good_wrapper);
    add_kernel(image, &k2_stub, "k2");
    add_kernel(image, &k0_stub, "k0");
    add_kernel(image, &missing_stub, "k_missing");
    __cudaRegisterVar(image, &symbol, NULL, "symbol", 0, 64, 0, 0);
    __cudaRegisterVar(image, &missing_symbol, NULL, "missing", 0, 64, 0, 0);
    add_kernel(__cudaRegisterFatBinary(&bad_wrapper), &bad_stub, "k1");
    add_kernel(__cudaRegisterFatBinary(&linked_wrapper), &linked_stub, "k0");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return -1;
    world.client = ends[0];
    world.server = ends[1];
    world.device = vgpu_open(NULL, NULL);
    snprintf(number, sizeof number, "%d", world.client);
    setenv(VGPU_CHANNEL_VARIABLE, number, 1);
    return pthread_create(&world.thread, NULL, serve, NULL);
}

static int tear_down(void **state) {
    (void)state;
    shutdown(world.client, SHUT_RDWR);
    pthread_join(world.thread, NULL);
    vgpu_close(world.device);
    return 0;
}

static int reset(void **state) {
    (void)state;
    cudaGetLastError();
    vgpu_reset_findings(world.device);
    return 0;
}

static size_t findings(void) {
    const struct vgpu_finding *list;
    return vgpu_findings(world.device, &list);
}

static void expect_finding(vgpu_finding_kind kind, const char *words) {
    const struct vgpu_finding *list;
    assert_int_equal(vgpu_findings(world.device, &list), 1);
    assert_int_equal(list[0].kind, kind);
    if (!strstr(said_by(&list[0]), words)) fail_msg("%s", said_by(&list[0]));
    vgpu_reset_findings(world.device);
}

TEST(errors_have_cudas_names) {
    assert_string_equal(cudaGetErrorName(700), "cudaErrorIllegalAddress");
    assert_string_equal(cudaGetErrorString(2), "out of memory");
    assert_string_equal(cudaGetErrorString(12345), "unrecognized error code");
}

TEST(copies_arrive_whole) {
    enum { BYTES = 3 * VGPU_CHUNK + 5 };
    unsigned char *from = malloc(BYTES), *to = malloc(BYTES);
    void *a, *b;
    for (int i = 0; i < BYTES; i++) from[i] = (unsigned char)(i * 7 + i / 256);
    assert_int_equal(cudaMalloc(&a, BYTES), 0);
    assert_int_equal(cudaMalloc(&b, BYTES), 0);
    assert_int_equal(cudaMemcpy(a, from, BYTES, H2D), 0);
    assert_int_equal(cudaMemcpy(b, a, BYTES, DEFAULT), 0);
    assert_int_equal(cudaMemcpy(to, b, BYTES, D2H), 0);
    assert_memory_equal(from, to, BYTES);
    assert_int_equal(cudaMemset(b, 3, 2), 0);
    assert_int_equal(cudaMemcpy(to, b, 3, DEFAULT), 0);
    assert_int_equal(to[1], 3);
    assert_int_equal(to[2], from[2]);
    assert_int_equal(cudaFree(a), 0);
    assert_int_equal(cudaFree(b), 0);
    assert_int_equal(findings(), 0);
    free(from);
    free(to);
}

TEST(rows_keep_their_pitch) {
    char from[12] = "abcdefghijkl", to[12] = "............";
    void *d;
    assert_int_equal(cudaMalloc(&d, 16), 0);
    assert_int_equal(cudaMemcpy2D(d, 4, from, 6, 3, 2, H2D), 0);
    assert_int_equal(cudaMemcpy2D(to, 5, d, 4, 3, 2, D2H), 0);
    assert_memory_equal(to, "abc..ghi....", 12);
    assert_int_equal(cudaMemcpy2D(to, 2, d, 4, 3, 2, D2H), 12);
    cudaFree(d);
}

TEST(wrong_directions_are_explained) {
    char host[4];
    void *d;
    cudaMalloc(&d, 4);
    assert_int_equal(cudaMemcpy(d, host, 4, 17), 21);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "copy kind");
    assert_int_equal(cudaMemcpy(d, NULL, 4, H2D), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "source is a null pointer");
    memcpy(host, "none", 4);
    assert_int_equal(cudaMemcpy(d, "abcd", 4, H2D), 0);
    assert_int_equal(cudaMemcpy(d, "abc", 4, D2H), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "source");
    assert_int_equal(cudaMemcpy(d, "efgh", 4, D2D), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "is cudaMemcpyDeviceToDevice");
    assert_int_equal(cudaMemcpy(host, d, 4, H2D), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "host memory");
    assert_memory_equal(host, "none", 4);
    assert_int_equal(cudaMemcpy(host, d, 4, H2H), 0);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "the source");
    assert_memory_equal(host, "abcd", 4);
    assert_int_equal(cudaMemcpyPeer(d, 0, host, 0, 4), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "between devices");
    assert_int_equal(cudaMemset(host, 0, 4), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "cudaMemset");
    assert_int_equal(cudaGetLastError(), 1);
    assert_int_equal(cudaGetLastError(), 0);
    cudaFree(d);
}

TEST(frees_are_checked) {
    char host[4];
    void *d;
    assert_int_equal(cudaFree(NULL), 0);
    cudaMalloc(&d, 64);
    assert_int_equal(cudaFree((char *)d + 8), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "8 bytes into");
    assert_int_equal(cudaFree(d), 0);
    assert_int_equal(cudaFree(d), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "freed twice");
    assert_int_equal(cudaFree(host), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "host memory");
    assert_int_equal(cudaFreeHost(host), 1);
    expect_finding(VGPU_FINDING_HOST_MISUSE, "cudaFreeHost");
}

TEST(pinned_memory_is_host_memory) {
    struct rt_pointer_attributes attributes;
    void *h, *d;
    assert_int_equal(cudaMallocHost(&h, 100), 0);
    memset(h, 1, 100);
    assert_int_equal(cudaPointerGetAttributes(&attributes, (char *)h + 5), 0);
    assert_int_equal(attributes.type, RT_HOST);
    assert_int_equal(cudaMalloc(&d, 100), 0);
    assert_int_equal(cudaPointerGetAttributes(&attributes, d), 0);
    assert_int_equal(attributes.type, RT_DEVICE);
    assert_int_equal(cudaPointerGetAttributes(&attributes, &h), 0);
    assert_int_equal(attributes.type, RT_UNREGISTERED);
    assert_int_equal(cudaFreeHost(h), 0);
    assert_int_equal(cudaFree(d), 0);
}

TEST(too_much_memory_is_no_finding) {
    size_t free_bytes, total;
    void *d;
    assert_int_equal(cudaMalloc(&d, (size_t)1 << 40), 2);
    assert_int_equal(cudaGetLastError(), 2);
    assert_int_equal(cudaMemGetInfo(&free_bytes, &total), 0);
    assert_int_equal(total, 64 << 20);
    assert_int_equal(findings(), 0);
}

TEST(launches_carry_their_arguments) {
    void *kernel = NULL, *d = (void *)0x1234;
    long n = 99;
    void *arguments[] = {&d, &n};
    struct rt_dim3 grid, block;
    size_t smem;
    void *stream;
    assert_int_equal(__cudaGetKernel(&kernel, &k2_stub), 0);
    assert_int_equal(
        __cudaPushCallConfiguration((struct rt_dim3){5, 6, 7}, warp, 48, NULL),
        0);
    assert_int_equal(__cudaPopCallConfiguration(&grid, &block, &smem, &stream),
                     0);
    assert_int_equal(
        __cudaLaunchKernel(kernel, grid, block, arguments, smem, stream), 0);
    struct fake_launch last = fake_record(world.device).last;
    assert_string_equal(last.kernel, "k2");
    assert_int_equal(last.grid[2], 7);
    assert_int_equal(last.block[0], 32);
    assert_int_equal(last.dynamic_smem_bytes, 48);
    assert_int_equal(last.param_bytes, 16);
    assert_int_equal(last.params[0], 0x1234);
    assert_int_equal(last.params[1], 99);
    assert_int_equal(cudaLaunchKernel(&linked_stub, one, warp, NULL, 0, NULL),
                     0);
}

TEST(launch_errors_are_kept) {
    struct rt_dim3 huge = {4096, 1, 1};
    assert_int_equal(cudaLaunchKernel(&k0_stub, one, huge, NULL, 0, NULL), 9);
    assert_int_equal(cudaPeekAtLastError(), 9);
    assert_int_equal(cudaGetLastError(), 9);
    assert_int_equal(cudaGetLastError(), 0);
    assert_int_equal(cudaLaunchKernel(&missing_stub, one, warp, NULL, 0, NULL),
                     98);
    assert_int_equal(cudaLaunchKernel(&unknown_stub, one, warp, NULL, 0, NULL),
                     98);
    assert_int_equal(cudaLaunchKernel(&k0_stub, one, warp, NULL, 0, &huge),
                     400);
    assert_int_equal(__cudaPopCallConfiguration(&huge, &huge, NULL, NULL), 52);
}

TEST(an_image_without_ptx_says_so) {
    long n = 0;
    void *arguments[] = {&n};
    assert_int_equal(cudaLaunchKernel(&bad_stub, one, warp, arguments, 0, NULL),
                     209);
    expect_finding(VGPU_FINDING_BAD_IMAGE, "fake device says no");
    assert_int_equal(cudaLaunchKernel(&bad_stub, one, warp, arguments, 0, NULL),
                     209);
}

TEST(symbols_are_found_and_bounded) {
    int in[2] = {7, 8}, out = 0;
    size_t bytes = 0;
    assert_int_equal(cudaGetSymbolSize(&bytes, &symbol), 0);
    assert_int_equal(bytes, 64);
    assert_int_equal(cudaMemcpyToSymbol(&symbol, in, 8, 0, H2D), 0);
    assert_int_equal(cudaMemcpyFromSymbol(&out, &symbol, 4, 4, D2H), 0);
    assert_int_equal(out, 8);
    assert_int_equal(cudaMemcpyToSymbol(&symbol, in, 8, 60, H2D), 1);
    assert_int_equal(cudaMemcpyToSymbol(&symbol, in, 8, 0, D2H), 21);
    assert_int_equal(cudaMemcpyToSymbol(&missing_symbol, in, 8, 0, H2D), 13);
    assert_int_equal(cudaMemcpyToSymbol(&out, in, 8, 0, H2D), 13);
}

TEST(the_device_describes_itself) {
    struct rt_device_prop p;
    struct rt_func_attributes f;
    int n = 0, blocks = 0;
    size_t smem = 0;
    assert_int_equal(cudaGetDeviceCount(&n), 0);
    assert_int_equal(n, 1);
    assert_int_equal(cudaSetDevice(1), 101);
    assert_int_equal(cudaGetDeviceProperties(&p, 0), 0);
    assert_int_equal(p.major * 10 + p.minor, 75);
    assert_int_equal(p.maxThreadsPerBlock, 1024);
    assert_int_equal(p.totalGlobalMem, 64 << 20);
    assert_non_null(strstr(p.name, "fake"));
    RT_12(assert_int_equal(p.clockRate, 1000000);)
    RT_13(assert_int_equal(p.hostNumaId, -1);)
    assert_int_equal(cudaDeviceGetAttribute(&n, 16, 0), 0);
    assert_int_equal(n, 2);
    assert_int_equal(cudaDeviceGetAttribute(&n, 10000, 0), 1);
    assert_int_equal(cudaFuncGetAttributes(&f, &k0_stub), 0);
    assert_int_equal(f.sharedSizeBytes, 1024);
    assert_int_equal(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, &k0_stub, 256, 0),
                     0);
    assert_int_equal(blocks, 4);
    assert_int_equal(
        cudaOccupancyAvailableDynamicSMemPerBlock(&smem, &k0_stub, 2, 256), 0);
    assert_int_equal(smem, 32768 - 1024);
}

#if CLIENT_CUDA == 12 /* calls that CUDA 13 has no more, or has otherwise */
#undef cudaMemAdvise
int cudaMemAdvise(const void *, size_t, int advice, int device);
int cudaMemAdvise_v2(const void *, size_t, int advice, struct rt_mem_location);
int cudaEventElapsedTime_v2(float *, void *, void *);
int cudaRuntimeGetVersion(int *);
int cudaStreamGetCaptureInfo_v2(void *, int *, unsigned long long *, void **,
                                const void **, size_t *);
int cudaThreadSynchronize(void);

TEST(cuda_12_has_its_own_calls) {
    struct rt_pointer_attributes a[2] = {{.type = 77}, {.type = 77}};
    int version = 0, status = 77;
    void *d;
    float ms;
    assert_int_equal(cudaRuntimeGetVersion(&version), 0);
    assert_int_equal(version, 12090);
    assert_int_equal(cudaMalloc(&d, 4), 0);
    assert_int_equal(cudaPointerGetAttributes(a, d), 0);
    assert_int_equal(a[0].type, RT_DEVICE);
    assert_int_equal(a[1].type, 77); /* 13's are larger */
    assert_int_equal(cudaMemAdvise(d, 4, 7, 0), 1);
    assert_int_equal(cudaMemAdvise_v2(d, 4, 7, (struct rt_mem_location){1, 0}),
                     1);
    assert_int_equal(cudaFree(d), 0);
    assert_int_equal(
        cudaStreamGetCaptureInfo_v2(NULL, &status, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(status, 0);
    assert_int_equal(cudaEventElapsedTime_v2(&ms, NULL, NULL), 400);
    assert_int_equal(cudaThreadSynchronize(), 0);
}
#endif

TEST(streams_and_events_are_handles) {
    void *stream, *start, *end;
    float ms = -1;
    assert_int_equal(cudaStreamCreate(&stream), 0);
    assert_int_equal(cudaEventCreate(&start), 0);
    assert_int_equal(cudaEventCreate(&end), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end), 400);
    assert_int_equal(cudaEventRecord(start, stream), 0);
    assert_int_equal(cudaEventRecord(end, stream), 0);
    assert_int_equal(cudaEventElapsedTime(&ms, start, end), 0);
    assert_true(ms >= 0);
    assert_int_equal(cudaStreamSynchronize_ptsz(stream), 0);
    assert_int_equal(cudaStreamDestroy(stream), 0);
    assert_int_equal(cudaStreamSynchronize(stream), 400);
    assert_int_equal(cudaEventDestroy(start), 0);
    assert_int_equal(cudaEventDestroy(end), 0);
    assert_int_equal(cudaEventDestroy(end), 400);
}

TEST(refused_calls_say_their_name) {
    char handle[64];
    assert_int_equal(cudaIpcGetMemHandle(&handle, NULL), 801);
    expect_finding(VGPU_FINDING_UNSUPPORTED, "cudaIpcGetMemHandle");
    assert_int_equal(cudaIpcGetMemHandle(&handle, NULL), 801);
    assert_int_equal(findings(), 0); /* once is enough */
}

/* As under a judge: no file is lent, so nothing is seen by both sides. */
TEST(without_a_file_no_memory_is_shared) {
    void *pointer = NULL, *device = &device;
    assert_int_equal(cudaMallocManaged(&pointer, 64, 1), 801);
    assert_null(pointer);
    expect_finding(VGPU_FINDING_UNSUPPORTED, "managed memory");
    setenv(VGPU_SHARED_VARIABLE, VGPU_SHARED_NEVER, 1);
    assert_int_equal(cudaMallocManaged(&pointer, 64, 1), 0);
    assert_true((uint64_t)(uintptr_t)pointer >= VGPU_ADDRESS_BASE);
    assert_int_equal(findings(), 0);
    assert_int_equal(cudaFree(pointer), 0);
    unsetenv(VGPU_SHARED_VARIABLE);
    assert_int_equal(cudaMallocHost(&pointer, 64), 0);
    assert_false((uint64_t)(uintptr_t)pointer >= VGPU_ADDRESS_BASE &&
                 (uint64_t)(uintptr_t)pointer < VGPU_ADDRESS_LIMIT);
    assert_int_equal(cudaHostGetDevicePointer(&device, pointer, 0), 801);
    assert_null(device);
    expect_finding(VGPU_FINDING_UNSUPPORTED, "cannot reach");
    assert_int_equal(cudaFreeHost(pointer), 0);
}

/* Everything the device printed reaches stdout at a synchronisation. */
TEST(device_output_comes_at_synchronisation) {
    enum { BYTES = VGPU_CHUNK + 77 };
    char *text = malloc(BYTES), *read_back = malloc(BYTES + 1);
    FILE *file = tmpfile();
    memset(text, 'p', BYTES);
    fflush(stdout);
    int keep = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    fake_print(world.device, text, BYTES);
    cudaLaunchKernel(&k0_stub, one, warp, NULL, 0, NULL);
    fflush(stdout);
    long before = lseek(fileno(file), 0, SEEK_CUR);
    cudaDeviceSynchronize();
    fflush(stdout);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    rewind(file);
    assert_int_equal(before, 0);
    assert_int_equal(fread(read_back, 1, BYTES + 1, file), BYTES);
    assert_memory_equal(text, read_back, BYTES);
    fclose(file);
    free(text);
    free(read_back);
}

static void *hammer(void *unused) {
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        long value = i, back = 0;
        void *d;
        if (cudaMalloc(&d, 8) || cudaMemcpy(d, &value, 8, H2D) ||
            cudaMemcpy(&back, d, 8, D2H) || cudaFree(d) || back != value)
            return "wrong";
    }
    return NULL;
}

TEST(threads_share_the_channel) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, hammer, NULL);
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
}

TEST(a_forked_child_is_refused) {
    int status;
    assert_int_equal(cudaDeviceSynchronize(), 0);
    pid_t child = fork();
    if (child == 0) _exit(cudaDeviceSynchronize());
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 3);
    assert_int_equal(cudaDeviceSynchronize(), 0);
}

/* Last, because it ends the context: a fault in a kernel shows at the next
 * call and at every one after it. */
TEST(faults_stick) {
    void *d;
    fake_next_launch(world.device, VGPU_ILLEGAL_ADDRESS);
    assert_int_equal(cudaLaunchKernel(&k0_stub, one, warp, NULL, 0, NULL), 0);
    assert_int_equal(cudaGetLastError(), 0);
    assert_int_equal(cudaDeviceSynchronize(), 700);
    assert_int_equal(cudaGetLastError(), 700);
    assert_int_equal(cudaGetLastError(), 700);
    assert_int_equal(cudaMalloc(&d, 4), 700);
}

UNIT_MAIN(set_up, tear_down)
