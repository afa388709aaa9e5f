// SPDX-License-Identifier: MIT
//
// main.cu: a scan across the devices of one host (timing/fast/devices.cuh), in
// turns with copies on each and with CUB's calls (rivals.cuh). Rows of a CSV.
//
//   devices [--devices G] [--runs R] [--most LOG2] [--types LETTERS]
//
// LETTERS: i int32, l int64, f float. Each row: host_*, from the first call to
// when the host hears of the end; device_*, all devices let go together, of the
// one that takes longest (harness.cuh). Every output is checked against the
// host's sums. Exit status: 1: an output was wrong; 2: could not.
#include <string.h>
#include <thread>

#include "scanlab.h"

enum { BOARD_WORDS = 1 << 21 };

#include "devices.cuh"
#include "harness.cuh"
#include "rivals.cuh"

namespace {

enum who {
    COPY,
    PARTS_US,
    CHAIN_US,
    DEALT_US,
    CUB_REDUCE,
    CUB_ADD,
    ALONE,
    MOST_WHO
};
const char *const names[] = {"copy",       "fast/parts",      "fast/chain",
                             "fast/dealt", "cub/reduce-scan", "cub/scan-add",
                             "fast/alone"};

struct options {
    int devices, runs, most;
    const char *types;
};

bool some_wrong;

template <typename T> struct contest {
    typedef orders<T, 1> A;
    host_of_devices *c;
    several *s;
    rivals<T> cub;
    int devices;
    uint64_t *sums[DEVICES_MOST]; // the host's, on each device
    unsigned long long *wrong[DEVICES_MOST];
    const T *in[DEVICES_MOST];
    T *out[DEVICES_MOST];
    size_t n[DEVICES_MOST];
    devices_layout layout;

    place_of_part place(int d) const {
        devices_layout l = layout;
        size_t part = l.chunk ? 0 : devices_index(&l, 1, 0);
        return place_of_part{devices, d, l.chunk, part};
    }
    void lay_out(size_t n_each, size_t chunk) {
        layout = devices_layout{devices, n_each * devices, chunk};
        for (int d = 0; d < devices; d++) {
            n[d] = devices_part(&layout, d);
            in[d] = (const T *)c->in[d], out[d] = (T *)c->out[d];
            MUST(cudaSetDevice(d));
            fill_part<<<2048, 256, 0, c->stream[d]>>>((T *)c->in[d], n[d],
                                                      place(d));
        }
        wait_for_all(*c);
    }
    void poison(void) {
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMemsetAsync(c->out[d], 0x5a, n[d] * sizeof(T),
                                 c->stream[d]));
        }
        wait_for_all(*c);
    }
    unsigned long long check(void) {
        unsigned long long all = 0, one;
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMemsetAsync(wrong[d], 0, 8, c->stream[d]));
            check_part<<<32768, ORACLE_STEP, 0, c->stream[d]>>>(
                (const T *)c->out[d], n[d], place(d), sums[d], wrong[d]);
            MUST(cudaMemcpyAsync(&one, wrong[d], 8, cudaMemcpyDeviceToHost,
                                 c->stream[d]));
            MUST(cudaStreamSynchronize(c->stream[d]));
            all += one;
        }
        return all;
    }

    void copy(void) {
        for (int d = 0; d < devices; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMemcpyAsync(c->out[d], c->in[d], n[d] * sizeof(T),
                                 cudaMemcpyDeviceToDevice, c->stream[d]));
        }
    }
    void call(int who) {
        s->devices = devices;
        switch (who) {
        case COPY: copy(); break;
        case PARTS_US: MUST((scan_across<A>(s, PARTS, in, out, n))); break;
        case CHAIN_US: MUST((scan_across<A>(s, CHAIN, in, out, n))); break;
        case DEALT_US: MUST((scan_across<A>(s, DEALT, in, out, n))); break;
        case CUB_REDUCE: cub.reduce_then_scan(*c, devices, n); break;
        case CUB_ADD: cub.scan_then_add(*c, devices, n); break;
        }
    }

    // One after another, run by run.
    void race(const std::vector<int> &who, size_t n_each, int runs,
              size_t tiles) {
        std::vector<times> host(MOST_WHO), device(MOST_WHO);
        std::vector<unsigned long long> bad(MOST_WHO);
        for (int w : who) {
            poison();
            call(w);
            wait_for_all(*c);
            if (w != COPY) bad[w] = check();
        }
        for (int r = 0; r < runs; r++)
            for (int w : who) {
                host[w].add(time_by_host(*c, devices, [&] { call(w); }));
                device[w].add(time_on_devices(c, devices, [&] { call(w); }));
            }
        for (int w : who) {
            if (w != COPY) {
                // Right still, after all of that, and once more on its own.
                poison();
                call(w);
                wait_for_all(*c);
                bad[w] += check();
            }
            double copy = device[COPY].at(0.5);
            double bound =
                devices_bound_us(&devices_h200, w == DEALT_US, devices,
                                 (double)(n[0] * sizeof(T)), copy);
            printf(
                "%s,%s,%d,%zu,%zu,%d,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%d\n",
                names[w], oracle_type_of<T>::name, devices, n_each,
                w == DEALT_US ? tiles : 0, runs, host[w].at(0), host[w].at(0.5),
                host[w].at(1), device[w].at(0), device[w].at(0.5),
                device[w].at(1), w == COPY ? copy : bound, bad[w] == 0);
            if (bad[w] > 0)
                some_wrong = true,
                printf("# wrong: %s %s %zu: %llu\n", names[w],
                       oracle_type_of<T>::name, n_each, bad[w]);
        }
        fflush(stdout);
    }
};

