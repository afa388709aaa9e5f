/* SPDX-License-Identifier: MIT
 *
 * report_json.c: what was seen, for programs: schema vgpu/report/v1, described
 * in vgpu/docs/vgpu.md. Members are only ever added within a version.
 */
#include "tool.h"

#include <jansson.h>
#include <lines.h>
#include <lines_json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Only where the kernel was launched more than once, or by a library. */
static void add_launch(json_t *object, const vgpu_device *device,
                       const struct vgpu_finding *f) {
    uint64_t all = f->launch ? vgpu_launches_of(device, f->kernel) : 0;
    if (all < 2 && !f->launched.line) return;
    json_object_set_new(
        object, "launch",
        json_pack("{s:o, s:o, s:o}", "number", seen_number(f->launch), "of",
                  seen_number(all), "where", seen_place(&f->launched)));
}

static json_t *finding(const vgpu_device *device,
                       const struct vgpu_finding *f) {
    unsigned check = vgpu_finding_check(f->kind);
    char *text = vgpu_message_text(&f->message, NULL);
    json_t *object = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind",
        vgpu_finding_name(f->kind), "check",
        check ? seen_text(vgpu_check_name(check)) : json_null(), "kernel",
        seen_text(f->kernel), "where", seen_place(&f->where), "message",
        seen_text(text), "said", lines_json_message(&f->message), "address",
        f->address ? seen_number(f->address) : json_null(), "repeats",
        seen_number(f->repeats));
    free(text);
    if (f->has_thread) {
        json_object_set_new(object, "block", seen_triple(f->block));
        json_object_set_new(object, "thread", seen_triple(f->thread));
    }
    add_launch(object, device, f);
    if (f->has_before)
        json_object_set_new(
            object, "before",
            json_pack("{s:o}", "where", seen_place(&f->other_where)));
    if (f->has_other)
        json_object_set_new(object, "other",
                            json_pack("{s:o, s:o, s:o}", "where",
                                      seen_place(&f->other_where), "block",
                                      seen_triple(f->other_block), "thread",
                                      seen_triple(f->other_thread)));
    return object;
}

static json_t *findings(vgpu_device *device,
                        size_t (*of)(const vgpu_device *,
                                     const struct vgpu_finding **)) {
    const struct vgpu_finding *list;
    json_t *array = json_array();
    size_t n = of(device, &list);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, finding(device, &list[i]));
    return array;
}

static json_t *incomplete(vgpu_device *device) {
    const struct vgpu_incomplete *list;
    json_t *array = json_array();
    size_t n = vgpu_incompletes(device, &list);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o, s:o}", "check",
                             seen_text(vgpu_check_name(list[i].check)),
                             "kernel", seen_text(list[i].kernel), "reason",
                             seen_text(list[i].reason), "mend",
                             seen_text(list[i].mend), "launches",
                             seen_number(list[i].launches)));
    return array;
}

static json_t *left_out(vgpu_device *device) {
    const struct vgpu_left_out *x = vgpu_left_out(device);
    return json_pack("{s:o, s:o, s:o, s:o}", "findings",
                     seen_number(x->findings), "launches",
                     seen_number(x->launches), "thread_instructions",
                     seen_number(x->thread_instructions), "printed_bytes",
                     seen_number(x->printed_bytes));
}

static json_t *failed_calls(const struct tool_report *report) {
    const struct vgpu_call_error *list;
    size_t n = vgpu_call_errors(report->device, &list);
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        const char *place = report->call_errors[i];
        json_array_append_new(
            array,
            json_pack("{s:o, s:i, s:o, s:o}", "call", seen_text(list[i].call),
                      "error", list[i].error, "text", seen_text(list[i].text),
                      "where", seen_text(*place ? place : NULL)));
    }
    return array;
}

/* Calls and commands by name, blocks by number; what is the same for all or can
 * be found otherwise is left out. */
static json_t *span(enum vgpu_track track, const struct vgpu_span *s,
                    uint64_t origin) {
    json_t *from = seen_number(s->from > origin ? s->from - origin : 0);
    json_t *to = seen_number(s->to > origin ? s->to - origin : 0);
    if (track == VGPU_TRACK_BLOCKS)
        return json_pack("[o, o, o, o, o, o]", seen_number(s->launch),
                         seen_number(s->block), seen_number(s->sm),
                         seen_number(s->place), from, to);
    return json_pack("[o, o, o]", seen_text(s->name), from, to);
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
            messages, json_pack("[o, o, o, o, o]", seen_number(a->launch),
                                seen_number(a->from_block),
                                seen_number(a->from - t->origin),
                                seen_number(a->to_block),
                                seen_number(a->to - t->origin)));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "calls",
                     spans(t, VGPU_TRACK_HOST), "commands",
                     spans(t, VGPU_TRACK_QUEUE), "blocks",
                     spans(t, VGPU_TRACK_BLOCKS), "messages", messages,
                     "left_out", seen_number(timeline_left_out(t)));
}

static json_t *command(char **argv) {
    json_t *array = json_array();
    for (; *argv; argv++) json_array_append_new(array, seen_text(*argv));
    return array;
}

static json_t *checks(unsigned bits) {
    json_t *array = json_array();
    for (unsigned bit = 1; bit <= VGPU_CHECK_ALL_OF_PROGRAM; bit <<= 1)
        if (bits & bit)
            json_array_append_new(array, seen_text(vgpu_check_name(bit)));
    return array;
}

static json_t *ending(const struct tool_report *report) {
    int status = report->result->status;
    bool was_killed = WIFSIGNALED(status);
    return json_pack(
        "{s:o, s:o, s:o}", "other_libraries",
        seen_text(report->other_libraries), "exit_code",
        was_killed ? json_null() : json_integer(WEXITSTATUS(status)), "signal",
        was_killed ? json_integer(WTERMSIG(status)) : json_null());
}

bool tool_report_json(FILE *file, const struct tool_report *report) {
    const struct tool_options *options = report->options;
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_counts(report->device, counts);
    json_t *root = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:o, s:o, s:i, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o}",
        "schema", "vgpu/report/v1", "command", command(options->program),
        "device", vgpu_device_profile(report->device)->name, "schedule",
        options->schedule, "memory_model", options->memory_model, "checks",
        checks(options->device.checks), "program", ending(report), "exit_code",
        report->exit_code, "findings", findings(report->device, vgpu_findings),
        "remarks", findings(report->device, vgpu_remarks), "incomplete",
        incomplete(report->device), "left_out", left_out(report->device),
        "failed_calls", failed_calls(report), "counts", seen_counts(counts),
        "launches",
        lines_json_launches(report->device, options->kernel,
                            options->device.why));
    if (root && options->wants_profile)
        json_object_set_new(root, "lines",
                            lines_json_lines(report->device, options->kernel,
                                             options->device.why));
    if (root && options->device.why)
        json_object_set_new(
            root, "clock",
            lines_json_clock(report->device, options->device.clock));
    if (root && options->timeline)
        json_object_set_new(root, "timeline",
                            timeline(vgpu_timeline(report->device)));
    bool is_written = root && json_dumpf(root, file, JSON_INDENT(2)) == 0 &&
                      fputc('\n', file) != EOF;
    json_decref(root);
    return is_written;
}
