/* SPDX-License-Identifier: MIT
 *
 * seen.c: findings and counts: what a device remembers of the programs it ran.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "device_hooks.h"
#include "device.h"
#include "waiting.h"

/* ---- findings ---- */

static bool same_place(const struct vgpu_finding *a,
                       const struct vgpu_finding *b) {
    return a->kind == b->kind && a->where.line == b->where.line &&
           a->where.file == b->where.file && a->kernel == b->kernel;
}

/* What device_add_finding returns for a remark, which has no place in the list
 * of findings. */
enum { OF_A_REMARK = MAX_FINDINGS + 1 };

/* One for each place, and no more than somebody will read. */
static void add_remark(vgpu_device *d, const struct vgpu_finding *f) {
    enum { MOST_REMARKS = 8 };
    if (!d->remarks) d->remarks = calloc(MOST_REMARKS, sizeof *d->remarks);
    for (size_t k = 0; k < d->n_remarks; k++)
        if (same_place(&d->remarks[k], f)) return;
    if (d->remarks && d->n_remarks < MOST_REMARKS)
        d->remarks[d->n_remarks++] = *f;
}

size_t device_add_finding(vgpu_device *d, struct vgpu_finding *f) {
    f->where.file = device_keep(d, f->where.file);
    f->where.function = device_keep(d, f->where.function);
    f->other_where.file = device_keep(d, f->other_where.file);
    f->other_where.function = device_keep(d, f->other_where.function);
    if (vgpu_finding_is_remark(f->kind)) {
        add_remark(d, f);
        return OF_A_REMARK;
    }
    for (size_t k = 0; k < d->n_findings; k++)
        if (f->where.line && same_place(&d->findings[k], f)) {
            d->findings[k].repeats++;
            return k;
        }
    if (d->n_findings == MAX_FINDINGS) {
        d->left_out.findings++;
        return MAX_FINDINGS; /* of none in the list */
    }
    if (d->n_findings == d->findings_capacity) {
        size_t n = d->findings_capacity ? d->findings_capacity * 2 : 8;
        struct vgpu_finding *t = realloc(d->findings, n * sizeof *t);
        if (!t) return SIZE_MAX;
        d->findings = t;
        d->findings_capacity = n;
    }
    d->findings[d->n_findings++] = *f;
    return f->where.line ? d->n_findings - 1 : SIZE_MAX;
}

void device_repeat_finding(vgpu_device *d, size_t number) {
    if (number < d->n_findings)
        d->findings[number].repeats++;
    else if (number != OF_A_REMARK)
        d->left_out.findings++;
}

bool vgpu_is_checked(const vgpu_device *d, unsigned check) {
    return d->options.checks & check;
}

void vgpu_report(vgpu_device *d, vgpu_finding_kind kind,
                 const struct vgpu_message *message) {
    struct vgpu_finding f = {.kind = kind, .message = *message};
    device_add_finding(d, &f);
}

static double mib(uint64_t bytes) {
    return (double)bytes / (1 << 20);
}

void device_tell_limit(vgpu_device *d, const char *kernel) {
    const struct charges *c = &d->memory.charges;
    struct vgpu_finding f = {.kind = VGPU_FINDING_MEMORY_LIMIT};
    if (!c->refused || d->has_told_limit) return;
    d->has_told_limit = true;
    f.kernel = device_keep(d, kernel);
    double needs = mib(c->refused_bytes), held = mib(c->refused_held);
    if (kernel)
        VGPU_SAY(&f.message, MEMORY_LIMIT, .kernel = kernel, .needs = needs,
                 .what = c->refused, .held = held, .most = mib(c->limit));
    else
        VGPU_SAY(&f.message, MEMORY_LIMIT_OF_PROGRAM, .needs = needs,
                 .what = c->refused, .held = held, .most = mib(c->limit));
    device_add_finding(d, &f);
    device_fail_as(d, VGPU_OK, &f.message);
}

bool vgpu_charge(vgpu_device *d, uint64_t bytes, const char *what) {
    bool ok = charges_add(&d->memory.charges, bytes, what);
    if (!ok) device_tell_limit(d, NULL);
    return ok;
}

