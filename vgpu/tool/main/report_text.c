/* SPDX-License-Identifier: MIT
 *
 * report_text.c: what was seen, for a person: findings first, then the totals,
 * then, when asked for, the counts per source line (lines/lines.h). In colour
 * only on a terminal, and never when NO_COLOR is set.
 */
#include "tool.h"

#include <inttypes.h>
#include <lines.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "clean_text.h"

struct paint {
    const char *strong, *bad, *faint, *end;
};

static struct paint choose_paint(FILE *file) {
    if (!lines_colour(file)) return (struct paint){"", "", "", ""};
    return (struct paint){"\033[1m", "\033[1;31m", "\033[2m", "\033[0m"};
}

/* A name, or words, that the program chose. */
static void print_clean(FILE *file, const char *words) {
    char *clean = clean_name(words);
    if (clean) fputs(clean, file);
    free(clean);
}

/* "scan.cu:12", "... near scan.cu:12" or "an unknown line (compile with
 * -lineinfo)". */
static void print_place(FILE *file, const struct vgpu_source *where) {
    if (where->file && where->line) {
        if (where->is_merged)
            fputs("code merged from several lines near ", file);
        print_clean(file, where->file);
        fprintf(file, ":%" PRIu32, where->line);
    } else
        fputs("an unknown line (compile with -lineinfo)", file);
}

static void print_threads(FILE *file, const uint32_t block[3],
                          const uint32_t thread[3]) {
    fprintf(file,
            ", block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") thread (%" PRIu32
            ",%" PRIu32 ",%" PRIu32 ")",
            block[0], block[1], block[2], thread[0], thread[1], thread[2]);
}

/* The place of a call, or the function where the program has no lines. */
static void print_caller(FILE *file, const struct vgpu_source *where) {
    if (where->line || !where->function) {
        print_place(file, where);
        return;
    }
    fputs("called from ", file);
    print_clean(file, where->function);
    fputs(" (-g shows the line)", file);
}

/* "launch 3 of 6 of this kernel, launched at scan.cu:14" */
static void print_launch(FILE *file, const vgpu_device *device,
                         const struct vgpu_finding *f) {
    const struct vgpu_source *at = &f->launched;
    uint64_t all = f->launch ? vgpu_launches_of(device, f->kernel) : 0;
    bool is_placed = at->line || at->function;
    if (all < 2 && !is_placed) return;
    fputs("   ", file);
    if (all > 1)
        fprintf(file, "launch %" PRIu64 " of %" PRIu64 " of this kernel%s",
                f->launch, all, is_placed ? ", " : "");
    if (at->line) fputs("launched at ", file);
    if (is_placed) print_caller(file, at);
    fputc('\n', file);
}

static void print_finding(FILE *file, const struct paint *paint, size_t number,
                          const struct vgpu_finding *f,
                          const vgpu_device *device) {
    fprintf(file, "%s%zu. %s%s", paint->bad, number, vgpu_finding_name(f->kind),
            paint->end);
    if (f->kernel) fputs(" in kernel ", file);
    print_clean(file, f->kernel);
    if (!f->has_thread && !f->where.line && f->where.function) {
        fputs(" called from ", file);
        print_clean(file, f->where.function);
        fputs(" (-g shows the line)", file);
    } else if (f->kernel || f->where.line) {
        fputs(" at ", file);
        print_place(file, &f->where);
    }
    if (f->has_thread) print_threads(file, f->block, f->thread);
    fputs("\n   ", file);
    char *text = vgpu_message_text(&f->message, NULL);
    print_clean(file, text);
    free(text);
    fputc('\n', file);
    print_launch(file, device, f);
    if (f->has_other) {
        fputs("   the other access: ", file);
        print_place(file, &f->other_where);
        print_threads(file, f->other_block, f->other_thread);
        fputc('\n', file);
    }
    if (f->has_before) {
        fputs("   the other: ", file);
        print_caller(file, &f->other_where);
        fputc('\n', file);
    }
    if (f->repeats)
        fprintf(file, "   %sand %" PRIu64 " more of this kind here%s\n",
                paint->faint, f->repeats, paint->end);
}

