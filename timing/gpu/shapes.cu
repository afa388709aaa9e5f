// SPDX-License-Identifier: MIT
//
// shapes.cu: variants of the fast functions beside a copy and CUB, in turns, as
// scanlab bench measures (timing/docs/bench.md), but in one process and at
// chosen cells. research/on-gpu/shapes.sh builds and calls it.
//
//   shapes [--once] [--seconds S] CELLS LIBRARY...
//
// CELLS: a file of lines "type order tuple n", or "operation n" for what lab 8
// builds (n: a number or 2^k; # begins a comment). LIBRARY: peers (peers.cuh),
// or a lab's functions as FOLDER/LAB.so, LAB being lookback, sam or
// applications: its rows are called FOLDER/LAB. Where FOLDER begins with cut-,
// something is left out (SHAPE_LEAVE_OUT), no output is checked, and the last
// column is 0. Rows of a CSV to standard output. --once: every scan once, not
// timed, and a line for each of which every output was right; for profilers and
// for trials. Exit status: 0; 1: an output was wrong or a function failed; 2:
// could not.
#include <cub/version.cuh>

#include <algorithm>
#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <time.h>
#include <vector>

#include "shapes_labs.cuh"

namespace {

enum { MOST_ROUNDS = 21, LEAST_ROUNDS = 5, ALIGNMENT = 256, SEED = 0x5ca11ab };
const size_t SHARED_FROM = (size_t)256 << 20; // one array for all calls

// ---- one cell ----

struct arrays {
    char *in, *out, *in2, *out2, *flush, *scratch;
    size_t room, room2, scratch_room, flush_bytes;
    uint64_t *n_out;
    cudaEvent_t begin, end;
};

struct place { // of one call
    const bench_cell *cell;
    size_t stride, slots;
    int calls;
};

// d: its arrays; n_out becomes what a function says.
int call(const contestant &c, const bench_cell &cell, data_call *d, arrays *a) {
    const void *in = d->in;
    void *out = (void *)d->out;
    if (c.rival) {
        peer_call p = {};
        p.in = in, p.out = out, p.n = cell.n, p.order = cell.order;
        p.in2 = d->in2, p.out2 = (void *)d->out2;
        p.n_out = a->n_out, p.temp = c.temp, p.temp_bytes = c.temp_bytes;
        return c.rival->run(&p);
    }
    if (is_application(cell.operation) >= 0) {
        size_t count = 0;
        int status = call_application(c, cell.n, *d, &count);
        d->n_out = count;
        return status;
    }
    typedef int lookback(const void *, void *, size_t, int);
    typedef int sam_integer(const void *, void *, size_t, int, int);
    bool integer =
        cell.type == BENCH_TYPE_int32 || cell.type == BENCH_TYPE_int64;
    if (!c.widths) return ((lookback *)c.function)(in, out, cell.n, 0);
    if (!integer) // sam: one order, so the last number is the tuple
        return ((lookback *)c.function)(in, out, cell.n, cell.tuple);
    return ((sam_integer *)c.function)(in, out, cell.n, cell.order, cell.tuple);
}

void make_room(arrays *a, const place &p) {
    size_t all = p.stride * p.slots;
    if (a->room < all) {
        cudaFree(a->in), cudaFree(a->out);
        a->room = 0;
        must(cudaMalloc((void **)&a->in, all), "input");
        must(cudaMalloc((void **)&a->out, all), "output");
        a->room = all;
    }
    int operation = p.cell->operation;
    if (has_second_output(operation) && a->room2 < all) {
        cudaFree(a->in2), cudaFree(a->out2);
        must(cudaMalloc((void **)&a->in2, all), "input");
        must(cudaMalloc((void **)&a->out2, all), "output");
        a->room2 = all;
    }
    size_t scratch = data_scratch_bytes(operation, p.cell->n);
    if (a->scratch_room < scratch) {
        cudaFree(a->scratch);
        must(cudaMalloc((void **)&a->scratch, scratch), "memory");
        a->scratch_room = scratch;
    }
    bool runs =
        operation == BENCH_run_length || operation == BENCH_reduce_by_key;
    for (size_t k = 0; k < p.slots; k++) {
        uint32_t seed = SEED + 7919 * (uint32_t)k;
        must(data_fill(runs ? DATA_RUNS : DATA_RANDOM, p.cell->type,
                       a->in + k * p.stride, p.cell->n, seed),
             "filling");
        if (has_second_input(operation))
            must(data_fill(DATA_VALUES, p.cell->type, a->in2 + k * p.stride,
                           p.cell->n, seed),
                 "filling");
    }
}

data_call arrays_of(const arrays &a, const place &p, size_t slot) {
    size_t at = slot * p.stride;
    int operation = p.cell->operation;
    data_call d = {
        a.in + at,  has_second_input(operation) ? a.in2 + at : NULL,
        a.out + at, has_second_output(operation) ? a.out2 + at : NULL,
        0,          SEED + 7919 * (uint32_t)slot};
    return d;
}

void clean(arrays *a, const place &p, int byte) {
    must(cudaMemsetAsync(a->out, byte, p.stride * p.slots), "poison");
    if (has_second_output(p.cell->operation))
        must(cudaMemsetAsync(a->out2, byte, p.stride * p.slots), "poison");
    must(data_flush(a->flush, a->flush_bytes), "flush");
    must(cudaDeviceSynchronize(), "flush");
}

void drop(contestant *c, const bench_cell &cell, const char *why) {
    c->out = true;
    printf("# note: %s, %s order %d tuple %d n %llu: %s\n", c->who.c_str(),
           type_names[cell.type], cell.order, cell.tuple,
           (unsigned long long)cell.n, why);
}

bool is_cut(const contestant &c) {
    return c.who.rfind("cut-", 0) == 0;
}

// A peer of order 0 (peers_floors.cu) computes nothing; a row's bytes are 1
// then.
uint64_t check(arrays *a, const place &p, contestant *c, size_t slot) {
    if (c->rival && c->rival->what.most_order == 0) return c->bytes = 1, 0;
    if (is_cut(*c)) return c->bytes = 1, 0;
    size_t covered = p.cell->n;
    bench_cell cell = *p.cell;
    if (c->rival) {
        cell.operation = c->rival->what.operation;
        covered -= covered % (size_t)cell.tuple;
        if (cell.operation == BENCH_copy) covered = cell.n;
    }
    data_call d = arrays_of(*a, p, slot);
    d.n_out = c->counts[slot];
    uint64_t wrong = 0;
    must(data_check(&cell, covered, &d, a->scratch, &wrong, &c->bytes),
         "checking");
    return wrong;
}

// One call that is not timed and then p.calls that are; all outputs checked.
void turn(arrays *a, const place &p, contestant *c, int round, bool timed) {
    bool one_slot = p.slots == 1;
    clean(a, p, (round * 37 + 0x5b) & 0xff);
    for (int k = timed ? -1 : 0; k < p.calls; k++) {
        size_t slot = k < 0 ? p.slots - 1 : (size_t)k % p.slots;
        float ms = 0;
        if (one_slot && k == 0 && timed)
            clean(a, p, (round * 41 + 0x35) & 0xff);
        must(cudaEventRecord(a->begin), "event");
        data_call d = arrays_of(*a, p, slot);
        int status = call(*c, *p.cell, &d, a);
        if (status) {
            cudaGetLastError();
            return drop(c, *p.cell, cudaGetErrorString((cudaError_t)status));
        }
        must(cudaEventRecord(a->end), c->who.c_str());
        must(cudaEventSynchronize(a->end), c->who.c_str());
        must(cudaEventElapsedTime(&ms, a->begin, a->end), "event");
        if (c->rival)
            must(cudaMemcpy(&d.n_out, a->n_out, sizeof d.n_out,
                            cudaMemcpyDeviceToHost),
                 "count");
        c->counts[slot] = d.n_out;
        if (k >= 0) c->ns.push_back((double)ms * 1e6);
    }
    for (size_t slot = 0; slot < (one_slot ? 1 : (size_t)p.calls); slot++)
        c->wrong += check(a, p, c, slot);
    if (c->wrong) drop(c, *p.cell, "wrong output");
}

double part(const std::vector<double> &sorted, double of) {
    double at = of * (double)(sorted.size() - 1);
    size_t low = (size_t)at, high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (at - (double)low) * (sorted[high] - sorted[low]);
}

std::string name_of(const contestant &c, const bench_cell &cell) {
    bool copy = c.rival && c.rival->what.operation == BENCH_copy;
    return c.who + "," + operation_names[copy ? BENCH_copy : cell.operation] +
           "," + type_names[cell.type] + "," +
           std::to_string(copy ? 1 : cell.order) + "," +
           std::to_string(copy ? 1 : cell.tuple) + "," + std::to_string(cell.n);
}

void print_row(contestant *c, const bench_cell &cell) {
    if (c->ns.empty()) return;
    std::sort(c->ns.begin(), c->ns.end());
    printf("%s,%zu,%.0f,%.0f,%.0f,%.0f,%llu,%d\n", name_of(*c, cell).c_str(),
           c->ns.size(), part(c->ns, 0.5), part(c->ns, 0.25), part(c->ns, 0.75),
           c->ns[0], (unsigned long long)c->bytes,
           c->wrong == 0 && !is_cut(*c));
}

// Copies once for a type and size: `copied` says of which it was.
std::vector<contestant> gather(const std::vector<library> &libraries,
                               const bench_cell &cell, bool once,
                               std::string *copied) {
    std::vector<contestant> all;
    std::string size = std::to_string(cell.type) + " " + std::to_string(cell.n);
    bool copies = !once && copied->find(size + ";") == std::string::npos;
    if (copies) *copied += size + ";";
    for (const library &l : libraries) {
        for (size_t i = 0; i < l.n_peers; i++) {
            const bench_peer &w = l.peers[i].what;
            bool copy = w.operation == BENCH_copy && copies;
            bool scan = w.operation == cell.operation &&
                        w.tuple == cell.tuple && cell.order <= w.most_order;
            if (once && cell.order > 1) scan = false; // several launches
            if (w.type == cell.type && (copy || scan) &&
                strcmp(w.who, "thrust"))
                all.push_back({w.who, &l.peers[i]});
        }
        int at = is_application(cell.operation);
        if (at >= 0) {
            contestant c = {l.name, NULL, l.lab.does[cell.operation]};
            c.takes = applications[at].takes;
            if (c.function) all.push_back(c);
            continue;
        }
        bool widths = cell.order > 1 || cell.tuple > 1;
        bool integer =
            cell.type == BENCH_TYPE_int32 || cell.type == BENCH_TYPE_int64;
        void *function = l.n_peers ? NULL : l.lab.of[cell.type];
        if (function && (l.lab.widths || !widths) &&
            (integer || cell.order == 1))
            all.push_back({l.name, NULL, function, l.lab.widths});
    }
    return all;
}

int calls_of(size_t bytes) {
    return bytes <= (size_t)16 << 20 ? MOST_CALLS : bytes < SHARED_FROM ? 2 : 1;
}

void open_temporary(contestant *c, const bench_cell &cell) {
    if (!c->rival) return;
    peer_call p = {};
    p.n = cell.n, p.order = cell.order;
    cudaError_t status = (cudaError_t)c->rival->run(&p);
    if (status == cudaErrorNotSupported) {
        c->absent = true;
        return drop(c, cell, "not for so many elements");
    }
    must(status, c->who.c_str());
    c->temp_bytes = p.temp_bytes ? p.temp_bytes : 1;
    must(cudaMalloc(&c->temp, c->temp_bytes), "temporary storage");
}

double now() {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// seconds: for this cell; below 0: once.
bool run_cell(arrays *a, std::vector<contestant> all, const bench_cell &cell,
              double seconds) {
    bool once = seconds < 0, right = true;
    size_t bytes = cell.n * type_bytes[cell.type];
    place p = {&cell, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, 1,
               once ? 1 : calls_of(bytes)};
    if (!once && bytes < SHARED_FROM) p.slots = (size_t)p.calls + 1;
    make_room(a, p);
    for (contestant &c : all) open_temporary(&c, cell);
    // Each round begins with another one; the first tells what it costs.
    size_t rounds = 1;
    double start = now();
    for (size_t r = 0; r < rounds; r++) {
        for (size_t i = 0; i < all.size(); i++) {
            contestant &c = all[(i + r * 7) % all.size()];
            if (!c.out) turn(a, p, &c, (int)r, !once);
            if (once && !c.out)
                printf("%s\n", name_of(c, cell).c_str()), fflush(stdout);
        }
        if (r == 0 && !once)
            rounds =
                std::min(std::max((size_t)(seconds / (now() - start + 1e-6)),
                                  (size_t)LEAST_ROUNDS),
                         (size_t)MOST_ROUNDS);
    }
    for (contestant &c : all) {
        if (!once) print_row(&c, cell);
        if (c.temp) cudaFree(c.temp);
        right &= !c.out || c.absent;
    }
    fflush(stdout);
    return right;
}

// ---- all ----

std::vector<bench_cell> read_cells(const char *path) {
    std::vector<bench_cell> cells;
    FILE *file = fopen(path, "r");
    char line[256], type[32], size[32];
    if (!file) die(std::string("cannot read ") + path);
    while (fgets(line, sizeof line, file)) {
        bench_cell c = {BENCH_inclusive_sum, -1, 0, 0, 0};
        line[strcspn(line, "#\n")] = '\0';
        int got =
            sscanf(line, "%31s %d %d %31s", type, &c.order, &c.tuple, size);
        if (got <= 0) continue;
        for (const auto &a : applications)
            if (!strcmp(type, operation_names[a.operation])) {
                got = sscanf(line, "%*s %31s", size) == 1 ? 4 : 0;
                c = {a.operation, BENCH_TYPE_int32, 1, 1, 0};
            }
        for (int t = 0; t < BENCH_N_TYPES; t++)
            if (!strcmp(type, type_names[t])) c.type = t;
        c.n = got < 4                   ? 0
              : !strncmp(size, "2^", 2) ? 1ull << atoi(size + 2) % 40
                                        : strtoull(size, NULL, 10);
        if (c.type < 0 || c.n == 0 || c.order < 1 || c.tuple < 1)
            die(std::string(path) + ": not type, order, tuple, n: " + line);
        cells.push_back(c);
    }
    fclose(file);
    return cells;
}

void print_head(const cudaDeviceProp &p) {
    int runtime = 0, driver = 0;
    char date[64];
    time_t t = time(NULL);
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
    printf("# machine: %s\n# gpu: %s, %d SMs, L2 %d MiB\n", p.name, p.name,
           p.multiProcessorCount, p.l2CacheSize >> 20);
    printf("# cuda: runtime %d.%d, driver's %d.%d\n# cub: %d.%d.%d\n",
           runtime / 1000, runtime % 1000 / 10, driver / 1000,
           driver % 1000 / 10, CUB_VERSION / 100000, CUB_VERSION / 100 % 1000,
           CUB_VERSION % 100);
    printf(
        "# date: %s\n# method: timing/gpu/shapes.cu: events around a call on "
        "an idle device; contestants in turns; L2 emptied before every "
        "turn; random data; outputs checked on the device\n"
        "who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns,"
        "min_ns,bytes,ok\n",
        date);
}

} // namespace

int main(int argc, char **argv) {
    bool once = false, right = true;
    double seconds = 60;
    int k = 1;
    for (; k < argc && argv[k][0] == '-'; k++)
        if (!strcmp(argv[k], "--once"))
            once = true;
        else if (!strcmp(argv[k], "--seconds") && k + 1 < argc)
            seconds = atof(argv[++k]);
        else
            die(std::string("no option ") + argv[k]);
    if (argc - k < 2) die("[--once] [--seconds S] CELLS LIBRARY...");
    std::vector<bench_cell> cells = read_cells(argv[k++]);
    std::vector<library> libraries;
    for (; k < argc; k++) libraries.push_back(load(argv[k]));

    cudaDeviceProp p;
    must(cudaGetDeviceProperties(&p, 0), "no GPU");
    arrays a = {};
    a.flush_bytes = 2 * (size_t)p.l2CacheSize;
    must(cudaMalloc((void **)&a.flush, a.flush_bytes), "memory");
    must(cudaMemset(a.flush, 1, a.flush_bytes), "memory");
    must(cudaMalloc((void **)&a.n_out, sizeof *a.n_out), "memory");
    must(cudaEventCreate(&a.begin), "event");
    must(cudaEventCreate(&a.end), "event");
    if (!once) print_head(p);
    std::string copied;
    double end = now() + seconds;
    for (size_t i = 0; i < cells.size(); i++) {
        std::vector<contestant> all =
            gather(libraries, cells[i], once, &copied);
        double left = std::max(end - now(), 0.0);
        fprintf(stderr, "[%zu/%zu] %s %s order %d tuple %d n %llu: %zu\n",
                i + 1, cells.size(), operation_names[cells[i].operation],
                type_names[cells[i].type], cells[i].order, cells[i].tuple,
                (unsigned long long)cells[i].n, all.size());
        if (all.empty()) continue;
        right &= run_cell(&a, all, cells[i],
                          once ? -1 : left / (double)(cells.size() - i));
    }
    fprintf(stderr, right ? "all right\n" : "NOT all right\n");
    return !right;
}