void vgpu_discharge(vgpu_device *d, uint64_t bytes) {
    charges_drop(&d->memory.charges, bytes);
}

/* With another device current at the launch, more shared memory, a smaller grid
 * or another one of the program's arrays there would be no such finding. */
static bool is_made_by_launch(const struct vgpu_finding *f) {
    return f->kind == VGPU_FINDING_PEER_ACCESS ||
           f->stray == VGPU_STRAY_SHARED || f->not_started || f->array_bytes;
}

bool vgpu_wants_launch(const struct vgpu_finding *f) {
    return f->launch && !f->launchers[0] &&
           (!f->where.line || vgpu_is_toolkit_file(f->where.file) ||
            is_made_by_launch(f));
}

static bool is_again(const struct vgpu_finding *a,
                     const struct vgpu_finding *b) {
    return a->kind == b->kind && !a->has_thread &&
           !memcmp(a->callers, b->callers, sizeof a->callers);
}

void vgpu_library_launched_from(vgpu_device *d, size_t first,
                                const uint64_t *callers, size_t n) {
    for (size_t k = first; k < d->n_findings; k++)
        if (vgpu_wants_launch(&d->findings[k]))
            memcpy(d->findings[k].launchers, callers, n * sizeof *callers);
}

void vgpu_flight_launched_from(vgpu_device *d, unsigned gpu,
                               const uint64_t *callers, size_t n) {
    const struct launch *l = d->flights[gpu];
    for (size_t k = 0; l && k < d->n_findings; k++) {
        struct vgpu_finding *f = &d->findings[k];
        if (vgpu_wants_launch(f) && f->launch == l->number && f->kernel &&
            strcmp(f->kernel, l->kernel->name) == 0)
            memcpy(f->launchers, callers, n * sizeof *callers);
    }
}

void vgpu_found_from(vgpu_device *d, size_t first,
                     const uint64_t callers[VGPU_CALLERS]) {
    size_t kept = first;
    for (size_t k = first; k < d->n_findings; k++) {
        struct vgpu_finding *f = &d->findings[k];
        size_t old = first;
        if (!f->has_thread && !f->where.line && callers[0]) {
            memcpy(f->callers, callers, sizeof f->callers);
            for (old = 0; old < first; old++)
                if (is_again(&d->findings[old], f)) break;
        }
        if (old < first)
            d->findings[old].repeats += 1 + f->repeats;
        else
            d->findings[kept++] = *f;
    }
    d->n_findings = kept;
}

static struct vgpu_source keep_place(vgpu_device *d,
                                     const struct vgpu_source *where) {
    return (struct vgpu_source){.file = device_keep(d, where->file),
                                .line = where->line,
                                .function = device_keep(d, where->function)};
}

void vgpu_place_finding(vgpu_device *d, size_t number,
                        const struct vgpu_source *where) {
    if (number < d->n_findings)
        d->findings[number].where = keep_place(d, where);
}

void vgpu_place_before(vgpu_device *d, size_t number,
                       const struct vgpu_source *where) {
    if (number < d->n_findings)
        d->findings[number].other_where = keep_place(d, where);
}

void vgpu_place_launch(vgpu_device *d, size_t number,
                       const struct vgpu_source *where) {
    if (number < d->n_findings)
        d->findings[number].launched = keep_place(d, where);
}

/* What follows from an error that was reported is no news. */
static bool has_cause(const vgpu_device *d) {
    for (size_t k = 0; k < d->n_findings; k++) switch (d->findings[k].kind) {
        case VGPU_FINDING_BAD_LAUNCH:
        case VGPU_FINDING_UNSUPPORTED:
        case VGPU_FINDING_BAD_IMAGE:
        case VGPU_FINDING_HOST_MISUSE: return true;
        default: break;
        }
    return false;
}

