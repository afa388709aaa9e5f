/* SPDX-License-Identifier: MIT
 *
 * report.c: the CSV, with where and when it was measured, and a table.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "bench.h"

static void write_processor(FILE *f) {
    char line[256];
    FILE *cpu = fopen("/proc/cpuinfo", "r");
    bool name = false, clock = false;
    while (cpu && fgets(line, sizeof line, cpu) && !(name && clock)) {
        char *value = strchr(line, ':');
        if (!value) continue;
        line[strcspn(line, "\n")] = 0;
        if (!name && !strncmp(line, "model name", 10)) {
            fprintf(f, "# processor:%s\n", value + 1);
            name = true;
        }
        if (!clock && !strncmp(line, "cpu MHz", 7)) {
            fprintf(f, "# clock_mhz:%s\n", value + 1);
            clock = true;
        }
    }
    if (cpu) fclose(cpu);
}

static void write_header(FILE *f) {
    struct utsname u;
    char date[32] = "";
    time_t now = time(NULL);
    struct tm tm;
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &tm);
    fprintf(f, "# what: bench-vgpu, speed of the virtual GPU and its peers\n");
    fprintf(f, "# date: %s\n", date);
    if (!uname(&u)) fprintf(f, "# machine: %s %s\n", u.sysname, u.machine);
    write_processor(f);
    fprintf(f, "# compiler: %s, %s\n", BENCH_COMPILER, BENCH_BUILD);
    fprintf(f, "# scanlab: %s\n", BENCH_VERSION);
}

static void columns(const struct result *r, double *cpu, double *wall) {
    for (size_t k = 0; k < r->runs; k++) {
        cpu[k] = r->took[k].cpu;
        wall[k] = r->took[k].wall;
    }
}

static double rate(const struct result *r, double seconds) {
    return seconds > 0 ? (double)r->instructions / seconds * 1e-9 : 0;
}

bool report_csv(const struct options *o, struct result (*results)[N_ENGINES],
                const struct timing *timings) {
    FILE *f = fopen(o->csv, "w");
    if (!f) {
        fprintf(stderr, "bench: cannot write %s\n", o->csv);
        return false;
    }
    write_header(f);
    fprintf(f, "name,engine,n,runs,thread_instructions,cpu_s_median,cpu_s_min,"
               "cpu_s_max,wall_s_median,giga_per_cpu_s\n");
    for (size_t w = 0; w < work_count; w++)
        for (int e = 0; e < N_ENGINES; e++) {
            const struct result *r = &results[w][e];
            double cpu[WORK_MAX_RUNS], wall[WORK_MAX_RUNS];
            if (!r->n) continue;
            columns(r, cpu, wall);
            struct work_summary s = work_summarise(cpu, r->runs);
            fprintf(f, "%s,%s,%u,%zu,%llu,%.6f,%.6f,%.6f,%.6f,%.4f\n",
                    work_table[w].name, engine_names[e], r->n, r->runs,
                    (unsigned long long)r->instructions, s.median, s.least,
                    s.most, work_summarise(wall, r->runs).median,
                    rate(r, s.median));
        }
    fprintf(f, "name,unit,runs,median,min,max\n");
    for (int k = 0; k < N_TIMINGS; k++) {
        struct work_summary s =
            work_summarise(timings[k].samples, timings[k].runs);
        if (timings[k].runs)
            fprintf(f, "%s,%s,%zu,%.3f,%.3f,%.3f\n", timings[k].name,
                    timings[k].unit, timings[k].runs, s.median, s.least,
                    s.most);
    }
    return !fclose(f);
}

/* Instructions per second; with how many times slower than the two of ours. */
static void table_row(const struct result *r, const char *text, double bare,
                      double checked) {
    double cpu[WORK_MAX_RUNS], wall[WORK_MAX_RUNS];
    columns(r, cpu, wall);
    struct work_summary s = work_summarise(cpu, r->runs);
    double g = rate(r, s.median);
    printf("  %-36s %9.4f %9.4f %9.4f %9.2f", text, g, rate(r, s.most),
           rate(r, s.least), work_summarise(wall, r->runs).median * 1e3);
    printf(" %9.2f %9.2f\n", bare / g, checked / g);
}

static double median_rate(const struct result *r) {
    double cpu[WORK_MAX_RUNS], wall[WORK_MAX_RUNS];
    columns(r, cpu, wall);
    return rate(r, work_summarise(cpu, r->runs).median);
}

void report_table(struct result (*results)[N_ENGINES],
                  const struct timing *timings) {
    printf("G thread-instructions per second of CPU time, one core; times "
           "slower than ours\n");
    printf("  %-36s %9s %9s %9s %9s %9s %9s\n", "", "median", "least", "most",
           "wall ms", "vs bare", "vs all");
    for (size_t w = 0; w < work_count; w++) {
        printf("%s: %s\n", work_table[w].name, work_table[w].text);
        double bare = median_rate(&results[w][ENGINE_BARE]);
        double checked = median_rate(&results[w][ENGINE_CHECKED]);
        for (int e = 0; e < N_ENGINES; e++)
            if (results[w][e].n)
                table_row(&results[w][e], engine_texts[e], bare, checked);
    }
    for (int k = 0; k < N_TIMINGS; k++) {
        struct work_summary s =
            work_summarise(timings[k].samples, timings[k].runs);
        if (timings[k].runs)
            printf("%-46s %.2f %s (%.2f to %.2f)\n", timings[k].text, s.median,
                   timings[k].unit, s.least, s.most);
    }
}
