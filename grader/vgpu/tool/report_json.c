/* SPDX-License-Identifier: MIT
 *
 * report_json.c: what was seen, for programs: schema vgpu/report/v1, described
 * in docs/vgpu.md. Members are only ever added within a version.
 */
#include "tool.h"

#include <jansson.h>
#include <lines.h>
#include <string.h>
#include <sys/wait.h>

static json_t *text(const char *s) {
    /* Names come from binaries; what is not UTF-8 is left out. */
    json_t *value = s ? json_string(s) : NULL;
    return value ? value : json_null();
}

static json_t *number(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *triple(const uint32_t v[3]) {
    return json_pack("[i,i,i]", (int)v[0], (int)v[1], (int)v[2]);
}

static json_t *place(const struct vgpu_source *where) {
    json_t *object =
        json_pack("{s:o, s:i, s:o}", "file", text(where->file), "line",
                  (int)where->line, "function", text(where->function));
    if (where->is_merged) json_object_set_new(object, "merged", json_true());
    return object;
}

static json_t *counts_object(const uint64_t counts[VGPU_N_COUNTERS]) {
    json_t *object = json_object();
    for (int c = 0; c < VGPU_N_COUNTERS; c++)
        json_object_set_new(object, vgpu_counter_name((vgpu_counter)c),
                            number(counts[c]));
    return object;
}

static json_t *finding(const struct vgpu_finding *f) {
    unsigned check = vgpu_finding_check(f->kind);
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
        vgpu_finding_name(f->kind), "check",
        check ? text(vgpu_check_name(check)) : json_null(), "kernel",
        text(f->kernel), "where", place(&f->where), "message", text(f->message),
        "address", f->address ? number(f->address) : json_null(), "repeats",
        number(f->repeats));
    if (f->has_thread) {
        json_object_set_new(object, "block", triple(f->block));
        json_object_set_new(object, "thread", triple(f->thread));
    }
    if (f->has_other)
        json_object_set_new(object, "other",
                            json_pack("{s:o, s:o, s:o}", "where",
                                      place(&f->other_where), "block",
                                      triple(f->other_block), "thread",
                                      triple(f->other_thread)));
    return object;
}

static json_t *findings(vgpu_device *device) {
    const struct vgpu_finding *list;
    json_t *array = json_array();
    size_t n = vgpu_findings(device, &list);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, finding(&list[i]));
    return array;
}

static json_t *incomplete(vgpu_device *device) {
    const struct vgpu_incomplete *list;
    json_t *array = json_array();
    size_t n = vgpu_incompletes(device, &list);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "check",
                             text(vgpu_check_name(list[i].check)), "kernel",
                             text(list[i].kernel), "reason",
                             text(list[i].reason), "mend", text(list[i].mend),
                             "launches", number(list[i].launches)));
    return array;
}

static json_t *left_out(vgpu_device *device) {
    const struct vgpu_left_out *x = vgpu_left_out(device);
    return json_pack("{s:o, s:o, s:o, s:o}", "findings", number(x->findings),
                     "launches", number(x->launches), "thread_instructions",
                     number(x->thread_instructions), "printed_bytes",
                     number(x->printed_bytes));
}

/* Picoseconds by cause. */
static json_t *causes(const uint64_t *times) {
    json_t *object = json_object();
    for (int c = 0; c < VGPU_N_CAUSES; c++)
        if (times[c])
            json_object_set_new(object, vgpu_cause_name((vgpu_cause)c),
                                number(times[c]));
    return object;
}

static json_t *with_times(json_t *object, const struct tool_options *options,
                          const struct vgpu_times *times) {
    if (!object || !options->device.why) return object;
    json_object_set_new(object, "path_ps", causes(times->path));
    json_object_set_new(object, "warps_ps", causes(times->warps));
    return object;
}

/* The longest launch's critical path. */
static json_t *pieces(const struct vgpu_why *why) {
    json_t *array = json_array();
    for (size_t i = 0; i < why->n_path; i++) {
        const struct vgpu_path_piece *p = &why->path[i];
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:i, s:s, s:o, s:o}", "block",
                      number(p->block), "file", text(p->where.file), "line",
                      (int)p->where.line, "cause", vgpu_cause_name(p->cause),
                      "from_ps", number(p->from), "to_ps", number(p->to)));
    }
    return array;
}

static json_t *clock_object(vgpu_device *device,
                            const struct tool_options *options) {
    const struct vgpu_why *why = vgpu_why(device);
    json_t *path = json_pack("{s:o, s:o, s:o, s:o, s:o}", "launch",
                             number(why->launch), "kernel", text(why->kernel),
                             "model_ps", number(why->longest_ps), "left_out",
                             number(why->left_out), "pieces", pieces(why));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "profile",
                     options->device.clock, "launches_ps",
                     number(why->launch_ps), "between_ps",
                     number(why->between_ps), "device_ps",
                     number(why->device_ps), "paths_cut", number(why->cut),
                     "path_ps", causes(why->times.path), "warps_ps",
                     causes(why->times.warps), "longest_launch", path);
}

/* Calls and commands by name, blocks by number; what is the same for all or can
 * be found otherwise is left out. */