static void report_unwritten(vgpu_device *d, const struct allocation *a,
                             uint64_t offset, uint64_t bytes) {
    struct vgpu_message array, m;
    if (a->name)
        VGPU_SAY(&array, ARRAY, .name = a->name);
    else
        VGPU_SAY(&array, UNNAMED_ARRAY, .address = a->region.base);
    VGPU_SAY(&m, HOST_COPY_UNWRITTEN, .bytes = bytes, .byte = offset,
             .array = &array, .size = a->size);
    vgpu_report(d, VGPU_FINDING_UNINITIALISED, &m);
}

/* The first such copy, with what lacks of it. */
static void remember_part(vgpu_device *d, const struct allocation *a,
                          uint64_t offset, uint64_t bytes) {
    const uint8_t *written = a->region.written;
    struct vgpu_part_written *p = &d->part_written;
    p->bytes = bytes;
    p->size = a->size;
    for (uint64_t k = offset + bytes; k-- > offset;)
        if (!bits_any(written, k, 1)) p->unwritten++, p->at = k;
}

bool vgpu_check_written(vgpu_device *d, uint64_t from, uint64_t bytes) {
    const struct allocation *a = memory_range(&d->memory, from, bytes);
    if (!(d->options.checks & VGPU_CHECK_INITCHECK) || !bytes || !a ||
        !a->region.written)
        return false;
    uint64_t offset = from - a->region.base;
    if (bits_all(a->region.written, offset, bytes)) return false;
    if (!bits_any(a->region.written, offset, bytes)) {
        if (!has_cause(d)) report_unwritten(d, a, offset, bytes);
        return false;
    }
    if (d->part_written.copies++) return false;
    remember_part(d, a, offset, bytes);
    return true;
}

const struct vgpu_part_written *vgpu_part_written(const vgpu_device *d) {
    return &d->part_written;
}

void vgpu_part_written_from(vgpu_device *d,
                            const uint64_t callers[VGPU_CALLERS]) {
    memcpy(d->part_written.callers, callers, sizeof d->part_written.callers);
}

size_t vgpu_findings(const vgpu_device *d, const struct vgpu_finding **list) {
    *list = d->findings;
    return d->n_findings;
}

size_t vgpu_remarks(const vgpu_device *d, const struct vgpu_finding **list) {
    *list = d->remarks;
    return d->n_remarks;
}

void vgpu_reset_findings(vgpu_device *d) {
    d->n_remarks = 0;
    d->n_findings = 0;
    d->n_incomplete = 0;
    d->left_out.findings = 0;
}

void device_incomplete(vgpu_device *d, unsigned check, const char *kernel,
                       const char *reason, const char *mend) {
    struct vgpu_incomplete *x = d->incomplete;
    struct vgpu_incomplete *end = x + d->n_incomplete;
    while (x < end && x->check != check) x++;
    if (x < end) {
        x->launches++;
        return;
    }
    if (d->n_incomplete == MAX_INCOMPLETE) return;
    d->n_incomplete++;
    *x = (struct vgpu_incomplete){
        .check = check, .kernel = device_keep(d, kernel), .launches = 1};
    snprintf(x->reason, sizeof x->reason, "%s", reason);
    snprintf(x->mend, sizeof x->mend, "%s", mend);
}

const struct vgpu_left_out *vgpu_left_out(const vgpu_device *d) {
    return &d->left_out;
}

size_t vgpu_incompletes(const vgpu_device *d,
                        const struct vgpu_incomplete **list) {
    *list = d->incomplete;
    return d->n_incomplete;
}

void vgpu_check_leaks(vgpu_device *d) {
    /* After a fault cudaFree only says again that there was one. */
    if (!(d->options.checks & VGPU_CHECK_LEAKCHECK) || d->sticky) return;
    struct vgpu_finding f = {.kind = VGPU_FINDING_LEAK};
    struct vgpu_life one;
    uint64_t n = 0, bytes = 0;
    for (size_t at = 0; vgpu_next_life(d, &at, &one);) {
        if (one.is_freed) continue;
        if (!n) memcpy(f.callers, one.callers, sizeof f.callers);
        n++;
        bytes += one.bytes;
    }
    if (!n) return;
    VGPU_SAY(&f.message, LEAK, .n = n, .bytes = bytes);
    device_add_finding(d, &f);
}

/* ---- counts ---- */

