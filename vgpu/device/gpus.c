/* SPDX-License-Identifier: MIT
 *
 * gpus.c: a machine with several GPUs: which one is meant, whose memory a GPU
 * may use, and launches that run at the same time (one of each GPU).
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "device_hooks.h"
#include "kin.h"

unsigned vgpu_n_gpus(const vgpu_device *d) {
    return d->n_gpus;
}

bool vgpu_set_gpu(vgpu_device *d, unsigned gpu) {
    if (gpu < d->n_gpus) d->memory.gpu = gpu;
    return gpu < d->n_gpus;
}

unsigned vgpu_gpu(const vgpu_device *d) {
    return d->memory.gpu;
}

void vgpu_reach(vgpu_device *d, unsigned gpu, unsigned peer, bool may) {
    uint8_t bit = (uint8_t)(1u << peer);
    if (gpu == peer || gpu >= d->n_gpus || peer >= d->n_gpus) return;
    d->memory.peers[gpu] =
        (uint8_t)(may ? d->memory.peers[gpu] | bit
                      : d->memory.peers[gpu] & (uint8_t)~bit);
}

/* ---- launches that run at the same time ---- */

static uint32_t flights_of(const vgpu_device *d,
                           struct flight *list[VGPU_MOST_GPUS]) {
    uint32_t n = 0;
    for (unsigned g = 0; g < d->n_gpus; g++)
        if (d->flights[g]) list[n++] = &d->flights[g]->flight;
    return n;
}

static struct launch *flight_new(vgpu_device *d, vgpu_kernel *k,
                                 const void *params, size_t bytes) {
    struct launch *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->device = d;
    l->kernel = k;
    l->params = malloc(bytes + 1);
    if (l->params && bytes) memcpy(l->params, params, bytes);
    return l;
}

static void flight_free(struct launch *l) {
    free(l->params);
    if (l->uses) uses_free(l->uses);
    free(l);
}

/* Beside the others: blocks get numbers that none of theirs has. */
static void take_off(vgpu_device *d, struct launch *l) {
    struct flight *others[VGPU_MOST_GPUS];
    uint32_t n = flights_of(d, others);
    struct machine *m = &l->machine;
    if (!n) d->n_flown = 0;
    m->beside = n ? others[0]->machine : NULL;
    m->first_block = d->n_flown;
    d->n_flown += l->n_blocks;
    if (d->uses) m->slots[OBSERVER_USES] = l->uses;
    m->slots[OBSERVER_STEPS] = NULL; /* it would mix the threads of both */
    d->memory.launching = true;
    flight_begin(&l->flight, m);
    d->flights[m->gpu] = l;
}

vgpu_status vgpu_flight_begin(vgpu_device *d, vgpu_kernel *k,
                              const uint32_t grid[3], const uint32_t block[3],
                              size_t dynamic, const void *params,
                              size_t param_bytes, bool cooperative) {
    struct launch *l = flight_new(d, k, params, param_bytes);
    asked_for_more(d);
    if (!l || !l->params) {
        free(l);
        return device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    }
    vgpu_status s = launch_prepare(l, grid, block, dynamic, l->params,
                                   param_bytes, cooperative);
    if (s == VGPU_OK && d->uses && !(l->uses = uses_new(&d->memory.charges)))
        s = device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    if (s == VGPU_OK && !kin_begin(l))
        s = device_fail(d, VGPU_OUT_OF_MEMORY, "out of memory");
    if (s == VGPU_OK)
        take_off(d, l);
    else
        flight_free(l);
    return s;
}

bool vgpu_flies(const vgpu_device *d, unsigned gpu) {
    return d->flights[gpu] != NULL;
}

static int one_over(const vgpu_device *d) {
    for (unsigned g = 0; g < d->n_gpus; g++)
        if (d->flights[g] && flight_is_over(&d->flights[g]->flight))
            return (int)g;
    return -1;
}

int vgpu_flights_run(vgpu_device *d, bool is_last) {
    struct flight *list[VGPU_MOST_GPUS];
    unsigned gpu = d->memory.gpu;
    uint32_t n = flights_of(d, list);
    int over = one_over(d);
    if (over >= 0 || !n) return over;
    bool ran = flights_run(list, n);
    if (!ran && is_last) flights_are_stuck(list, n);
    d->memory.gpu = gpu;
    return one_over(d);
}

/* After a fault nothing goes on. */
static void end_others(vgpu_device *d, vgpu_status s) {
    for (unsigned g = 0; g < d->n_gpus; g++)
        if (d->flights[g] && d->flights[g]->machine.status == VGPU_OK)
            d->flights[g]->machine.status = s;
}

vgpu_status vgpu_flight_end(vgpu_device *d, unsigned gpu) {
    struct launch *l = d->flights[gpu];
    struct flight *others[VGPU_MOST_GPUS];
    if (!l) return VGPU_OK;
    flight_end(&l->flight);
    d->flights[gpu] = NULL;
    d->memory.launching = flights_of(d, others) > 0;
    for (unsigned g = 0; g < d->n_gpus; g++)
        if (d->flights[g] && d->flights[g]->machine.beside == &l->machine)
            d->flights[g]->machine.beside = NULL;
    kin_grid_ended(l);
    vgpu_status s = launch_done(l);
    if (s == VGPU_OK) s = kin_run(l);
    kin_end(l);
    d->memory.launching = flights_of(d, others) > 0;
    if (s != VGPU_OK) end_others(d, s);
    if (d->uses) uses_free(d->uses);
    if (d->uses) d->uses = l->uses;
    l->uses = NULL;
    flight_free(l);
    return s;
}

void vgpu_flights_stop(vgpu_device *d) {
    for (unsigned g = 0; g < d->n_gpus; g++) vgpu_flight_end(d, g);
}

vgpu_status vgpu_launch_beside(vgpu_device *d, const struct vgpu_beside *list,
                               size_t n, const uint32_t grid[3],
                               const uint32_t block[3]) {
    vgpu_status s = VGPU_OK, ended;
    for (size_t k = 0; k < n && s == VGPU_OK; k++)
        s = vgpu_flight_begin(d, list[k].kernel, grid, block, 0, list[k].params,
                              list[k].param_bytes, false);
    for (int gpu; (gpu = vgpu_flights_run(d, true)) >= 0;) {
        ended = vgpu_flight_end(d, (unsigned)gpu);
        if (s == VGPU_OK) s = ended;
    }
    return s;
}