template <typename T>
void compete(host_of_devices *c, several *s, const options &o, const int *gs,
             int g_count) {
    size_t most = (size_t)1 << o.most, all = most * o.devices;
    contest<T> t;
    t.c = c, t.s = s;
    std::vector<uint64_t> before(all / ORACLE_STEP + 1);
    uint64_t largest = oracle_sums(oracle_type_of<T>::TYPE, all, before.data(),
                                   (int)std::thread::hardware_concurrency());
    if ((int)oracle_type_of<T>::TYPE == (int)ORACLE_FLOAT &&
        largest + ORACLE_STEP * 64 >= 1 << 24)
        fprintf(stderr, "devices: sums of floats are not exact\n"), exit(2);
    t.cub.open(*c, most);
    for (int d = 0; d < c->devices; d++) {
        MUST(cudaSetDevice(d));
        size_t bytes = before.size() * 8;
        MUST(cudaMalloc((void **)&t.sums[d], bytes));
        MUST(cudaMalloc((void **)&t.wrong[d], 8));
        MUST(cudaMemcpy(t.sums[d], before.data(), bytes,
                        cudaMemcpyHostToDevice));
        MUST(prepare_part_kernels<orders<T, 1>>());
    }
    for (int i = 0; i < g_count; i++)
        for (int e = 20; e <= o.most; e += 2) {
            size_t n = (size_t)1 << e;
            t.devices = gs[i];
            int runs = e >= 28 ? std::max(9, o.runs / 2) : o.runs;
            t.lay_out(n, 0);
            t.race({COPY, PARTS_US, CHAIN_US, CUB_REDUCE, CUB_ADD}, n, runs, 0);
            for (size_t tiles : {(size_t)32, (size_t)1, (size_t)128}) {
                if (tiles != 32 && e != 24 && e != 28) continue;
                s->chunk = (unsigned)tiles;
                t.lay_out(n, tiles * dealt_tile<orders<T, 1>>());
                t.race({COPY, DEALT_US}, n, runs, tiles);
            }
        }
    t.cub.close(*c);
    for (int d = 0; d < c->devices; d++) {
        MUST(cudaSetDevice(d));
        cudaFree(t.sums[d]), cudaFree(t.wrong[d]);
    }
}

// ---- the link ----

__global__ void ping(volatile unsigned *mine, volatile unsigned *theirs,
                     int rounds, int first, long long *ns) {
    long long begin, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    for (int r = 1; r <= rounds; r++) {
        if (!first)
            while (*mine < (unsigned)r)
                ;
        *theirs = (unsigned)r;
        if (first)
            while (*mine < (unsigned)r)
                ;
    }
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    *ns = end - begin;
}

