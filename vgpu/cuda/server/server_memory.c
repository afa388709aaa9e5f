/* SPDX-License-Identifier: MIT
 *
 * server_memory.c: the requests about memory, about what the client saw go
 * wrong, and about output. A wrong pointer is the program's error: it gets
 * CUDA's code for it, and the report a finding that says which pointer.
 */
#include "server.h"

#include <string.h>

size_t server_n_findings(const struct vgpu_session *session) {
    const struct vgpu_finding *findings;
    return vgpu_findings(session->device, &findings);
}

void server_report_new(struct vgpu_session *session, size_t n_before,
                       vgpu_finding_kind kind,
                       const struct vgpu_message *message) {
    if (server_n_findings(session) > n_before) return;
    if (session->n_reports++ >= SERVER_REPORTS_MAX) return;
    vgpu_report(session->device, kind, message);
}

static void report_misuse(struct vgpu_session *session,
                          const struct vgpu_message *message) {
    server_report_new(session, server_n_findings(session),
                      VGPU_FINDING_HOST_MISUSE, message);
}

/* CUDA answers a bad pointer in a runtime call with cudaErrorInvalidValue. */
int server_error(vgpu_status status) {
    return status == VGPU_INVALID_POINTER ? CUDA_INVALID_VALUE
                                          : vgpu_status_cuda_error(status);
}

bool server_wants_callers(const struct vgpu_session *session, size_t n_before) {
    const struct vgpu_finding *list;
    size_t n = vgpu_findings(session->device, &list);
    for (size_t k = n_before; k < n; k++)
        if ((!list[k].where.line && !list[k].has_thread) ||
            vgpu_wants_launch(&list[k]))
            return true;
    return session->was_refused || session->was_part || session->was_failed ||
           session->was_allocated || session->was_freed ||
           session->was_launched || session->was_copied;
}

/* Where steps are recorded, a copy has its callers, too. */
static void will_copy(struct vgpu_session *session) {
    if (!session->was_copied)
        session->was_copied = vgpu_copies_begin(session->device);
}

int server_CALLERS(struct vgpu_session *session, struct server_call *call) {
    _Static_assert((int)VGPU_CALLERS == VGPU_CALLERS_MAX, "as in vgpu.h");
    _Static_assert((int)VGPU_LAUNCHERS == VGPU_LAUNCHERS_MAX, "as in vgpu.h");
    const uint64_t *at = call->request.CALLERS.at;
    if (session->was_launched) vgpu_launched_from(session->device, at);
    if (session->was_copied) vgpu_copied_from(session->device, at);
    if (session->was_failed)
        vgpu_failed_from(session->device, at);
    else if (session->was_refused)
        vgpu_refused_from(session->device, at);
    else if (session->was_allocated)
        vgpu_allocated_from(session->device, session->was_allocated, at);
    else if (session->was_freed)
        vgpu_freed_from(session->device, session->was_freed, at);
    else if (session->was_part)
        vgpu_part_written_from(session->device, at);
    else
        vgpu_found_from(session->device, session->n_findings_before, at);
    vgpu_library_launched_from(session->device, session->n_findings_before, at,
                               VGPU_LAUNCHERS);
    session->n_findings_before = server_n_findings(session);
    session->was_refused = session->was_part = session->was_failed =
        session->was_launched = session->was_copied = false;
    session->was_allocated = session->was_freed = 0;
    return 0;
}

/* A null pointer, perhaps because an allocation failed before: then only the
 * first use of such a pointer is reported. */
static void report_null(struct vgpu_session *session, const char *call,
                        uint64_t side) {
    const struct vgpu_refusal *refused = vgpu_no_room(session->device);
    struct vgpu_message m;
    if (refused->bytes && session->has_told_null) return;
    session->has_told_null = refused->bytes != 0;
    VGPU_SAY(&m, NULL_POINTER, .call = call, .side = side,
             .refused = refused->bytes ? refused->bytes : VGPU_ABSENT);
    report_misuse(session, &m);
}

static void say_array(const struct vgpu_allocation *a,
                      struct vgpu_message *array) {
    if (a->name)
        VGPU_SAY(array, ARRAY, .name = a->name);
    else
        VGPU_SAY(array, UNNAMED_ARRAY, .address = a->address);
}

/* True when [address, address + bytes) lies in one allocation, and may be
 * written if that is asked. Otherwise reports, naming the call by `what`. */
