/* SPDX-License-Identifier: MIT
 *
 * exscan.c: a scan of an array that lies in parts on the ranks of MPI, on one
 * machine or on many: each sums its part, MPI_Exscan says what lies before it,
 * each scans its part behind that.
 *
 *   mpirun -n 4 scanlab-exscan [-n ELEMENTS] [--runs R] [--cores]
 *
 * --cores: not on GPUs. --forget: without MPI_Exscan, to see that the check
 * finds it. Rank 0 writes a row. Exit status: 1: wrong; 2: could not.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"

enum { MOST_PATH = 4096, LAPS = 3 /* sum, exscan, scan */ };

struct options {
    size_t n;
    int runs;
    bool cores, forget;
};

/* Element i of the whole array. */
static int32_t item(uint64_t i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int32_t)(z ^ (z >> 31));
}

static void stop(const char *what, int error) {
    fprintf(stderr, "exscan: %s: %s\n", what, strerror(error));
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static struct options read_options(int argc, char **argv) {
    struct options o = {.n = (size_t)1 << 22, .runs = 9};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "-n") && more)
            o.n = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--runs") && more)
            o.runs = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--cores"))
            o.cores = true;
        else if (!strcmp(argv[i], "--forget"))
            o.forget = true;
        else
            stop(argv[i], EINVAL);
    }
    if (o.runs < 1) o.runs = 1;
    return o;
}

/* The library beside this program; NULL: there is none, or no GPU. */
static const struct ranks_engine *gpu_engine(void) {
    char self[MOST_PATH], path[MOST_PATH + 16];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return NULL;
    self[length] = '\0';
    snprintf(path, sizeof path, "%s/ranks-gpu.so", dirname(self));
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    void *symbol = dlsym(library, RANKS_GPU);
    ranks_gpu_function *engine;
    if (!symbol) return NULL;
    memcpy(&engine, &symbol, sizeof engine);
    return engine();
}

/* On GPUs if every rank has one. */
static const struct ranks_engine *choose(const struct options *o, int rank) {
    const struct ranks_engine *gpu = o->cores ? NULL : gpu_engine();
    int mine = gpu != NULL, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) return gpu;
    if (rank == 0 && !o->cores)
        printf("# no GPU for every rank (or no ranks-gpu.so): the scan on "
               "cores takes its place\n");
    return &ranks_cores;
}

/* us[lap]: of this rank. */
static void scan_once(const struct ranks_engine *engine, struct ranks_part *p,
                      bool forget, double us[]) {
    int32_t sum = 0, before = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    double at[LAPS + 1] = {MPI_Wtime()};
    int error = engine->total(p, &sum);
    if (error) stop("sum", error);
    at[1] = MPI_Wtime();
    /* Overflow of MPI_SUM is not defined for int32_t. Rank 0 gets nothing. */
    uint32_t mine = (uint32_t)sum, others = 0;
    if (!forget)
        MPI_Exscan(&mine, &others, 1, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    before = rank == 0 ? 0 : (int32_t)others;
    at[2] = MPI_Wtime();
    error = engine->scan(p, before);
    if (error) stop("scan", error);
    at[3] = MPI_Wtime();
    for (int i = 0; i < LAPS; i++) us[i] = (at[i + 1] - at[i]) * 1e6;
}

static size_t first_of(size_t n, int rank, int ranks) {
    size_t part = n / (size_t)ranks, more = n % (size_t)ranks;
    size_t r = (size_t)rank;
    return r * part + (r < more ? r : more);
}

static unsigned long long wrong_of(const int32_t *out, size_t first, size_t n) {
    uint32_t sum = 0;
    unsigned long long wrong = 0;
    for (size_t i = 0; i < first; i++) sum += (uint32_t)item(i);
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)item(first + i);
        wrong += out[i] != (int32_t)sum;
    }
    return wrong;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The slowest rank's laps of each run; rank 0 prints the median of each and the
 * spread of all together. */
static void time_runs(const struct ranks_engine *engine, struct ranks_part *p,
                      const struct options *o, int rank, int ranks) {
    double *of[LAPS + 1];
    for (int i = 0; i <= LAPS; i++)
        if (!(of[i] = calloc((size_t)o->runs, sizeof **of)))
            stop("memory", ENOMEM);
    for (int r = 0; r < o->runs; r++) {
        double us[LAPS], most[LAPS];
        scan_once(engine, p, o->forget, us);
        MPI_Reduce(us, most, LAPS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        for (int i = 0; rank == 0 && i < LAPS; i++) {
            of[i][r] = most[i];
            of[LAPS][r] += most[i];
        }
    }
    for (int i = 0; i <= LAPS; i++)
        qsort(of[i], (size_t)o->runs, sizeof **of, by_size);
    size_t last = (size_t)o->runs - 1, middle = last / 2;
    if (rank == 0)
        printf("engine,ranks,n,runs,sum_us,exscan_us,scan_us,least_us,"
               "median_us,most_us\n%s,%d,%zu,%d,%.1f,%.1f,%.1f,%.1f,%.1f,"
               "%.1f\n",
               engine->name, ranks, o->n, o->runs, of[0][middle], of[1][middle],
               of[2][middle], of[LAPS][0], of[LAPS][middle], of[LAPS][last]);
    for (int i = 0; i <= LAPS; i++) free(of[i]);
}

int main(int argc, char **argv) {
    int rank, ranks, local, locals;
    MPI_Comm machine;
    MPI_Init(&argc, &argv);
    struct options o = read_options(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_size(machine, &locals);
    const struct ranks_engine *engine = choose(&o, rank);

    size_t first = first_of(o.n, rank, ranks);
    size_t n = first_of(o.n, rank + 1, ranks) - first;
    int32_t *in = malloc((n ? n : 1) * sizeof *in);
    int32_t *out = malloc((n ? n : 1) * sizeof *out);
    if (!in || !out) stop("memory", ENOMEM);
    for (size_t i = 0; i < n; i++) in[i] = item(first + i);
    struct ranks_part part = {0};
    int error = engine->open(&part, in, n, local, locals);
    if (error) stop("part", error);
    time_runs(engine, &part, &o, rank, ranks);
    error = engine->result(&part, out);
    if (error) stop("result", error);
    unsigned long long wrong = wrong_of(out, first, n), all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
                  MPI_COMM_WORLD);
    if (rank == 0) printf("# %llu of %zu elements are wrong\n", all, o.n);
    engine->close(&part);
    free(in);
    free(out);
    MPI_Comm_free(&machine);
    MPI_Finalize();
    return all > 0;
}
