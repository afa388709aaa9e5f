/* SPDX-License-Identifier: MIT
 *
 * main.c: the program `vgpu`: runs a CUDA program on the virtual GPU and says
 * what the checks saw. vgpu/docs/vgpu.md is its manual page.
 */
#include "tool.h"

#include <lines.h>

#include "clean_text.h"
#include "litmus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

void tool_say(const char *format, ...) {
    struct text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_add_list(&words, format, arguments);
    va_end(arguments);
    /* It may name files that others have made. */
    char *clean = clean_name(words.bytes);
    fprintf(stderr, "vgpu: %s\n", clean ? clean : "out of memory");
    free(clean);
    text_free(&words);
}

/* Findings outrank the program's own opinion of how it went, and so does it
 * that there may be more: a check had to stop, or a part of the program ran
 * elsewhere, or not at all. */
static int exit_code(vgpu_device *device, const struct tool_result *result,
                     const char *other_libraries) {
    const struct vgpu_finding *findings;
    const struct vgpu_incomplete *incomplete;
    if (vgpu_findings(device, &findings) > 0) return TOOL_FINDINGS;
    if (vgpu_incompletes(device, &incomplete) > 0 || other_libraries)
        return TOOL_FINDINGS;
    if (WIFSIGNALED(result->status))
        return TOOL_SIGNALLED + WTERMSIG(result->status);
    return WEXITSTATUS(result->status);
}

static bool write_report(const struct tool_report *report) {
    const char *name = report->options->output;
    FILE *file = name ? fopen(name, "w") : stderr;
    bool is_written = file != NULL;
    if (is_written && report->options->wants_json)
        is_written = tool_report_json(file, report);
    else if (is_written)
        tool_report_text(file, report);
    if (file && fflush(file) != 0) is_written = false;
    if (file && name && fclose(file) != 0) is_written = false;
    if (!is_written)
        tool_say("cannot write the report to %s: %s", name ? name : "stderr",
                 strerror(errno));
    return is_written;
}

static bool write_timeline(const struct tool_report *report) {
    const char *name = report->options->timeline;
    const struct vgpu_timeline *t = vgpu_timeline(report->device);
    if (!name || !t) return true;
    FILE *file = fopen(name, "w");
    bool is_written =
        file && timeline_print(file, t, report->options->device.clock);
    if (file && fclose(file) != 0) is_written = false;
    if (!is_written)
        tool_say("cannot write the timeline to %s: %s", name, strerror(errno));
    else if (timeline_left_out(t))
        tool_say("the timeline is cut: %llu of what happened are left out of "
                 "%s, which says how many of what",
                 (unsigned long long)timeline_left_out(t), name);
    return is_written;
}

static int run(struct tool_options *options, const char *path,
               const char *folder) {
    bool is_own = tool_has_allocator(path);
    struct tool_watch watch = {.signals = -1,
                               .wants_sizes = options->device.checks &
                                                  VGPU_CHECK_ORDERCHECK &&
                                              !is_own,
                               .wants_opened = !is_own,
                               .opened = {-1, -1}};
    struct tool_result result = {0};
    vgpu_status status;
    /* vgpu_open takes the profile's memory where that is less. */
    options->device.memory_limit_bytes = tool_machine_memory();
    options->device.should_stop = tool_should_stop;
    options->device.user = &watch;
    options->device.trusts_names = true;
    options->device.has_textures = true;
    options->device.may_launch = true;
    vgpu_device *device = vgpu_open(&options->device, &status);
    if (!device) {
        tool_say("cannot open the device: %s%s", vgpu_status_text(status),
                 options->device.clock
                     ? " (--clock: this profile has no links between GPUs)"
                     : "");
        return TOOL_FAILED;
    }
    int code = TOOL_FAILED;
    if (options->timeline && !vgpu_timeline(device))
        tool_say("--timeline: %s", options->device.clock
                                       ? "this clock counts steps, not time"
                                       : "there is no --clock");
    else if (tool_run(device, &watch, path, folder, options->program,
                      &result)) {
        char *others = tool_other_libraries(path, result.opened, folder);
        code = exit_code(device, &result, others);
        struct tool_report report = {.device = device,
                                     .options = options,
                                     .result = &result,
                                     .exit_code = code,
                                     .other_libraries = others};
        tool_find_places(device, path, &report);
        if (options->device.trace.line && !options->n_traced)
            tool_say("--trace: no instruction that was executed is selected");
        if (!write_report(&report) || !write_timeline(&report))
            code = TOOL_FAILED;
        free(others);
        free(result.opened);
    }
    vgpu_close(device);
    return code;
}

static int run_program(struct tool_options *options) {
    int code = TOOL_FAILED;
    char *folder = tool_client_folder();
    char *path = folder ? tool_find_program(options->program[0]) : NULL;
    if (path) code = run(options, path, folder);
    free(path);
    free(folder);
    return code;
}

int main(int argc, char **argv) {
    struct tool_options options;
    int code = TOOL_FAILED;
    if (argc > 1 && !strcmp(argv[1], "litmus"))
        return litmus_main(argc - 1, argv + 1);
    switch (tool_parse(argc, argv, &options)) {
    case TOOL_GO:
        code = options.wants_dump ? tool_dump(options.program[0], &options.dump)
                                  : run_program(&options);
        break;
    case TOOL_DONE: code = 0; break;
    case TOOL_USAGE: break;
    }
    free(options.trace_words);
    return code;
}
