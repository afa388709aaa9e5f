// SPDX-License-Identifier: MIT
//
// links.cu: how the constants of the clock's links are taken: rows of a CSV,
// each the median of several runs with the smallest and the largest beside it.
//
//   links >FILE.csv      needs 2 GPUs or more with peer access; seconds
//
// Words: one thread of each device. Bytes: all multiprocessors. Copies and
// launches: the host's clock (host_), two events (event_).
#include <algorithm>
#include <chrono>
#include <functional>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vector>

enum { MOST = 8, RUNS = 15 };
typedef unsigned long long word;

static int devices;
static char *memory[MOST], *other[MOST];
static cudaStream_t stream[MOST];
static cudaEvent_t begin[MOST], end[MOST], plain[MOST];
static const size_t ROOM = (size_t)1 << 30;

static void must(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "links:%d: %s\n", line, cudaGetErrorString(e));
    exit(2);
}
#define MUST(...) must((__VA_ARGS__), __LINE__)

static double now_us(void) {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

static void wait_for_all(void) {
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaDeviceSynchronize());
    }
}

static void row(const char *what, double p, const std::function<double()> &run,
                const char *unit) {
    std::vector<double> x;
    run(); // warm
    for (int r = 0; r < RUNS; r++) x.push_back(run());
    std::sort(x.begin(), x.end());
    printf("%s,%.0f,%.4g,%.4g,%.4g,%s\n", what, p, x[RUNS / 2], x[0],
           x[RUNS - 1], unit);
    fflush(stdout);
}

// ---- words ----

__global__ void ping(volatile word *mine, volatile word *theirs, int rounds,
                     int first, word *ns) {
    long long from, to;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    for (int r = 1; r <= rounds; r++) {
        if (!first)
            while (*mine < (word)r)
                ;
        *theirs = (word)r;
        if (first)
            while (*mine < (word)r)
                ;
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
    *ns = (word)(to - from);
}

// A word goes round all devices: each waits for the word of the one before it.
static double ring(int g, bool remote_polls) {
    enum { ROUNDS = 2000 };
    for (int d = 0; d < g; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaMemset(memory[d], 0, 4096));
    }
    wait_for_all();
    for (int d = 0; d < g; d++) {
        int next = (d + 1) % g, before = (d + g - 1) % g;
        word *mine = (word *)memory[remote_polls ? before : d];
        word *theirs = (word *)memory[remote_polls ? d : next];
        if (remote_polls) mine += 16, theirs += 16;
        MUST(cudaSetDevice(d));
        ping<<<1, 1, 0, stream[d]>>>(mine, theirs, ROUNDS, d == 0,
                                     (word *)(memory[d] + 1024));
    }
    wait_for_all();
    word ns;
    MUST(cudaSetDevice(0));
    MUST(cudaMemcpy(&ns, memory[0] + 1024, 8, cudaMemcpyDeviceToHost));
    return (double)ns / ROUNDS / g;
}

__global__ void chase(const volatile word *p, int steps, word *cycles) {
    word at = 0;
    long long from = clock64();
    for (int i = 0; i < steps; i++) at = p[at];
    *cycles = (word)(clock64() - from) + at;
}
__global__ void chase_fence(volatile word *p, int steps, word *cycles) {
    long long from = clock64();
    for (int i = 0; i < steps; i++) {
        p[i] = (word)i;
        __threadfence_system();
    }
    *cycles = (word)(clock64() - from);
}
__global__ void chase_atomic(word *p, int steps, word *cycles) {
    word at = 0;
    long long from = clock64();
    for (int i = 0; i < steps; i++) at += atomicAdd_system(p + at, 0ull);
    *cycles = (word)(clock64() - from) + at;
}

static double word_cycles(int kind, int owner) {
    enum { STEPS = 500 };
    MUST(cudaSetDevice(owner));
    MUST(cudaMemset(memory[owner], 0, 1 << 16));
    wait_for_all();
    MUST(cudaSetDevice(0));
    word *p = (word *)memory[owner], *to = (word *)(memory[0] + (1 << 20));
    if (kind == 0) chase<<<1, 1>>>(p, STEPS, to);
    if (kind == 1) chase_atomic<<<1, 1>>>(p, STEPS, to);
    if (kind == 2) chase_fence<<<1, 1>>>(p, STEPS, to);
    MUST(cudaGetLastError());
    word cycles;
    MUST(cudaMemcpy(&cycles, to, 8, cudaMemcpyDeviceToHost));
    return (double)cycles / STEPS;
}

