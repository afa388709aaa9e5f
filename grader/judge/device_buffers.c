/* SPDX-License-Identifier: MIT
 *
 * device_buffers.c: see device_buffers.h.
 */
#include "device_buffers.h"

static size_t bytes_of(const struct device_buffers *c, enum buffer b) {
    return element_words(signature_element(c->signature, b)) * sizeof(int32_t);
}

/* For no elements: the address just past a small allocation, so that the
 * pointer is a real one and every access through it is out of bounds. */
static vgpu_status open_buffer(struct device_buffers *c, enum buffer b,
                               size_t misalign) {
    static const char *const names[N_BUFFERS] = {"d_in", "d_in2", "d_out",
                                                 "d_out2"};
    size_t bytes = bytes_of(c, b), shift = (misalign + (c->n == 0)) * bytes;
    if (bytes == 0) return VGPU_OK;
    vgpu_status status =
        vgpu_malloc(c->device, shift + c->n * bytes, &c->base[b]);
    if (status != VGPU_OK) return status;
    /* Of no elements, [-1] is as far outside as [0]. */
    c->first[b] = c->base[b] + shift + (c->n == 0 ? bytes : 0);
    status = vgpu_own(c->device, c->base[b]);
    if (status == VGPU_OK)
        status = vgpu_name_elements(c->device, c->base[b], names[b],
                                    c->first[b], (uint32_t)bytes);
    return status;
}

vgpu_status device_buffers_open(struct device_buffers *c, vgpu_device *device,
                                int signature, size_t n, size_t misalign,
                                bool in_place) {
    /* Outputs first: addresses grow with the order, and stay the same. */
    static const enum buffer order[] = {BUFFER_OUT, BUFFER_OUT2, BUFFER_IN,
                                        BUFFER_IN2};
    vgpu_status status = VGPU_OK;
    *c = (struct device_buffers){
        .device = device, .signature = signature, .n = n, .in_place = in_place};
    for (int i = 0; i < N_BUFFERS && status == VGPU_OK; i++)
        if (order[i] != BUFFER_IN || !in_place)
            status = open_buffer(c, order[i], misalign);
    if (in_place) c->first[BUFFER_IN] = c->first[BUFFER_OUT];
    if (status != VGPU_OK) device_buffers_close(c);
    return status;
}

void device_buffers_close(struct device_buffers *c) {
    for (int b = 0; b < N_BUFFERS; b++) {
        if (c->base[b]) vgpu_free(c->device, c->base[b]);
        c->base[b] = 0;
    }
}

static vgpu_status poison_output(struct device_buffers *c, enum buffer b,
                                 int32_t poison) {
    enum { WORDS = 4096 };
    size_t bytes = c->n * bytes_of(c, b);
    int32_t part[WORDS];
    vgpu_status status = VGPU_OK;
    for (size_t i = 0; i < WORDS; i++) part[i] = poison;
    for (size_t at = 0; at < bytes && status == VGPU_OK; at += sizeof part)
        status =
            vgpu_write(c->device, c->first[b] + at, part,
                       bytes - at < sizeof part ? bytes - at : sizeof part);
    if (status == VGPU_OK)
        status = vgpu_mark_uninitialised(c->device, c->first[b], bytes);
    return status;
}

static vgpu_status fill_input(struct device_buffers *c, enum buffer b,
                              const int32_t *in, bool counts_data) {
    size_t bytes = c->n * bytes_of(c, b);
    in += signature_offset(c->signature, b, c->n);
    vgpu_status status = vgpu_write(c->device, c->first[b], in, bytes);
    if (status == VGPU_OK && counts_data)
        status = vgpu_mark_data(c->device, c->first[b], bytes);
    if (status == VGPU_OK && c->base[b])
        status = vgpu_protect(c->device, c->base[b], true);
    return status;
}

static bool has(const struct device_buffers *c, enum buffer b) {
    return bytes_of(c, b) > 0;
}

vgpu_status device_buffers_fill(struct device_buffers *c, const int32_t *in,
                                int32_t poison, bool counts_data) {
    vgpu_status status = VGPU_OK;
    for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++)
        if (status == VGPU_OK && has(c, b) && c->n &&
            !(c->in_place && b == BUFFER_OUT))
            status = poison_output(c, b, poison);
    for (enum buffer b = BUFFER_IN; b <= BUFFER_IN2; b++)
        if (status == VGPU_OK && has(c, b)) {
            if (c->n)
                status = fill_input(c, b, in, counts_data);
            else if (c->base[b])
                status = vgpu_protect(c->device, c->base[b], true);
        }
    vgpu_clock_cool(c->device); /* as `scanlab bench` on a GPU */
    vgpu_reset_counts(c->device);
    vgpu_reset_findings(c->device);
    return status;
}

vgpu_status device_buffers_output(const struct device_buffers *c,
                                  int32_t *out) {
    vgpu_status status = VGPU_OK;
    for (enum buffer b = BUFFER_OUT; b <= BUFFER_OUT2; b++)
        if (status == VGPU_OK && c->n && has(c, b))
            status = vgpu_read(c->device,
                               out + signature_offset(c->signature, b, c->n),
                               c->first[b], c->n * bytes_of(c, b));
    return status;
}