static void print_findings(FILE *file, const struct paint *paint,
                           const struct tool_report *report) {
    const struct vgpu_finding *findings;
    size_t n = vgpu_findings(report->device, &findings);
    if (n == 0)
        fprintf(file, "vgpu: %sno findings%s%s\n", paint->strong, paint->end,
                report->other_libraries ? " in the rest" : "");
    else
        fprintf(file, "vgpu: %s%zu finding%s%s\n", paint->strong, n,
                n == 1 ? "" : "s", paint->end);
    for (size_t i = 0; i < n; i++)
        print_finding(file, paint, i + 1, &findings[i], report->device);
}

static void print_remarks(FILE *file, const struct paint *paint,
                          vgpu_device *device) {
    const struct vgpu_finding *list;
    size_t n = vgpu_remarks(device, &list);
    for (size_t k = 0; k < n; k++) {
        fprintf(file, "vgpu: %sremark%s: ", paint->strong, paint->end);
        print_clean(file, list[k].kernel ? list[k].kernel : "?");
        fputs(" at ", file);
        print_place(file, &list[k].where);
        fputs(": ", file);
        char *text = vgpu_message_text(&list[k].message, NULL);
        print_clean(file, text);
        free(text);
        fputc('\n', file);
    }
}

/* The checks that did not look, by their names. */
static void print_checks_off(FILE *file, unsigned checks) {
    const char *between = "vgpu: note: checks that were off: ";
    if (!(VGPU_CHECK_ALL_OF_PROGRAM & checks)) {
        fputs("vgpu: note: all checks were off (--check all)\n", file);
        return;
    }
    for (unsigned bit = 1; bit <= VGPU_CHECK_ALL_OF_PROGRAM; bit <<= 1) {
        if (!(VGPU_CHECK_ALL_OF_PROGRAM & bit) || checks & bit) continue;
        fprintf(file, "%s%s", between, vgpu_check_name(bit));
        between = ", ";
    }
    if (VGPU_CHECK_ALL_OF_PROGRAM & ~checks) fputs(" (--check all)\n", file);
}

/* "vgpu: racecheck is incomplete in kernel scan: ..." */
static void print_incomplete(FILE *file, const struct paint *paint,
                             vgpu_device *device) {
    const struct vgpu_incomplete *list;
    size_t n = vgpu_incompletes(device, &list);
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "vgpu: %s%s is incomplete%s in kernel ", paint->bad,
                vgpu_check_name(list[i].check), paint->end);
        print_clean(file, list[i].kernel ? list[i].kernel : "?");
        fprintf(file,
                ": %s. There may be findings that it missed. What helps: %s\n",
                list[i].reason, list[i].mend);
    }
}

static void print_one_left_out(FILE *file, uint64_t n, const char *what) {
    if (n) fprintf(file, "vgpu: note: %" PRIu64 " %s\n", n, what);
}

/* Where a list or a buffer ended. */
static void print_left_out(FILE *file, vgpu_device *device) {
    const struct vgpu_left_out *x = vgpu_left_out(device);
    print_one_left_out(file, x->findings,
                       "more findings are left out of this list");
    print_one_left_out(file, x->launches,
                       "launches are left out of the lists of launches and "
                       "kernels; totals and lines count them");
    print_one_left_out(file, x->thread_instructions,
                       "thread instructions are left out of the profile's "
                       "lines: there are too many lines; totals count them");
    print_one_left_out(file, x->printed_bytes,
                       "bytes of the kernels' printf are lost: they did not "
                       "fit into its buffer");
}

/* Every counter that is not zero, two in a row. */
static void print_totals(FILE *file, vgpu_device *device) {
    uint64_t counts[VGPU_N_COUNTERS];
    int column = 0;
    vgpu_counts(device, counts);
    for (int c = 0; c < VGPU_N_COUNTERS; c++) {
        if (counts[c] == 0) continue;
        fprintf(file, "  %-23s %14" PRIu64, vgpu_counter_name((vgpu_counter)c),
                counts[c]);
        if (++column % 2 == 0) fputc('\n', file);
    }
    if (column % 2) fputc('\n', file);
}