// ---- bytes ----

__global__ void pull(const int4 *from, int4 *to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}
__global__ void just_read(const int4 *from, int *to, size_t n) {
    int sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        sum += from[i].x ^ from[i].z;
    if (sum == 0x7654321) *to = sum;
}
__global__ void just_write(int4 *to, size_t n) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = make_int4(1, 2, 3, (int)i);
}

// What `work(d)` of the devices that are named takes, of the slowest one.
static double by_events(int from, int to,
                        const std::function<void(int)> &work) {
    wait_for_all();
    for (int d = from; d < to; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaEventRecord(begin[d], stream[d]));
        work(d);
        MUST(cudaEventRecord(end[d], stream[d]));
    }
    double most = 0;
    for (int d = from; d < to; d++) {
        float ms;
        MUST(cudaSetDevice(d));
        MUST(cudaEventSynchronize(end[d]));
        MUST(cudaEventElapsedTime(&ms, begin[d], end[d]));
        most = std::max(most, ms * 1e3);
    }
    return most;
}

static void bytes_rows(void) {
    size_t n = ROOM / sizeof(int4);
    auto rate = [&](const char *what, double p, int from, int to,
                    const std::function<void(int)> &work) {
        row(
            what, p,
            [&] { return (double)ROOM / by_events(from, to, work) / 1e3; },
            "GB/s");
    };
    rate("pull_from_1", 1, 0, 1, [&](int d) {
        pull<<<1056, 512, 0, stream[d]>>>((int4 *)memory[1], (int4 *)other[d],
                                          n);
    });
    rate("read_from_1", 1, 0, 1, [&](int d) {
        just_read<<<1056, 512, 0, stream[d]>>>((int4 *)memory[1],
                                               (int *)other[d], n);
    });
    rate("write_to_1", 1, 0, 1, [&](int d) {
        just_write<<<1056, 512, 0, stream[d]>>>((int4 *)other[1], n);
    });
    rate("copy_0_to_1", 1, 0, 1, [&](int d) {
        MUST(cudaMemcpyPeerAsync(other[1], 1, memory[0], 0, ROOM, stream[d]));
    });
    for (int g = 2; g <= devices; g *= 2) {
        rate("read_from_next_all", g, 0, g, [&](int d) {
            just_read<<<1056, 512, 0, stream[d]>>>((int4 *)memory[(d + 1) % g],
                                                   (int *)other[d], n);
        });
        rate("copy_to_next_all", g, 0, g, [&](int d) {
            int e = (d + 1) % g;
            MUST(cudaMemcpyPeerAsync(other[e], e, memory[d], d, ROOM,
                                     stream[d]));
        });
        if (g < 3) continue;
        rate("read_from_0_others", g, 1, g, [&](int d) {
            just_read<<<1056, 512, 0, stream[d]>>>((int4 *)memory[0],
                                                   (int *)other[d], n);
        });
    }
}

// ---- copies and launches ----

__global__ void nothing(void) {}

static double by_host(int waits, const std::function<void()> &work) {
    wait_for_all();
    double from = now_us();
    work();
    double to = now_us();
    if (!waits) return to - from;
    for (int d = 0; d < waits; d++) {
        MUST(cudaSetDevice(d));
        MUST(cudaStreamSynchronize(stream[d]));
    }
    return now_us() - from;
}

static void copy_rows(void) {
    for (size_t bytes = 32; bytes <= ROOM; bytes *= 8) {
        auto copy = [&](int d) {
            MUST(cudaMemcpyPeerAsync(other[1], 1, memory[0], 0, bytes,
                                     stream[d]));
        };
        row(
            "event_copy_0_to_1", (double)bytes,
            [&] { return by_events(0, 1, copy); }, "us; by bytes");
        row(
            "host_copy_0_to_1", (double)bytes,
            [&] {
                MUST(cudaSetDevice(0));
                return by_host(1, [&] { copy(0); });
            },
            "us; with a wait; by bytes");
    }
    row(
        "host_copy_call", 32,
        [&] {
            MUST(cudaSetDevice(0));
            return by_host(0,
                           [&] {
                               for (int k = 0; k < 16; k++)
                                   MUST(cudaMemcpyPeerAsync(other[1], 1,
                                                            memory[0], 0, 32,
                                                            stream[0]));
                           }) /
                   16;
        },
        "us; of 16 calls");
}

