/* SPDX-License-Identifier: MIT
 *
 * say.c: what a device saw, as JSON: counts, findings, lines, model time. The
 * types of web/js/vgpu.d.ts say the same.
 */
#include <stdlib.h>
#include <string.h>

#include "web.h"

/* ---- texts ---- */

/* Bytes that are not ASCII stay: what a program's names are made of is UTF-8 or
 * nothing; JavaScript's reader replaces what is neither. */
void web_text(FILE *out, const char *text) {
    if (!text) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ' || c == '"' || c == '\\' || c == 127)
            fprintf(out, "\\u%04x", c);
        else
            putc(c, out);
    }
    putc('"', out);
}

void web_place(FILE *out, const char *file, uint32_t line) {
    fputs("\"file\":", out);
    web_text(out, file);
    fprintf(out, ",\"line\":%u", line);
}

static void triple(FILE *out, const char *name, const uint32_t n[3]) {
    fprintf(out, ",\"%s\":[%u,%u,%u]", name, n[0], n[1], n[2]);
}

/* Those that are not 0. */
static void counters(FILE *out, const uint64_t counts[VGPU_N_COUNTERS]) {
    const char *comma = "";
    putc('{', out);
    for (int c = 0; c < VGPU_N_COUNTERS; c++) {
        if (!counts[c]) continue;
        fprintf(out, "%s\"%s\":%llu", comma, vgpu_counter_name((vgpu_counter)c),
                (unsigned long long)counts[c]);
        comma = ",";
    }
    putc('}', out);
}

static void times(FILE *out, const uint64_t ps[VGPU_N_CAUSES]) {
    const char *comma = "";
    putc('{', out);
    for (int c = 0; c < VGPU_N_CAUSES; c++) {
        if (!ps[c]) continue;
        fprintf(out, "%s\"%s\":%llu", comma, vgpu_cause_name((vgpu_cause)c),
                (unsigned long long)ps[c]);
        comma = ",";
    }
    putc('}', out);
}

/* ---- counts, lines, launches ---- */

void say_counts(FILE *out, struct web *w) {
    uint64_t counts[VGPU_N_COUNTERS];
    vgpu_counts(w->device, counts);
    counters(out, counts);
}

void say_lines(FILE *out, struct web *w) {
    const struct vgpu_line_record *l;
    size_t n = vgpu_line_records(w->device, &l);
    putc('[', out);
    for (size_t k = 0; k < n; k++) {
        fputs(k ? ",\n{\"kernel\":" : "{\"kernel\":", out);
        web_text(out, l[k].kernel);
        putc(',', out);
        web_place(out, l[k].where.file, l[k].where.line);
        fputs(",\"counts\":", out);
        counters(out, l[k].counts);
        putc('}', out);
    }
    putc(']', out);
}

void say_launches(FILE *out, struct web *w) {
    const struct vgpu_launch_record *l;
    size_t n = vgpu_launch_records(w->device, &l);
    putc('[', out);
    for (size_t k = 0; k < n; k++) {
        fputs(k ? ",\n{\"kernel\":" : "{\"kernel\":", out);
        web_text(out, l[k].kernel);
        triple(out, "grid", l[k].grid);
        triple(out, "block", l[k].block);
        fprintf(out, ",\"modelPs\":%llu,\"counts\":",
                w->options.clock ? (unsigned long long)l[k].model_ps : 0);
        counters(out, l[k].counts);
        putc('}', out);
    }
    putc(']', out);
}

/* ---- findings ---- */

static void finding(FILE *out, const struct vgpu_finding *f) {
    char *text = vgpu_message_text(&f->message, NULL);
    fprintf(out, "{\"kind\":\"%s\",\"check\":", vgpu_finding_name(f->kind));
    web_text(out, vgpu_check_name(vgpu_finding_check(f->kind)));
    fputs(",\"kernel\":", out);
    web_text(out, f->kernel);
    putc(',', out);
    web_place(out, f->where.file, f->where.line);
    triple(out, "block", f->block);
    if (f->has_thread) triple(out, "thread", f->thread);
    fprintf(out, ",\"address\":\"0x%llx\",\"bytes\":%u,\"writes\":%s",
            (unsigned long long)f->address, f->bytes,
            f->writes ? "true" : "false");
    if (f->has_other) {
        fputs(",\"other\":{", out);
        web_place(out, f->other_where.file, f->other_where.line);
        triple(out, "block", f->other_block);
        triple(out, "thread", f->other_thread);
        fprintf(out, ",\"writes\":%s}", f->other_wrote ? "true" : "false");
    }
    fprintf(out, ",\"repeats\":%llu,\"text\":", (unsigned long long)f->repeats);
    web_text(out, text ? text : "");
    fputs(",\"cause\":", out);
    web_text(out, vgpu_finding_cause(f->kind));
    putc('}', out);
    free(text);
}