/* No finding: the program may well not use these bytes. */
static void print_part_written(FILE *file, const struct tool_report *report) {
    const struct vgpu_part_written *p = vgpu_part_written(report->device);
    if (!p->copies) return;
    fprintf(file,
            "vgpu: note: a copy to the host of %" PRIu64
            " bytes%s took %" PRIu64
            " that nothing has written, the first of them byte %" PRIu64
            " of %" PRIu64,
            p->bytes, report->part_written, p->unwritten, p->at, p->size);
    if (p->copies > 1)
        fprintf(file, "; so did %" PRIu64 " more", p->copies - 1);
    fputs(". No mistake, if the program does not use them\n", file);
}

/* No finding: the program may look at the error, and know what to do. */
static void print_call_errors(FILE *file, const struct tool_report *report) {
    const struct vgpu_call_error *list;
    size_t n = vgpu_call_errors(report->device, &list);
    for (size_t i = 0; i < n; i++) {
        const char *place = report->call_errors[i], *text = list[i].text;
        fprintf(file, "vgpu: note: %s%s%s answered error %d", list[i].call,
                *place ? " at " : "", place, list[i].error);
        if (text) fprintf(file, " (%s)", text);
        fputc('\n', file);
    }
}

static void print_end(FILE *file, const struct tool_report *report) {
    const struct tool_result *result = report->result;
    if (WIFSIGNALED(result->status))
        fprintf(file, "vgpu: the program was ended by signal %d (%s)\n",
                WTERMSIG(result->status), strsignal(WTERMSIG(result->status)));
    else if (WEXITSTATUS(result->status) &&
             report->exit_code != WEXITSTATUS(result->status))
        fprintf(file, "vgpu: the program ended with exit code %d\n",
                WEXITSTATUS(result->status));
    print_part_written(file, report);
    print_call_errors(file, report);
    if (!result->used_cuda && !report->other_libraries)
        fputs("vgpu: the program made no CUDA call\n", file);
}

/* What may be behind all that follows. */
static void print_start(FILE *file, const struct tool_report *report) {
    size_t refused = vgpu_no_room(report->device)->bytes;
    const struct vgpu_profile *profile = vgpu_device_profile(report->device);
    uint64_t lent = report->options->device.memory_limit_bytes >> 20;
    if (report->other_libraries)
        fprintf(file,
                "vgpu: not looked at: what the program does with %s, which the "
                "virtual GPU does not have: such a library looks for a driver "
                "and a GPU, and its calls fail\n",
                report->other_libraries);
    if (!refused) return;
    fprintf(file, "vgpu: no room for an allocation of %zu bytes%s", refused,
            report->refused);
    fprintf(file, " on %s, which has %d MiB", profile->name,
            profile->memory_mib);
    if (lent < (uint64_t)profile->memory_mib)
        fprintf(file, ", of which this machine lends %" PRIu64 " MiB\n", lent);
    else
        fputs("; --device chooses another (see --list-devices)\n", file);
}

static void print_clock(FILE *file, const struct tool_report *report) {
    const char *clock = report->options->device.clock;
    if (clock)
        fprintf(file,
                "vgpu: model_ns and model_cycles are model time on the profile "
                "%s: no GPU's time\n",
                clock);
}

void tool_report_text(FILE *file, const struct tool_report *report) {
    struct paint paint = choose_paint(file);
    const struct tool_options *options = report->options;
    const struct lines_options lines = {.kernel = options->kernel,
                                        .top = options->top,
                                        .colour = lines_colour(file)};
    print_start(file, report);
    print_findings(file, &paint, report);
    print_remarks(file, &paint, report->device);
    print_checks_off(file, options->device.checks);
    print_incomplete(file, &paint, report->device);
    print_left_out(file, report->device);
    print_totals(file, report->device);
    print_clock(file, report);
    if (options->wants_profile) {
        fputc('\n', file);
        lines_print(file, report->device, &lines);
    }
    print_end(file, report);
}