static void launch_all(int g, int times) {
    for (int k = 0; k < times; k++)
        for (int d = 0; d < g; d++) {
            MUST(cudaSetDevice(d));
            nothing<<<1, 32, 0, stream[d]>>>();
        }
}

// Kernels of two devices in turn, each behind the other's event.
static void alternate(int times) {
    for (int k = 0; k < times; k++) {
        int d = k % 2;
        MUST(cudaSetDevice(d));
        if (k) MUST(cudaStreamWaitEvent(stream[d], plain[1 - d], 0));
        nothing<<<1, 32, 0, stream[d]>>>();
        MUST(cudaEventRecord(plain[d], stream[d]));
    }
}

// Nothing goes on before the host lets it.
__global__ void gate(volatile unsigned *open, unsigned call) {
    while (*open < call)
        ;
}

// The same, all asked for before the first one begins: what a hop from device
// to device takes. timed: events with times.
static double hop(int times, bool timed, int g) {
    static volatile unsigned *open;
    static unsigned calls;
    static cudaEvent_t events[2][MOST];
    if (!open) {
        MUST(cudaHostAlloc((void **)&open, 64, cudaHostAllocPortable));
        *open = 0;
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaEventCreateWithFlags(&events[0][d],
                                          cudaEventDisableTiming));
            MUST(cudaEventCreate(&events[1][d]));
        }
    }
    wait_for_all();
    MUST(cudaSetDevice(0));
    gate<<<1, 1, 0, stream[0]>>>(open, ++calls);
    MUST(cudaEventRecord(begin[0], stream[0]));
    for (int k = 0; k < times; k++) {
        int d = k % g, before = (k + g - 1) % g;
        MUST(cudaSetDevice(d));
        if (k && g > 1)
            MUST(cudaStreamWaitEvent(stream[d], events[timed][before], 0));
        nothing<<<1, 32, 0, stream[d]>>>();
        MUST(cudaEventRecord(events[timed][d], stream[d]));
    }
    MUST(cudaSetDevice(0));
    MUST(cudaStreamWaitEvent(stream[0], events[timed][(times - 1) % g], 0));
    MUST(cudaEventRecord(end[0], stream[0]));
    *open = calls;
    MUST(cudaEventSynchronize(end[0]));
    float ms;
    MUST(cudaEventElapsedTime(&ms, begin[0], end[0]));
    return ms * 1e3;
}

// Small allocations, as a function makes them for its scratch.
static double allocations(int g, int each) {
    void *p[MOST][4];
    return by_host(0, [&] {
        for (int d = 0; d < g; d++) {
            MUST(cudaSetDevice(d));
            for (int k = 0; k < each; k++) MUST(cudaMalloc(&p[d][k], 256));
        }
        for (int d = 0; d < g; d++) {
            MUST(cudaSetDevice(d));
            for (int k = 0; k < each; k++) MUST(cudaFree(p[d][k]));
        }
    });
}

static void allocation_rows(const char *what) {
    char name[64];
    for (int g = 1; g <= 2; g++)
        for (int each = 1; each <= 4; each *= 2) {
            snprintf(name, sizeof name, "host_malloc_free_%s_on_%d", what, g);
            row(
                name, each, [&] { return allocations(g, each); },
                "us; so many of 256 bytes on each, and all freed");
        }
}

static void hop_rows(void) {
    for (int timed = 0; timed < 2; timed++)
        for (int g = 1; g <= devices; g *= 2)
            for (int k = g; k <= 33; k += 16)
                row(
                    timed   ? g > 1 ? "event_hops_timed_of_2"
                                    : "event_hops_timed_of_1"
                    : g > 1 ? "event_hops_of_2"
                            : "event_hops_of_1",
                    k, [&] { return hop(k, timed, g); },
                    "us; so many kernels in turn, each behind an event of the "
                    "one before");
    allocation_rows("peers");
}

static void launch_rows(void) {

    for (int g = 1; g <= devices; g *= 2) {
        row(
            "host_launch_each", g,
            [&] { return by_host(0, [&] { launch_all(g, 16); }) / 16 / g; },
            "us; a call, of 16 on each of so many devices");
        row(
            "host_launch_each_and_wait", g,
            [&] { return by_host(g, [&] { launch_all(g, 1); }); },
            "us; one launch on each of so many devices, and waits for all");
        row(
            "host_set_device", g,
            [&] {
                return by_host(0,
                               [&] {
                                   for (int k = 0; k < 64; k++)
                                       MUST(cudaSetDevice(k % g));
                               }) /
                       64;
            },
            "us");
    }
}