void time_link(const host_of_devices &c) {
    enum { ROUNDS = 10000, RUNS = 9 };
    if (c.devices < 2) return;
    times hop;
    for (int r = 0; r < RUNS; r++) {
        for (int d = 0; d < 2; d++) {
            MUST(cudaSetDevice(d));
            MUST(cudaMemset(c.in[d], 0, 256));
            MUST(cudaDeviceSynchronize());
        }
        for (int d = 0; d < 2; d++) {
            MUST(cudaSetDevice(d));
            ping<<<1, 1, 0, c.stream[d]>>>(
                (unsigned *)c.in[d], (unsigned *)c.in[1 - d], ROUNDS, d == 0,
                (long long *)(c.in[d] + 128));
        }
        wait_for_all(c);
        long long ns;
        MUST(cudaSetDevice(0));
        MUST(cudaMemcpy(&ns, c.in[0] + 128, 8, cudaMemcpyDeviceToHost));
        hop.add((double)ns / ROUNDS / 2);
    }
    printf("# link: a word one way, ns: %.0f %.0f %.0f (least, median, most of "
           "%d)\n",
           hop.at(0), hop.at(0.5), hop.at(1), RUNS);
}

void describe(const options &o, int found) {
    cudaDeviceProp is;
    int runtime = 0, driver = 0;
    MUST(cudaGetDeviceProperties(&is, 0));
    MUST(cudaRuntimeGetVersion(&runtime));
    MUST(cudaDriverGetVersion(&driver));
    char date[32];
    time_t t = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&t));
    printf("# origin: %d of %d %s (%d SMs, L2 %d MB), CUDA runtime %d, driver "
           "%d, CUB %d.%d.%d, %s\n",
           o.devices, found, is.name, is.multiProcessorCount,
           is.l2CacheSize >> 20, runtime, driver, CUB_MAJOR_VERSION,
           CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION, date);
    printf(
        "# times in us; L2 flushed before each; bound: devices_plan.c, of the "
        "copy of the same turns\n");
}

} // namespace

int main(int argc, char **argv) {
    options o = {0, 11, 30, "ilf"};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--devices")) o.devices = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--runs")) o.runs = std::max(9, atoi(argv[i + 1]));
        if (!strcmp(argv[i], "--most")) o.most = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "--types")) o.types = argv[i + 1];
    }
    int found = 0;
    MUST(cudaGetDeviceCount(&found));
    if (o.devices == 0 || o.devices > found) o.devices = found;
    if (o.devices > DEVICES_MOST) o.devices = DEVICES_MOST;
    describe(o, found);
    static host_of_devices c;
    static several s;
    // A little more: chunks do not divide what is dealt out.
    size_t room = ((size_t)1 << o.most) * (strchr(o.types, 'l') ? 8 : 4);
    open_devices(&c, o.devices, room + ((size_t)32 << 20));
    time_link(c);
    s.devices = o.devices;
    s.letters = 1 << 18;
    MUST(cudaDeviceGetAttribute(&s.processors, cudaDevAttrMultiProcessorCount,
                                0));
    for (int d = 0; d < o.devices; d++) {
        size_t bytes =
            (size_t)s.letters * DEVICES_MOST * 2 * sizeof(letter_word);
        MUST(cudaSetDevice(d));
        MUST(cudaMalloc((void **)&s.inbox[d], bytes));
        MUST(cudaMemset(s.inbox[d], 0, bytes));
        s.stream[d] = c.stream[d];
    }
    printf("who,type,devices,n_each,chunk_tiles,runs,host_min,host_median,"
           "host_max,device_min,device_median,device_max,bound,ok\n");
    std::vector<int> gs;
    for (int g = 1; g <= o.devices; g *= 2) gs.push_back(g);
    for (const char *t = o.types; *t; t++) {
        if (*t == 'i') compete<uint32_t>(&c, &s, o, gs.data(), (int)gs.size());
        if (*t == 'l') compete<uint64_t>(&c, &s, o, gs.data(), (int)gs.size());
        if (*t == 'f') compete<float>(&c, &s, o, gs.data(), (int)gs.size());
    }
    return some_wrong;
}