static bool check_range(struct vgpu_session *session, const char *what,
                        uint64_t address, uint64_t bytes, bool is_write) {
    struct vgpu_allocation a;
    struct vgpu_message array, m;
    if (bytes == 0) return true;
    if (!address) {
        report_null(session, what, VGPU_SIDE_MEMORY);
        return false;
    }
    if (!vgpu_allocation_at(session->device, address, &a)) {
        VGPU_SAY(&m, OUTSIDE, .call = what, .address = address);
        report_misuse(session, &m);
        return false;
    }
    uint64_t offset = address - a.address;
    say_array(&a, &array);
    if (bytes > a.bytes - offset) {
        VGPU_SAY(&m, PAST_RANGE, .call = what, .bytes = bytes, .byte = offset,
                 .array = &array, .address = a.address, .size = a.bytes);
        report_misuse(session, &m);
        return false;
    }
    if (!is_write || !a.is_read_only) return true;
    VGPU_SAY(&m, READ_ONLY_RANGE, .call = what, .array = &array,
             .address = a.address);
    report_misuse(session, &m);
    return false;
}

int server_MALLOC(struct vgpu_session *session, struct server_call *call) {
    uint64_t address = 0;
    const struct vgpu_request_MALLOC *r = &call->request.MALLOC;
    if (session->allocations.n_items >= SERVER_ALLOCATIONS_MAX)
        return CUDA_OUT_OF_MEMORY;
    if (r->kind >= VGPU_N_MEMORY_KINDS) {
        server_violation(session, "no such kind of memory");
        return CUDA_INVALID_VALUE;
    }
    vgpu_clock_pool(session->device, r->of_stream != 0);
    vgpu_status status =
        r->kind == VGPU_MEMORY_DEVICE
            ? vgpu_malloc(session->device, r->bytes, &address)
            : vgpu_malloc_mapped(session->device, r->bytes,
                                 r->kind == VGPU_MEMORY_PINNED, &address);
    session->was_refused = status == VGPU_OUT_OF_MEMORY;
    if (status != VGPU_OK) return server_error(status);
    if (address && !server_set_add(&session->allocations, address)) {
        vgpu_free(session->device, address);
        return CUDA_OUT_OF_MEMORY;
    }
    if (vgpu_names_allocations(session->device))
        session->was_allocated = address;
    server_order_new(session, address, r->bytes, r->kind);
    call->reply.MALLOC.address = address;
    return 0;
}

static void report_bad_free(struct vgpu_session *session, uint64_t address) {
    struct vgpu_allocation a;
    struct vgpu_message array, m;
    if (!vgpu_allocation_at(session->device, address, &a)) {
        VGPU_SAY(&m, FREED_TWICE, .address = address);
        report_misuse(session, &m);
        return;
    }
    say_array(&a, &array);
    if (address != a.address)
        VGPU_SAY(&m, FREED_INSIDE, .address = address,
                 .offset = address - a.address, .array = &array,
                 .start = a.address);
    else
        VGPU_SAY(&m, FREED_FOREIGN, .address = address, .array = &array);
    report_misuse(session, &m);
}

int server_FREE(struct vgpu_session *session, struct server_call *call) {
    uint64_t address = call->request.FREE.address;
    if (address == 0) return 0;
    if (!server_set_remove(&session->allocations, address)) {
        report_bad_free(session, address);
        return CUDA_INVALID_VALUE;
    }
    vgpu_clock_pool(session->device, call->request.FREE.of_stream != 0);
    server_order_goes(session, address, call->request.FREE.of_stream != 0);
    vgpu_status status = vgpu_free(session->device, address);
    if (status == VGPU_OK && vgpu_names_allocations(session->device))
        session->was_freed = address;
    return server_error(status);
}

int server_WRITE(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_WRITE *r = &call->request.WRITE;
    if (r->offset > r->total || call->tail_bytes > r->total - r->offset) {
        server_violation(session, "a chunk outside its copy");
        return CUDA_INVALID_VALUE;
    }
    /* The whole is checked at every chunk: the client is not trusted to have
     * sent the first one. */
    if (!check_range(session, "cudaMemcpy to device", r->to, r->total, true))
        return CUDA_INVALID_VALUE;
    server_order_uses(session, r->to + r->offset, call->tail_bytes,
                      VGPU_USE_WRITE);
    will_copy(session);
    return server_error(vgpu_write(session->device, r->to + r->offset,
                                   call->tail, call->tail_bytes));
}

