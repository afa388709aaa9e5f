/* SPDX-License-Identifier: MIT
 *
 * device_buffers.c: see device_buffers.h.
 */
#include "device_buffers.h"

static size_t bytes_of(const struct device_buffers *c, enum buffer b) {
    return element_words(signature_element(c->signature, b)) * sizeof(int32_t);
}

/* What findings call the buffer. */
static const char *name_of(const struct device_buffers *c, enum buffer b,
                           size_t part) {
    static const char *const whole[N_BUFFERS] = {"d_in", "d_in2", "d_out",
                                                 "d_out2"};
    static const char *const in[WIRE_PARTS] = {"d_in[0]", "d_in[1]", "d_in[2]",
                                               "d_in[3]", "d_in[4]", "d_in[5]",
                                               "d_in[6]", "d_in[7]"};
    static const char *const out[WIRE_PARTS] = {
        "d_out[0]", "d_out[1]", "d_out[2]", "d_out[3]",
        "d_out[4]", "d_out[5]", "d_out[6]", "d_out[7]"};
    return !parts_has(c->signature) ? whole[b]
           : b == BUFFER_IN         ? in[part]
                                    : out[part];
}

/* For no elements: the address just past a small allocation, so that the
 * pointer is a real one and every access through it is out of bounds. */
static vgpu_status open_buffer(struct device_buffers *c, size_t part,
                               enum buffer b, size_t misalign) {
    struct device_part *p = &c->parts[part];
    size_t bytes = bytes_of(c, b), shift = (misalign + (p->n == 0)) * bytes;
    if (bytes == 0) return VGPU_OK;
    vgpu_status status =
        vgpu_malloc(c->device, shift + p->n * bytes, &p->base[b]);
    if (status != VGPU_OK) return status;
    /* Of no elements, [-1] is as far outside as [0]. */
    p->first[b] = p->base[b] + shift + (p->n == 0 ? bytes : 0);
    status = vgpu_own(c->device, p->base[b]);
    if (status == VGPU_OK)
        status = vgpu_name_elements(c->device, p->base[b], name_of(c, b, part),
                                    p->first[b], (uint32_t)bytes);
    return status;
}

static vgpu_status open_part(struct device_buffers *c, size_t part,
                             size_t misalign) {
    /* Outputs first: addresses grow with the order, and stay the same. */
    static const enum buffer order[] = {BUFFER_OUT, BUFFER_OUT2, BUFFER_IN,
                                        BUFFER_IN2};
    struct device_part *p = &c->parts[part];
    vgpu_status status = VGPU_OK;
    for (int i = 0; i < N_BUFFERS && status == VGPU_OK; i++)
        if (order[i] != BUFFER_IN || !c->in_place)
            status = open_buffer(c, part, order[i], misalign);
    if (c->in_place) p->first[BUFFER_IN] = p->first[BUFFER_OUT];
    return status;
}

static void cut_into_parts(struct device_buffers *c,
                           const struct parameters *given) {
    struct parameters usual;
    size_t lengths[WIRE_PARTS] = {c->n}, from = 0;
    parameters_usual(&usual);
    if (!given) given = &usual;
    c->n_parts = parts_count(c->signature, given);
    if (parts_has(c->signature))
        parts_cut(c->n, c->n_parts, given->value[PARAMETER_cut], lengths);
    for (size_t p = 0; p < c->n_parts; p++) {
        c->parts[p] = (struct device_part){.n = lengths[p], .from = from};
        from += lengths[p];
    }
}

vgpu_status device_buffers_open(struct device_buffers *c, vgpu_device *device,
                                int signature, size_t n, size_t misalign,
                                bool in_place,
                                const struct parameters *parameters) {
    vgpu_status status = VGPU_OK;
    unsigned gpu = vgpu_gpu(device); /* that the program has chosen */
    *c = (struct device_buffers){
        .device = device, .signature = signature, .n = n, .in_place = in_place};
    cut_into_parts(c, parameters);
    for (size_t p = 0; p < c->n_parts && status == VGPU_OK; p++) {
        if (parts_has(signature)) vgpu_set_gpu(device, (unsigned)p);
        status = open_part(c, p, misalign);
    }
    vgpu_set_gpu(device, gpu);
    if (status != VGPU_OK) device_buffers_close(c);
    return status;
}

void device_buffers_close(struct device_buffers *c) {
    for (size_t p = 0; p < c->n_parts; p++)
        for (int b = 0; b < N_BUFFERS; b++) {
            uint64_t *base = &c->parts[p].base[b];
            if (*base) vgpu_free(c->device, *base);
            *base = 0;
        }
}