static void collect_insn(vgpu_device *d, const char *kernel,
                         const struct machine *m, const struct insn *i,
                         struct issued *lines, uint64_t *launch, int32_t *loc,
                         struct vgpu_line_record **line) {
    struct issued issued = issued_sum(issued_of(m, i), lines);
    struct insn_waits *waits = waits_of(m, i);
    const struct ptx_module *ptx = m->program->ptx;
    *issued_of(m, i) = (struct issued){0};
    if (!i->source || !(issued.warps | waits->threads)) return;
    counts_collect(m, i);
    uint64_t *counts = costs_of(m, i);
    counts[VGPU_COUNT_WARP_INSTRUCTIONS] = issued.warps;
    counts[VGPU_COUNT_THREAD_INSTRUCTIONS] = issued.threads;
    counts[VGPU_COUNT_SPIN_INSTRUCTIONS] = waits->threads;
    if (!*line || *loc != i->source->loc) {
        struct vgpu_source where = program_source(ptx, i->source->loc);
        *line = device_line(d, kernel, &where);
        device_called(d, &where);
        *loc = i->source->loc;
    }
    for (int c = 0; c < VGPU_N_COUNTERS; c++) {
        launch[c] += counts[c];
        if (*line)
            (*line)->counts[c] += counts[c];
        else if (c == VGPU_COUNT_THREAD_INSTRUCTIONS)
            d->left_out.thread_instructions += counts[c];
        counts[c] = 0;
    }
    waits->threads = 0;
}

void device_collect(vgpu_device *d, struct vgpu_kernel *kernel,
                    const struct machine *m, uint64_t *launch) {
    const char *name = device_keep(d, kernel->name);
    struct program *p = m->program;
    if (!m->insn_slots[OBSERVER_WAITING]) return; /* nothing has run */
    for (uint32_t f = 0; f < p->n_functions; f++) {
        struct function *fn = &p->functions[f];
        int32_t loc = -1;
        struct issued lines = {0};
        struct vgpu_line_record *line = NULL;
        if (!fn->decoded || fn->first_number + fn->n_code > m->n_numbers)
            continue;
        for (uint32_t k = 0; k < fn->n_code; k++)
            collect_insn(d, name, m, &fn->code[k], &lines, launch, &loc, &line);
    }
}

/* The variables of the modules that are loaded, which stay where they are. */
static uint64_t static_bytes(const struct memory *m) {
    uint64_t sum = 0;
    for (size_t i = 0; i < m->n_allocations; i++)
        if (m->allocations[i]->module && m->allocations[i]->region.bytes)
            sum += m->allocations[i]->size;
    return sum;
}

void vgpu_counts(const vgpu_device *d, uint64_t counts[VGPU_N_COUNTERS]) {
    memcpy(counts, d->counts, sizeof d->counts);
    uint64_t statics = static_bytes(&d->memory);
    counts[VGPU_COUNT_STATIC_BYTES] = statics;
    counts[VGPU_COUNT_LOCAL_BYTES] = d->memory.local_bytes;
    counts[VGPU_COUNT_PEAK_BYTES] =
        d->memory.peak_bytes > statics ? d->memory.peak_bytes - statics : 0;
    counts[VGPU_COUNT_ALLOCATIONS] = d->memory.n_made;
    if (d->feeds) feeds_counts(d->feeds, counts);
    if (!d->clock) return;
    struct clock_totals t = clock_device_totals(d->clock);
    counts[VGPU_COUNT_DEEPEST_LAUNCH] = t.deepest; /* no sums */
    counts[VGPU_COUNT_LONGEST_CHAIN] = t.chain;
    counts[VGPU_COUNT_LINK_CHAIN] = t.links;
    counts[VGPU_COUNT_SIDE_MESSAGES] = t.side;
    counts[VGPU_COUNT_MODEL_CYCLES] = t.cycles;
    counts[VGPU_COUNT_MODEL_NS] = t.ps / 1000;
}

size_t vgpu_launch_records(const vgpu_device *d,
                           const struct vgpu_launch_record **list) {
    *list = d->records;
    return d->n_records;
}