int server_READ(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_READ *r = &call->request.READ;
    if (r->bytes > VGPU_CHUNK || r->offset > r->total ||
        r->bytes > r->total - r->offset) {
        server_violation(session, "a chunk outside its copy");
        return CUDA_INVALID_VALUE;
    }
    if (!check_range(session, "cudaMemcpy from device", r->from, r->total,
                     false))
        return CUDA_INVALID_VALUE;
    bool is_whole =
        r->call == VGPU_CALL_cudaMemcpy || r->call == VGPU_CALL_cudaMemcpyAsync;
    /* Not when nothing is read, and counted: it would be told all the same. */
    if (r->offset == 0 && r->bytes && is_whole)
        session->was_part =
            vgpu_check_written(session->device, r->from, r->total);
    server_order_uses(session, r->from + r->offset, r->bytes, VGPU_USE_READ);
    vgpu_status status = vgpu_read(session->device, session->out,
                                   r->from + r->offset, (size_t)r->bytes);
    if (status == VGPU_OK) call->reply_tail_bytes = (size_t)r->bytes;
    return server_error(status);
}

static int copy_row(struct vgpu_session *session, uint64_t to, uint64_t from,
                    uint64_t bytes) {
    if (!check_range(session, "cudaMemcpy on the device, source", from, bytes,
                     false) ||
        !check_range(session, "cudaMemcpy on the device, destination", to,
                     bytes, true))
        return CUDA_INVALID_VALUE;
    server_order_uses(session, from, bytes, VGPU_USE_READ);
    server_order_uses(session, to, bytes, VGPU_USE_WRITE);
    will_copy(session);
    return server_error(vgpu_copy(session->device, to, from, (size_t)bytes));
}

/* Row `row` of the destination has a byte of some row of the source. */
static bool row_overlaps(const struct vgpu_request_COPY *r, uint64_t row) {
    uint64_t to = r->to + row * r->to_pitch, to_end = to + r->bytes;
    if (to_end <= r->from) return false;
    /* Of the rows that begin before its end, the last one ends last. */
    uint64_t last = r->from_pitch ? (to_end - 1 - r->from) / r->from_pitch : 0;
    if (last >= r->rows) last = r->rows - 1;
    return r->from + last * r->from_pitch + r->bytes > to;
}

static uint64_t copy_end(uint64_t first, uint64_t pitch,
                         const struct vgpu_request_COPY *r) {
    return first + (r->rows - 1) * pitch + r->bytes - 1;
}

/* CUDA: "The memory areas may not overlap." A copy onto itself changes nothing,
 * in whatever order it is made. */
static void report_overlap(struct vgpu_session *session, const char *name,
                           const struct vgpu_request_COPY *r) {
    struct vgpu_allocation a;
    struct vgpu_message array, m;
    bool is_same =
        r->to == r->from && (r->rows == 1 || r->to_pitch == r->from_pitch);
    bool overlaps = false;
    if (!vgpu_is_checked(session->device, VGPU_CHECK_MEMCHECK)) return;
    for (uint64_t row = 0; !is_same && !overlaps && row < r->rows; row++)
        overlaps = row_overlaps(r, row);
    if (!overlaps || !vgpu_allocation_at(session->device, r->to, &a)) return;
    say_array(&a, &array);
    VGPU_SAY(&m, OVERLAPPING_COPY, .call = name, .from = r->from - a.address,
             .last = copy_end(r->from, r->from_pitch, r) - a.address,
             .at = r->to - a.address,
             .end = copy_end(r->to, r->to_pitch, r) - a.address,
             .array = &array, .size = a.bytes);
    server_report_new(session, server_n_findings(session),
                      VGPU_FINDING_OVERLAPPING_COPY, &m);
}

int server_COPY(struct vgpu_session *session, struct server_call *call) {
    enum { OFTEN = 1 << 16 };
    const struct vgpu_request_COPY *r = &call->request.COPY;
    const char *name = vgpu_call_name(r->call);
    if (!name || (r->rows > 1 && (!r->bytes || r->bytes > r->to_pitch ||
                                  r->bytes > r->from_pitch))) {
        server_violation(session,
                         name ? "rows longer than a pitch" : "no such call");
        return CUDA_INVALID_VALUE;
    }
    for (uint64_t row = 0; row < r->rows; row++) {
        if (row % OFTEN == OFTEN - 1 && vgpu_time_is_over(session->device))
            return CUDA_INVALID_VALUE;
        int error = copy_row(session, r->to + row * r->to_pitch,
                             r->from + row * r->from_pitch, r->bytes);
        if (error) return error;
    }
    if (r->rows && r->bytes) report_overlap(session, name, r);
    return 0;
}