static vgpu_status poison_output(struct device_buffers *c,
                                 const struct device_part *p, enum buffer b,
                                 int32_t poison) {
    enum { WORDS = 4096 };
    size_t bytes = p->n * bytes_of(c, b);
    int32_t part[WORDS];
    vgpu_status status = VGPU_OK;
    for (size_t i = 0; i < WORDS; i++) part[i] = poison;
    for (size_t at = 0; at < bytes && status == VGPU_OK; at += sizeof part)
        status =
            vgpu_write(c->device, p->first[b] + at, part,
                       bytes - at < sizeof part ? bytes - at : sizeof part);
    if (status == VGPU_OK)
        status = vgpu_mark_uninitialised(c->device, p->first[b], bytes);
    return status;
}

/* Words before the part's first among those of all inputs or outputs. */
static size_t offset_of(const struct device_buffers *c,
                        const struct device_part *p, enum buffer b) {
    return signature_offset(c->signature, b, c->n) +
           p->from * element_words(signature_element(c->signature, b));
}

/* One element's number is that in the whole array. */
static vgpu_status mark_input(struct device_buffers *c,
                              const struct device_part *p, enum buffer b,
                              struct marked_input marked) {
    size_t e = marked.element - 1 - p->from, bytes = bytes_of(c, b);
    if (marked.element)
        return b == BUFFER_IN && marked.element > p->from && e < p->n
                   ? vgpu_mark_data(c->device, p->first[b] + e * bytes, bytes)
                   : VGPU_OK;
    return marked.all ? vgpu_mark_data(c->device, p->first[b], p->n * bytes)
                      : VGPU_OK;
}

static vgpu_status fill_input(struct device_buffers *c,
                              const struct device_part *p, enum buffer b,
                              const int32_t *in, struct marked_input marked) {
    size_t bytes = p->n * bytes_of(c, b);
    vgpu_status status = VGPU_OK;
    if (p->n) {
        in += offset_of(c, p, b);
        status = vgpu_write(c->device, p->first[b], in, bytes);
        if (status == VGPU_OK) status = mark_input(c, p, b, marked);
    }
    if (status == VGPU_OK && p->base[b])
        status = vgpu_protect(c->device, p->base[b], true);
    return status;
}

static bool has(const struct device_buffers *c, enum buffer b) {
    return bytes_of(c, b) > 0;
}

static vgpu_status fill_part(struct device_buffers *c,
                             const struct device_part *p, const int32_t *in,
                             int32_t poison, struct marked_input marked) {
    vgpu_status status = VGPU_OK;
    for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++)
        if (status == VGPU_OK && has(c, b) && p->n &&
            !(c->in_place && b == BUFFER_OUT))
            status = poison_output(c, p, b, poison);
    for (enum buffer b = BUFFER_IN; b <= BUFFER_IN2; b++)
        if (status == VGPU_OK && has(c, b))
            status = fill_input(c, p, b, in, marked);
    return status;
}

vgpu_status device_buffers_fill(struct device_buffers *c, const int32_t *in,
                                int32_t poison, struct marked_input marked) {
    vgpu_status status = VGPU_OK;
    for (size_t p = 0; p < c->n_parts && status == VGPU_OK; p++)
        status = fill_part(c, &c->parts[p], in, poison, marked);
    vgpu_clock_cool(c->device); /* as `scanlab bench` on a GPU */
    vgpu_reset_counts(c->device);
    vgpu_reset_findings(c->device);
    return status;
}

vgpu_status device_buffers_output(const struct device_buffers *c,
                                  int32_t *out) {
    vgpu_status status = VGPU_OK;
    for (size_t i = 0; i < c->n_parts; i++) {
        const struct device_part *p = &c->parts[i];
        for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++)
            if (status == VGPU_OK && p->n && has(c, b))
                status = vgpu_read(c->device, out + offset_of(c, p, b),
                                   p->first[b], p->n * bytes_of(c, b));
    }
    return status;
}

size_t device_buffers_marked(const struct device_buffers *c) {
    size_t marked = 0;
    for (size_t i = 0; i < c->n_parts; i++) {
        const struct device_part *p = &c->parts[i];
        for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++)
            for (size_t at = 0; has(c, b) && at < p->n * bytes_of(c, b);
                 at += sizeof(int32_t))
                marked += vgpu_data_bytes(c->device, p->first[b] + at,
                                          sizeof(int32_t)) > 0;
    }
    return marked;
}

uint64_t device_buffers_word(const struct device_buffers *c, size_t word) {
    const struct device_part *p = &c->parts[0];
    for (size_t i = 1; i < c->n_parts; i++)
        if (c->parts[i].n && c->parts[i].from <= word) p = &c->parts[i];
    size_t before = offset_of(c, p, BUFFER_OUT);
    return p->first[BUFFER_OUT] + (word - before) * sizeof(int32_t);
}