static json_t *span(enum vgpu_track track, const struct vgpu_span *s,
                    uint64_t origin) {
    json_t *from = number(s->from > origin ? s->from - origin : 0);
    json_t *to = number(s->to > origin ? s->to - origin : 0);
    if (track == VGPU_TRACK_BLOCKS)
        return json_pack("[o, o, o, o, o, o]", number(s->launch),
                         number(s->block), number(s->sm), number(s->place),
                         from, to);
    return json_pack("[o, o, o]", text(s->name), from, to);
}

static json_t *spans(const struct vgpu_timeline *t, enum vgpu_track track) {
    json_t *array = json_array();
    for (size_t i = 0; i < t->n[track]; i++)
        json_array_append_new(array,
                              span(track, &t->spans[track][i], t->origin));
    return array;
}

static json_t *timeline(const struct vgpu_timeline *t) {
    json_t *messages = json_array();
    for (size_t i = 0; i < t->n_arrows; i++) {
        const struct vgpu_arrow *a = &t->arrows[i];
        json_array_append_new(
            messages,
            json_pack("[o, o, o, o, o]", number(a->launch),
                      number(a->from_block), number(a->from - t->origin),
                      number(a->to_block), number(a->to - t->origin)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "calls",
                     spans(t, VGPU_TRACK_HOST), "commands",
                     spans(t, VGPU_TRACK_QUEUE), "blocks",
                     spans(t, VGPU_TRACK_BLOCKS), "messages", messages,
                     "left_out", number(timeline_left_out(t)));
}

static bool is_wanted(const struct tool_options *options, const char *kernel) {
    return !options->kernel || (kernel && !strcmp(kernel, options->kernel));
}

static json_t *launches(vgpu_device *device,
                        const struct tool_options *options) {
    const struct vgpu_launch_record *list;
    json_t *array = json_array();
    size_t n = vgpu_launch_records(device, &list);
    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(options, list[i].kernel)) continue;
        json_t *launch = json_pack(
            "{s:o, s:o, s:o, s:o, s:o}", "kernel", text(list[i].kernel), "grid",
            triple(list[i].grid), "block", triple(list[i].block),
            "dynamic_smem_bytes", number(list[i].dynamic_smem_bytes), "counts",
            counts_object(list[i].counts));
        if (launch && options->device.why)
            json_object_set_new(launch, "model_ps", number(list[i].model_ps));
        json_array_append_new(array,
                              with_times(launch, options, &list[i].times));
    }
    return array;
}

static json_t *lines(vgpu_device *device, const struct tool_options *options) {
    const struct vgpu_line_record *list;
    json_t *array = json_array();
    size_t n = vgpu_line_records(device, &list);
    for (size_t i = 0; i < n; i++) {
        if (!is_wanted(options, list[i].kernel)) continue;
        json_t *line = json_pack(
            "{s:o, s:o, s:o}", "kernel", text(list[i].kernel), "where",
            place(&list[i].where), "counts", counts_object(list[i].counts));
        json_array_append_new(array, with_times(line, options, &list[i].times));
    }
    return array;
}

static json_t *command(char **argv) {
    json_t *array = json_array();
    for (; *argv; argv++) json_array_append_new(array, text(*argv));
    return array;
}

static json_t *checks(unsigned bits) {
    json_t *array = json_array();
    for (unsigned bit = 1; bit <= VGPU_CHECK_ALL; bit <<= 1)
        if (bits & bit)
            json_array_append_new(array, text(vgpu_check_name(bit)));
    return array;
}

static json_t *ending(const struct tool_report *report) {
    int status = report->result->status;
    bool was_killed = WIFSIGNALED(status);
    return json_pack(
        "{s:o, s:o, s:o}", "other_libraries", text(report->other_libraries),
        "exit_code",
        was_killed ? json_null() : json_integer(WEXITSTATUS(status)), "signal",
        was_killed ? json_integer(WTERMSIG(status)) : json_null());
}

bool tool_report_json(FILE *file, const struct tool_report *report) {
    const struct tool_options *options = report->options;
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_counts(report->device, counts);
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, "
        "s:o}",
        "schema", "vgpu/report/v1", "command", command(options->program),
        "device", vgpu_device_profile(report->device)->name, "schedule",
        options->schedule, "memory_model", options->memory_model, "checks",
        checks(options->device.checks), "program", ending(report), "exit_code",
        report->exit_code, "findings", findings(report->device), "incomplete",
        incomplete(report->device), "left_out", left_out(report->device),
        "counts", counts_object(counts), "launches",
        launches(report->device, options));
    if (root && options->wants_profile)
        json_object_set_new(root, "lines", lines(report->device, options));
    if (root && options->device.why)
        json_object_set_new(root, "clock",
                            clock_object(report->device, options));
    if (root && options->timeline)
        json_object_set_new(root, "timeline",
                            timeline(vgpu_timeline(report->device)));
    bool is_written = root && json_dumpf(root, file, JSON_INDENT(2)) == 0 &&
                      fputc('\n', file) != EOF;
    json_decref(root);
    return is_written;
}