uint64_t vgpu_launches_of(const vgpu_device *d, const char *kernel) {
    for (size_t k = 0; k < d->n_launched; k++)
        if (strcmp(d->launched[k].kernel, kernel) == 0) return d->launched[k].n;
    return 0;
}

void device_count_launch(vgpu_device *d, const char *kernel) {
    const char *name = device_keep(d, kernel);
    size_t k = 0;
    while (k < d->n_launched && d->launched[k].kernel != name) k++;
    if (k == d->n_launched) {
        void *more = realloc(d->launched, (k + 1) * sizeof *d->launched);
        if (!more || !name) return;
        d->launched = more;
        d->launched[d->n_launched++] = (struct launched){name, 0};
    }
    d->launched[k].n++;
}

uint64_t vgpu_told_bytes(const vgpu_device *d) {
    return d->told_bytes;
}

void vgpu_reset_counts(vgpu_device *d) {
    memset(d->counts, 0, sizeof d->counts);
    d->n_records = 0;
    device_forget_lines(d);
    device_forget_called(d);
    d->record_time++;
    d->n_launched = 0;
    states_forget(d);
    d->left_out = (struct vgpu_left_out){.findings = d->left_out.findings};
    d->memory.n_made = 0;
    d->memory.peak_bytes = d->memory.held_bytes + d->memory.heap_bytes;
    d->memory.local_bytes = 0;
    for (unsigned g = 0; d->clock && g < d->n_gpus; g++)
        clock_reset(d->clocks[g]);
    if (d->steps) steps_reset(d->steps);
    if (d->feeds) feeds_reset(d->feeds);
    d->why = (struct vgpu_why){0};
}

/* ---- model time ---- */

bool vgpu_has_clock(const vgpu_device *d) {
    return d->clock != NULL;
}

bool vgpu_clock_kept_messages(const vgpu_device *d) {
    return !d->clock || clock_kept_messages(d->clock);
}

void vgpu_clock_cool(vgpu_device *d) {
    for (unsigned g = 0; d->clock && g < d->n_gpus; g++)
        clock_cool(d->clocks[g]);
}

void vgpu_clock_wait(vgpu_device *d) {
    if (d->clock) clock_calls(d->clocks[d->memory.gpu], CLOCK_WAIT, 0, 0, 0);
}

uint64_t vgpu_clock_asks(vgpu_device *d, enum vgpu_asks what) {
    _Static_assert((int)VGPU_ASKS_NOTHING == (int)CLOCK_ASKS_NOTHING,
                   "as in clock.h");
    return d->clock ? clock_asks(d->clock, what) : 0;
}

void vgpu_clock_may_begin(vgpu_device *d, uint64_t time) {
    if (d->clock) clock_may_begin(d->clock, time);
}

uint64_t vgpu_clock_ends(const vgpu_device *d, unsigned gpu) {
    return d->clock ? clock_queue_ends(d->clocks[gpu]) : 0;
}

void vgpu_clock_awaits(vgpu_device *d, uint64_t time) {
    if (d->clock) clock_awaits(d->clock, time);
}

uint64_t vgpu_clock_event_takes(const vgpu_device *d) {
    return d->clock ? clock_event_takes(d->clock) : 0;
}

uint64_t vgpu_clock_event_hops(const vgpu_device *d) {
    return d->clock ? clock_event_hops(d->clock) : 0;
}

void vgpu_clock_pool(vgpu_device *d, bool of_stream) {
    d->of_stream = of_stream;
}

uint64_t vgpu_clock_event(vgpu_device *d) {
    return d->clock ? clock_event(d->clock) : 0;
}

/* ---- device printf ---- */

size_t vgpu_output_bytes(const vgpu_device *d) {
    return d->output_bytes;
}

size_t vgpu_take_output(vgpu_device *d, char *to, size_t capacity) {
    size_t n = d->output_bytes < capacity ? d->output_bytes : capacity;
    if (n) memcpy(to, d->output, n);
    if (n) memmove(d->output, d->output + n, d->output_bytes - n);
    d->output_bytes -= n;
    return n;
}
