/* SPDX-License-Identifier: MIT
 *
 * say_steps.c: what kernels did to memory, store by store (vgpu_steps.h), as
 * JSON. The types of web/js/vgpu.d.ts say the same.
 */
#include "vgpu_steps.h"
#include "web.h"

static const char *const array_kinds[] = {[VGPU_ARRAY_GLOBAL] = "global",
                                          [VGPU_ARRAY_SHARED] = "shared",
                                          [VGPU_ARRAY_LANES] = "lanes"};
static const char *const writers[] = {
    [VGPU_WRITER_BEFORE] = "before", [VGPU_WRITER_STORE] = "store",
    [VGPU_WRITER_ATOMIC] = "atomic", [VGPU_WRITER_SHUFFLE] = "shuffle",
    [VGPU_WRITER_COPY] = "copy",     [VGPU_WRITER_FILL] = "fill"};
static const char *const begins[] = {[VGPU_STEP_HOST] = "host",
                                     [VGPU_STEP_LAUNCH] = "launch",
                                     [VGPU_STEP_BARRIER] = "barrier",
                                     [VGPU_STEP_MESSAGE] = "message"};

static const char *before(uint32_t k) {
    return k ? ",\n" : "";
}

static void arrays(FILE *out, const struct vgpu_steps *s) {
    fputs("\"arrays\":[", out);
    for (uint32_t k = 0; k < s->n_arrays; k++) {
        const struct vgpu_array *a = &s->arrays[k];
        fprintf(out, "%s{\"kind\":\"%s\",\"name\":", before(k),
                array_kinds[a->kind]);
        web_text(out, a->name);
        fprintf(out,
                ",\"bytes\":%llu,\"launch\":%u,\"block\":%llu,\"warp\":%u}",
                (unsigned long long)a->bytes, a->launch,
                (unsigned long long)a->block, a->warp);
    }
    fputs("],\n", out);
}

static void write_of(FILE *out, const struct vgpu_steps *s,
                     const struct vgpu_write *w) {
    fprintf(out,
            "{\"value\":\"0x%llx\",\"bytes\":%u,\"array\":%u,\"at\":%u,"
            "\"step\":%u,\"thread\":%u,\"place\":%u,\"writer\":\"%s\","
            "\"over\":%d,\"feeds\":[",
            (unsigned long long)w->value, w->bytes, w->array, w->at, w->step,
            w->thread, w->place, writers[w->writer], (int)w->over - 1);
    for (uint32_t k = 0; k < w->n_feeds; k++) {
        const struct vgpu_feed *f = &s->feeds[w->feed + k];
        fprintf(out, "%s{\"write\":%u,\"times\":%d}", k ? "," : "", f->write,
                f->times);
    }
    fputs("]}", out);
}

static void reads(FILE *out, const struct vgpu_steps *s) {
    fputs("\"reads\":[", out);
    for (uint32_t k = 0; k < s->n_reads; k++) {
        const struct vgpu_read *r = &s->reads[k];
        fprintf(out,
                "%s{\"write\":%u,\"before\":%u,\"launch\":%u,\"block\":%llu,"
                "\"thread\":%u,\"phase\":%u,\"place\":%u}",
                before(k), r->write, r->before, r->launch,
                (unsigned long long)r->block, r->thread, r->phase, r->place);
    }
    fputs("],\n", out);
}

static void steps(FILE *out, const struct vgpu_steps *s) {
    fputs("\"steps\":[", out);
    for (uint32_t k = 0; k < s->n_steps; k++) {
        const struct vgpu_step *t = &s->steps[k];
        fprintf(out,
                "%s{\"begin\":\"%s\",\"launch\":%u,\"block\":%llu,"
                "\"phase\":%u,\"last\":%u}",
                before(k), begins[t->begin], t->launch,
                (unsigned long long)t->block, t->phase, t->last);
    }
    fputs("],\n\"places\":[", out);
    for (uint32_t k = 0; k < s->n_places; k++) {
        fprintf(out, "%s{", before(k));
        web_place(out, s->places[k].file, s->places[k].line);
        putc('}', out);
    }
    fputs("],\n", out);
}

static void accesses(FILE *out, const struct vgpu_steps *s) {
    fprintf(out, "\"banks\":%u,\"accesses\":[", s->banks);
    for (uint32_t k = 0; k < s->n_accesses; k++) {
        const struct vgpu_bank_access *a = &s->accesses[k];
        const char *comma = "";
        fprintf(out,
                "%s{\"launch\":%u,\"block\":%llu,\"warp\":%u,\"place\":%u,"
                "\"bytes\":%u,\"writes\":%s,\"wavefronts\":%u,\"ideal\":%u,"
                "\"lanes\":[",
                before(k), a->launch, (unsigned long long)a->block, a->warp,
                a->place, a->bytes, a->writes ? "true" : "false", a->wavefronts,
                a->ideal);
        for (unsigned lane = 0; lane < 32; lane++) {
            if (!(a->mask >> lane & 1)) continue;
            fprintf(out, "%s[%u,%u]", comma, lane, a->at[lane]);
            comma = ",";
        }
        fputs("]}", out);
    }
    fputs("],\n", out);
}

void say_steps(FILE *out, struct web *w) {
    struct vgpu_steps s;
    if (!vgpu_steps_seen(w->device, &s)) {
        fputs("null", out);
        return;
    }
    putc('{', out);
    arrays(out, &s);
    fputs("\"writes\":[", out);
    for (uint32_t k = 0; k < s.n_writes; k++) {
        fputs(before(k), out);
        write_of(out, &s, &s.writes[k]);
    }
    fputs("],\n", out);
    reads(out, &s);
    steps(out, &s);
    accesses(out, &s);
    fprintf(out, "\"isCut\":%s}", s.is_cut || s.reads_cut ? "true" : "false");
}