static void call_rows(void) {
    for (int k = 2; k <= 34; k += 16)
        row(
            "host_alternate", k,
            [&] { return by_host(2, [&] { alternate(k); }); },
            "us; so many kernels, of two devices in turn, by events; waits");
    row(
        "host_record", 1,
        [&] {
            MUST(cudaSetDevice(0));
            return by_host(0,
                           [&] {
                               for (int k = 0; k < 64; k++)
                                   MUST(cudaEventRecord(plain[0], stream[0]));
                           }) /
                   64;
        },
        "us; a call");
    row(
        "host_wait_event", 1,
        [&] {
            MUST(cudaSetDevice(1));
            return by_host(0,
                           [&] {
                               for (int k = 0; k < 64; k++)
                                   MUST(cudaStreamWaitEvent(stream[1], plain[0],
                                                            0));
                           }) /
                   64;
        },
        "us; a call");
    for (int g = 1; g <= devices; g *= 2)
        row(
            "host_malloc_free", g,
            [&] {
                void *p[MOST];
                return by_host(0,
                               [&] {
                                   for (int d = 0; d < g; d++) {
                                       MUST(cudaSetDevice(d));
                                       MUST(cudaMalloc(&p[d], 1024));
                                   }
                                   for (int d = 0; d < g; d++) {
                                       MUST(cudaSetDevice(d));
                                       MUST(cudaFree(p[d]));
                                   }
                               }) /
                       g;
            },
            "us; both, of each of so many devices");
    row(
        "host_enable_again", 1,
        [&] {
            MUST(cudaSetDevice(0));
            double us = by_host(0, [&] { cudaDeviceEnablePeerAccess(1, 0); });
            cudaGetLastError();
            return us;
        },
        "us; a call that finds it enabled");
}

static void describe(void) {
    cudaDeviceProp is;
    int runtime = 0;
    char date[32];
    time_t t = time(NULL);
    MUST(cudaGetDeviceProperties(&is, 0));
    MUST(cudaRuntimeGetVersion(&runtime));
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
    printf("# origin: %d %s, CUDA runtime %d, %s\nwhat,param,median,least,most,"
           "unit\n",
           devices, is.name, runtime, date);
}

static void open_all(void) {
    MUST(cudaGetDeviceCount(&devices));
    if (devices > MOST) devices = MOST;
    if (devices < 2) fprintf(stderr, "links: one GPU\n"), exit(77);
    describe();
    allocation_rows("alone");
    for (int d = 0; d < devices; d++) {
        MUST(cudaSetDevice(d));
        for (int e = 0; e < devices; e++)
            if (e != d) MUST(cudaDeviceEnablePeerAccess(e, 0));
        MUST(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        MUST(cudaEventCreate(&begin[d]));
        MUST(cudaEventCreate(&end[d]));
        MUST(cudaEventCreateWithFlags(&plain[d], cudaEventDisableTiming));
        MUST(cudaMalloc((void **)&memory[d], ROOM));
        MUST(cudaMalloc((void **)&other[d], ROOM));
        MUST(cudaMemset(memory[d], d + 1, ROOM));
    }
    wait_for_all();
}

int main(void) {
    open_all();
    for (int g = 2; g <= devices; g++) {
        row(
            "word_round_ring", g, [&] { return ring(g, false); },
            "ns one way; each polls its own memory; devices in the ring");
        row(
            "word_round_ring_polls_over_link", g, [&] { return ring(g, true); },
            "ns one way; each polls the memory of the one before");
    }
    for (int owner = 0; owner < 2; owner++) {
        row(
            "load_dependent", owner, [&] { return word_cycles(0, owner); },
            "cycles; by device 0, of device param");
        row(
            "atomic_dependent", owner, [&] { return word_cycles(1, owner); },
            "cycles; by device 0, of device param");
        row(
            "store_fence_system", owner, [&] { return word_cycles(2, owner); },
            "cycles; a store to device param and __threadfence_system()");
    }
    bytes_rows();
    copy_rows();
    hop_rows();
    launch_rows();
    call_rows();
}