void say_findings(FILE *out, struct web *w) {
    const struct vgpu_finding *f;
    size_t n = vgpu_findings(w->device, &f);
    putc('[', out);
    for (size_t k = 0; k < n; k++) {
        if (k) fputs(",\n", out);
        finding(out, &f[k]);
    }
    putc(']', out);
}

void say_incomplete(FILE *out, struct web *w) {
    const struct vgpu_incomplete *i;
    size_t n = vgpu_incompletes(w->device, &i);
    putc('[', out);
    for (size_t k = 0; k < n; k++) {
        fputs(k ? ",\n{\"check\":" : "{\"check\":", out);
        web_text(out, vgpu_check_name(i[k].check));
        fputs(",\"reason\":", out);
        web_text(out, i[k].reason);
        putc('}', out);
    }
    putc(']', out);
}

/* ---- model time, what kernels printed ---- */

void say_model(FILE *out, struct web *w) {
    const struct vgpu_why *y =
        w->options.clock && w->options.why ? vgpu_why(w->device) : NULL;
    if (!y) {
        fputs("null", out);
        return;
    }
    fprintf(out,
            "{\"launchPs\":%llu,\"devicePs\":%llu,\"betweenPs\":%llu,"
            "\"stepPs\":%llu,\"path\":",
            (unsigned long long)y->launch_ps, (unsigned long long)y->device_ps,
            (unsigned long long)y->between_ps, (unsigned long long)y->step_ps);
    times(out, y->times.path);
    fputs(",\"warps\":", out);
    times(out, y->times.warps);
    putc('}', out);
}

void say_printed(FILE *out, struct web *w) {
    char *text = malloc(w->printed_bytes + 1);
    size_t n = 0;
    for (size_t k = 0; text && k < w->printed_bytes; k++)
        text[n++] = w->printed[k] ? w->printed[k] : ' ';
    if (text) text[n] = '\0';
    web_text(out, text ? text : "");
    free(text);
    w->printed_bytes = 0;
}

/* ---- by name ---- */

static const char *web_said(struct web *w, void (*say)(FILE *, struct web *)) {
    free(w->said);
    w->said = NULL;
    FILE *out = open_memstream(&w->said, &w->said_bytes);
    if (!out) return NULL;
    say(out, w);
    if (ferror(out) | fclose(out)) {
        free(w->said);
        w->said = NULL;
    }
    return w->said;
}

const char *web_say(struct web *w, const char *what) {
    if (!w->device) return NULL;
#define X(name, function)                                                      \
    if (!strcmp(what, name)) return web_said(w, function);
#include "web_says.def"
#undef X
    return NULL;
}

static void list(FILE *out, const char *name, const uint32_t *n, size_t count) {
    fprintf(out, ",\"%s\":[", name);
    for (size_t k = 0; k < count; k++) fprintf(out, k ? ",%u" : "%u", n[k]);
    putc(']', out);
}

const char *web_say_kernel(struct web *w, int kernel) {
    struct vgpu_kernel_info i;
    if (kernel < 0 || (unsigned)kernel >= w->n_kernels) return NULL;
    free(w->said);
    w->said = NULL;
    FILE *out = open_memstream(&w->said, &w->said_bytes);
    if (!out) return NULL;
    vgpu_kernel_info(w->kernels[kernel], &i);
    fputs("{\"name\":", out);
    web_text(out, i.name);
    list(out, "paramOffset", i.param_offset, i.n_params);
    list(out, "paramSize", i.param_size, i.n_params);
    fprintf(out,
            ",\"paramBytes\":%zu,\"sharedBytes\":%u,\"localBytes\":%u,"
            "\"registers\":%u,\"maxThreads\":%u,\"target\":%d}",
            i.param_bytes, i.static_smem_bytes, i.local_bytes, i.registers,
            i.max_threads_per_block, i.ptx_target);
    fclose(out);
    return w->said;
}