int server_FILL(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_FILL *r = &call->request.FILL;
    const char *name = vgpu_call_name(r->call);
    if (!name) {
        server_violation(session, "no such call");
        return CUDA_INVALID_VALUE;
    }
    if (!check_range(session, name, r->to, r->bytes, true))
        return CUDA_INVALID_VALUE;
    server_order_uses(session, r->to, r->bytes, VGPU_USE_WRITE);
    will_copy(session);
    return server_error(vgpu_fill(session->device, r->to, (int)(r->byte & 255),
                                  (size_t)r->bytes));
}

int server_OUTPUT(struct vgpu_session *session, struct server_call *call) {
    call->reply_tail_bytes = vgpu_take_output(
        session->device, (char *)session->out, sizeof session->out);
    return 0;
}

void server_release_gpu(struct vgpu_session *session, unsigned gpu) {
    struct server_set *set = &session->allocations;
    struct vgpu_allocation a;
    if (session->queue.has_gpus) server_queue_all(session);
    for (size_t i = 0; i < set->n_slots; i++) {
        uint64_t address = set->slots[i];
        if (address <= 1 || !vgpu_allocation_at(session->device, address, &a) ||
            a.gpu != gpu)
            continue;
        server_set_remove(set, address);
        vgpu_free(session->device, address);
    }
    server_unload_gpu(session, gpu);
}

void server_release_all(struct vgpu_session *session) {
    for (unsigned g = 0; g < vgpu_n_gpus(session->device); g++)
        server_release_gpu(session, g);
    server_set_clear(&session->allocations);
}

static const struct {
    vgpu_finding_kind finding;
    vgpu_message_id message;
    uint64_t side; /* of NULL_POINTER */
} misuses[] = {
#define X(name, finding, message, side)                                        \
    {VGPU_FINDING_##finding, VGPU_MESSAGE_##message, VGPU_SIDE_##side},
#include "misuse.def"
#undef X
};

/* cudaMemcpyKind */
static const char *const kinds[] = {
    "cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
    "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

int server_MISUSE(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_MISUSE *r = &call->request.MISUSE;
    const char *name = vgpu_call_name(r->call);
    struct vgpu_message m;
    if (r->misuse >= VGPU_N_MISUSES || !name || r->kind >= N_KINDS) {
        server_violation(session, "no such misuse");
        return CUDA_INVALID_VALUE;
    }
    if (misuses[r->misuse].message == VGPU_MESSAGE_NULL_POINTER) {
        report_null(session, name, misuses[r->misuse].side);
        return 0;
    }
    /* All take the first of these, or more. */
    vgpu_say(&m, misuses[r->misuse].message,
             &(const struct vgpu_arguments_TO_IS_HOST){
                 .call = name, .address = r->address, .kind = kinds[r->kind]});
    server_report_new(session, server_n_findings(session),
                      misuses[r->misuse].finding, &m);
    return 0;
}

int server_FAULT(struct vgpu_session *session, struct server_call *call) {
    const struct vgpu_request_FAULT *r = &call->request.FAULT;
    struct vgpu_allocation a;
    struct vgpu_message array, m;
    if (r->access > 2) {
        server_violation(session, "no such access");
        return CUDA_INVALID_VALUE;
    }
    bool known = vgpu_allocation_at(session->device, r->address, &a);
    uint64_t offset = known ? r->address - a.address : VGPU_ABSENT;
    if (known) say_array(&a, &array);
    if (r->is_managed)
        VGPU_SAY(&m, HOST_ACCESS_MANAGED, .did = r->access,
                 .pointer = r->address, .offset = offset,
                 .array = known ? &array : NULL);
    else if (!known)
        VGPU_SAY(&m, HOST_ACCESS_NONE, .did = r->access, .pointer = r->address);
    else
        VGPU_SAY(&m, HOST_ACCESS, .did = r->access, .pointer = r->address,
                 .offset = offset, .array = &array);
    server_report_new(session, server_n_findings(session),
                      VGPU_FINDING_HOST_ACCESS, &m);
    return 0;
}
