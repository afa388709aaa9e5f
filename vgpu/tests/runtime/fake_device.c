/* SPDX-License-Identifier: MIT
 *
 * fake_device.c: see fake_device.h. Implements what server and tests call of
 * vgpu.h and device_hooks.h; there is no interpreter here.
 */
#define _GNU_SOURCE /* memmem */
#include "fake_device.h"
#include "device_hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct vgpu_allocation info;
    unsigned char *bytes;
    struct block *next;
};

struct vgpu_device {
    struct block *blocks;
    uint64_t next_address;
    struct vgpu_finding findings[FAKE_FINDINGS];
    size_t n_findings;
    struct fake_record record;
    vgpu_status next_launch;
    bool time_is_over;
    char text[FAKE_TEXT];
    size_t n_text;
};

struct vgpu_module {
    vgpu_device *device;
    struct vgpu_kernel *kernels;
};

struct vgpu_kernel {
    char name[64];
    uint32_t offsets[64], sizes[64], n_params;
    struct vgpu_kernel *next;
};

static const struct vgpu_profile profile = {
    "fake", "for tests", 75,    2,  32, 4,  65536,
    65536,  49152,       65536, 32, 32, 64, 1};

vgpu_device *vgpu_open(const struct vgpu_options *options,
                       vgpu_status *status) {
    (void)options;
    vgpu_device *d = calloc(1, sizeof *d);
    d->next_address = VGPU_ADDRESS_BASE;
    if (status) *status = VGPU_OK;
    return d;
}

void vgpu_close(vgpu_device *d) {
    while (d->blocks) {
        struct block *b = d->blocks;
        d->blocks = b->next;
        free(b->bytes);
        free(b);
    }
    free(d);
}

const char *vgpu_last_message(const vgpu_device *d) {
    (void)d;
    return "the fake device says no";
}

static struct block *find(const vgpu_device *d, uint64_t address) {
    struct block *b = d->blocks;
    while (b && (address < b->info.address ||
                 address > b->info.address + b->info.bytes))
        b = b->next;
    return b;
}

static void *place(const vgpu_device *d, uint64_t address, size_t bytes) {
    struct block *b = find(d, address);
    if (!b || bytes > b->info.bytes - (address - b->info.address)) return NULL;
    return b->bytes + (address - b->info.address);
}

vgpu_status vgpu_malloc(vgpu_device *d, size_t bytes, uint64_t *address) {
    if (bytes > (size_t)profile.memory_mib << 20) return VGPU_OUT_OF_MEMORY;
    struct block *b = calloc(1, sizeof *b);
    b->bytes = malloc(bytes + 1);
    b->info =
        (struct vgpu_allocation){.address = d->next_address, .bytes = bytes};
    d->next_address += (bytes + 511) / 256 * 256;
    b->next = d->blocks;
    d->blocks = b;
    d->record.n_allocations++;
    *address = b->info.address;
    return VGPU_OK;
}

vgpu_status vgpu_free(vgpu_device *d, uint64_t address) {
    struct block **b = &d->blocks;
    while (*b && (*b)->info.address != address) b = &(*b)->next;
    if (!*b) return VGPU_INVALID_POINTER;
    struct block *gone = *b;
    *b = gone->next;
    free(gone->bytes);
    free(gone);
    d->record.n_allocations--;
    return VGPU_OK;
}

vgpu_status vgpu_write(vgpu_device *d, uint64_t to, const void *from,
                       size_t bytes) {
    void *at = place(d, to, bytes);
    if (!at) return bytes ? VGPU_INVALID_POINTER : VGPU_OK;
    memcpy(at, from, bytes);
    return VGPU_OK;
}

vgpu_status vgpu_read(vgpu_device *d, void *to, uint64_t from, size_t bytes) {
    void *at = place(d, from, bytes);
    if (!at) return bytes ? VGPU_INVALID_POINTER : VGPU_OK;
    memcpy(to, at, bytes);
    return VGPU_OK;
}

vgpu_status vgpu_copy(vgpu_device *d, uint64_t to, uint64_t from,
                      size_t bytes) {
    void *a = place(d, to, bytes), *b = place(d, from, bytes);
    if (!a || !b) return bytes ? VGPU_INVALID_POINTER : VGPU_OK;
    memmove(a, b, bytes);
    return VGPU_OK;
}

vgpu_status vgpu_fill(vgpu_device *d, uint64_t to, int byte, size_t bytes) {
    void *at = place(d, to, bytes);
    if (!at) return bytes ? VGPU_INVALID_POINTER : VGPU_OK;
    memset(at, byte, bytes);
    return VGPU_OK;
}

vgpu_status vgpu_own(vgpu_device *d, uint64_t address) {
    find(d, address)->info.is_owned = true;
    return VGPU_OK;
}

vgpu_status vgpu_protect(vgpu_device *d, uint64_t address, bool read_only) {
    find(d, address)->info.is_read_only = read_only;
    return VGPU_OK;
}

vgpu_status vgpu_name(vgpu_device *d, uint64_t address, const char *name) {
    find(d, address)->info.name = name;
    return VGPU_OK;
}

bool vgpu_allocation_at(const vgpu_device *d, uint64_t address,
                        struct vgpu_allocation *out) {
    struct block *b = find(d, address);
    if (b) *out = b->info;
    return b != NULL;
}

static bool contains(const void *bytes, size_t n, const char *word) {
    return n && memmem(bytes, n, word, strlen(word));
}

vgpu_status vgpu_module_load(vgpu_device *d, const void *image, size_t bytes,
                             vgpu_module **module) {
    if (contains(image, bytes, "no ptx")) return VGPU_NO_PTX;
    *module = calloc(1, sizeof **module);
    (*module)->device = d;
    d->record.n_modules++;
    return VGPU_OK;
}

void vgpu_module_unload(vgpu_device *d, vgpu_module *module) {
    while (module->kernels) {
        struct vgpu_kernel *k = module->kernels;
        module->kernels = k->next;
        free(k);
    }
    d->record.n_modules--;
    free(module);
}

vgpu_status vgpu_module_kernel(vgpu_module *module, const char *name,
                               vgpu_kernel **kernel) {
    if (strstr(name, "missing")) return VGPU_INVALID_FUNCTION;
    struct vgpu_kernel *k = calloc(1, sizeof *k);
    snprintf(k->name, sizeof k->name, "%s", name);
    k->n_params = (uint32_t)atoi(name + 1) % 64;
    for (uint32_t i = 0; i < k->n_params; i++) {
        k->offsets[i] = i * 8;
        k->sizes[i] = 8;
    }
    k->next = module->kernels;
    module->kernels = k;
    *kernel = k;
    return VGPU_OK;
}

vgpu_status vgpu_module_symbol(vgpu_module *module, const char *name,
                               uint64_t *address, size_t *bytes) {
    if (strstr(name, "missing")) return VGPU_INVALID_SYMBOL;
    *bytes = 64;
    return vgpu_malloc(module->device, *bytes, address);
}

void vgpu_kernel_info(const vgpu_kernel *k, struct vgpu_kernel_info *info) {
    *info = (struct vgpu_kernel_info){.name = k->name,
                                      .n_params = k->n_params,
                                      .param_bytes = k->n_params * 8,
                                      .param_offset = k->offsets,
                                      .param_size = k->sizes,
                                      .static_smem_bytes = 1024,
                                      .registers = 32,
                                      .max_threads_per_block = 1024};
}

vgpu_status vgpu_kernel_set_max_dynamic_smem(vgpu_kernel *k, size_t bytes) {
    (void)k;
    return bytes > 65536 - 1024 ? VGPU_INVALID_VALUE : VGPU_OK;
}

vgpu_status vgpu_launch(vgpu_device *d, vgpu_kernel *k, const uint32_t grid[3],
                        const uint32_t block[3], size_t dynamic_smem_bytes,
                        const void *params, size_t param_bytes) {
    vgpu_status status = d->next_launch;
    struct fake_launch *last = &d->record.last;
    d->next_launch = VGPU_OK;
    if (block[0] * block[1] * block[2] > 1024 || !block[0] || !grid[0])
        return VGPU_LAUNCH_CONFIG;
    d->record.n_launches++;
    *last = (struct fake_launch){.dynamic_smem_bytes = dynamic_smem_bytes,
                                 .param_bytes = param_bytes};
    memcpy(last->kernel, k->name, sizeof last->kernel);
    memcpy(last->grid, grid, sizeof last->grid);
    memcpy(last->block, block, sizeof last->block);
    if (param_bytes <= sizeof last->params)
        memcpy(last->params, params, param_bytes);
    return status;
}

vgpu_status vgpu_launch_cooperative(vgpu_device *d, vgpu_kernel *k,
                                    const uint32_t grid[3],
                                    const uint32_t block[3],
                                    size_t dynamic_smem_bytes,
                                    const void *params, size_t param_bytes) {
    return vgpu_launch(d, k, grid, block, dynamic_smem_bytes, params,
                       param_bytes);
}

vgpu_status vgpu_texture_new(vgpu_device *d, const struct vgpu_texture *t,
                             uint64_t *handle) {
    (void)d, (void)t, (void)handle;
    return VGPU_UNSUPPORTED;
}

bool vgpu_texture_drop(vgpu_device *d, uint64_t handle) {
    (void)d, (void)handle;
    return false;
}

void vgpu_set_pending(vgpu_device *d, uint64_t most) {
    (void)d;
    (void)most;
}

uint32_t vgpu_kernel_registers(const vgpu_kernel *k) {
    (void)k;
    return 40;
}

int vgpu_max_blocks_per_sm(const vgpu_kernel *k, uint32_t threads,
                           size_t smem) {
    (void)k;
    size_t by_smem = 65536 / (1024 + smem), by_threads = 1024 / threads;
    return (int)(by_smem < by_threads ? by_smem : by_threads);
}

const struct vgpu_profile *vgpu_device_profile(const vgpu_device *d) {
    (void)d;
    return &profile;
}

size_t vgpu_free_bytes(const vgpu_device *d) {
    size_t held = 0;
    for (struct block *b = d->blocks; b; b = b->next) held += b->info.bytes;
    return ((size_t)profile.memory_mib << 20) - held;
}

size_t vgpu_findings(const vgpu_device *d, const struct vgpu_finding **out) {
    *out = d->findings;
    return d->n_findings;
}

void vgpu_reset_findings(vgpu_device *d) {
    d->n_findings = 0;
}

bool vgpu_is_checked(const vgpu_device *d, unsigned check) {
    (void)d;
    return check & VGPU_CHECK_MEMCHECK;
}

void vgpu_report(vgpu_device *d, vgpu_finding_kind kind,
                 const struct vgpu_message *message) {
    if (d->n_findings == FAKE_FINDINGS) return;
    struct vgpu_finding *f = &d->findings[d->n_findings++];
    *f = (struct vgpu_finding){.kind = kind, .message = *message};
}

const struct vgpu_refusal *vgpu_no_room(const vgpu_device *d) {
    static const struct vgpu_refusal none;
    (void)d;
    return &none;
}

bool vgpu_names_launches(const vgpu_device *d) {
    (void)d;
    return false;
}

void vgpu_launched_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)callers;
}

bool vgpu_copies_begin(vgpu_device *d) {
    (void)d;
    return false;
}

void vgpu_copied_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)callers;
}

/* It is never asked for order, and nothing is late. */
void vgpu_host_moves(vgpu_device *d, bool (*may_move)(void *), void *host) {
    (void)d;
    (void)may_move;
    (void)host;
}

vgpu_async vgpu_async_of(const vgpu_device *d, uint64_t *seed) {
    (void)d;
    *seed = 0;
    return VGPU_ASYNC_IN_ORDER;
}

void vgpu_set_cluster(vgpu_device *d, const uint32_t cluster[3]) {
    (void)d;
    (void)cluster;
}

void vgpu_kernel_allow_large_clusters(vgpu_kernel *k, bool allowed) {
    (void)k;
    (void)allowed;
}

vgpu_status vgpu_max_clusters(const vgpu_kernel *k, const uint32_t cluster[3],
                              uint32_t threads, size_t dynamic, int *clusters,
                              int *most) {
    (void)k;
    (void)cluster;
    (void)threads;
    (void)dynamic;
    *clusters = *most = 0;
    return VGPU_OK;
}

bool vgpu_may_launch(vgpu_device *d, vgpu_kernel *k, const uint32_t grid[3],
                     const uint32_t block[3], size_t dynamic) {
    (void)d;
    (void)k;
    (void)grid;
    (void)block;
    (void)dynamic;
    return false;
}

bool vgpu_last_used(const vgpu_device *d, size_t k, struct vgpu_used *out) {
    (void)d;
    (void)k;
    (void)out;
    return false;
}

bool vgpu_last_used_is_cut(const vgpu_device *d) {
    (void)d;
    return false;
}

const char *vgpu_last_kernel(vgpu_device *d) {
    (void)d;
    return NULL;
}

void vgpu_report_order(vgpu_device *d, const struct vgpu_finding *f) {
    (void)d;
    (void)f;
}

void vgpu_order_incomplete(vgpu_device *d, const char *reason,
                           const char *mend) {
    (void)d;
    (void)reason;
    (void)mend;
}

bool vgpu_names_allocations(const vgpu_device *d) {
    (void)d;
    return false;
}

void vgpu_allocated_from(vgpu_device *d, uint64_t address,
                         const uint64_t callers[VGPU_CALLERS]) {
    (void)d, (void)address, (void)callers;
}

void vgpu_freed_from(vgpu_device *d, uint64_t address,
                     const uint64_t callers[VGPU_CALLERS]) {
    (void)d, (void)address, (void)callers;
}

bool vgpu_fails_call(vgpu_device *d, const char *call, bool has_other_way) {
    (void)d;
    (void)call;
    (void)has_other_way;
    return false;
}

bool vgpu_lists_calls(const vgpu_device *d) {
    (void)d;
    return false;
}

void vgpu_failed_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)callers;
}

void vgpu_forget_fault(vgpu_device *d) {
    (void)d;
}

void vgpu_call_failed(vgpu_device *d, const char *call, int error,
                      const char *text, const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)call;
    (void)error;
    (void)text;
    (void)callers;
}

void vgpu_refused_from(vgpu_device *d, const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)callers;
}

void vgpu_found_from(vgpu_device *d, size_t first,
                     const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)first;
    (void)callers;
}

bool vgpu_check_written(vgpu_device *d, uint64_t from, uint64_t bytes) {
    (void)d;
    (void)from;
    (void)bytes;
    return false;
}

void vgpu_part_written_from(vgpu_device *d,
                            const uint64_t callers[VGPU_CALLERS]) {
    (void)d;
    (void)callers;
}

void vgpu_flight_launched_from(vgpu_device *d, unsigned gpu,
                               const uint64_t *callers, size_t n) {
    (void)d;
    (void)gpu;
    (void)callers;
    (void)n;
}

void vgpu_library_launched_from(vgpu_device *d, size_t first,
                                const uint64_t *callers, size_t n) {
    (void)d;
    (void)first;
    (void)callers;
    (void)n;
}

bool vgpu_wants_launch(const struct vgpu_finding *f) {
    (void)f;
    return false;
}

bool vgpu_time_is_over(vgpu_device *d) {
    return d->time_is_over;
}

void fake_end_time(vgpu_device *d) {
    d->time_is_over = true;
}

size_t vgpu_output_bytes(const vgpu_device *d) {
    return d->n_text;
}

size_t vgpu_take_output(vgpu_device *d, char *to, size_t capacity) {
    size_t n = d->n_text < capacity ? d->n_text : capacity;
    memcpy(to, d->text, n);
    memmove(d->text, d->text + n, d->n_text - n);
    d->n_text -= n;
    return n;
}

struct fake_record fake_record(const vgpu_device *d) {
    return d->record;
}
void fake_next_launch(vgpu_device *d, vgpu_status s) {
    d->next_launch = s;
}

void fake_print(vgpu_device *d, const char *text, size_t bytes) {
    if (bytes > FAKE_TEXT - d->n_text) bytes = FAKE_TEXT - d->n_text;
    memcpy(d->text + d->n_text, text, bytes);
    d->n_text += bytes;
}

/* There is no file that host code could map. */
vgpu_status vgpu_malloc_mapped(vgpu_device *d, size_t bytes, bool is_host,
                               uint64_t *address) {
    (void)d;
    (void)bytes;
    (void)is_host;
    (void)address;
    return VGPU_UNSUPPORTED;
}

bool vgpu_charge(vgpu_device *device, uint64_t bytes, const char *what) {
    (void)device, (void)bytes, (void)what;
    return true;
}

void vgpu_discharge(vgpu_device *device, uint64_t bytes) {
    (void)device, (void)bytes;
}

/* ---- model time: none ---- */

bool vgpu_has_clock(const vgpu_device *d) {
    (void)d;
    return false;
}

void vgpu_clock_wait(vgpu_device *d) {
    (void)d;
}

uint64_t vgpu_clock_asks(vgpu_device *d, enum vgpu_asks what) {
    (void)d, (void)what;
    return 0;
}

void vgpu_clock_may_begin(vgpu_device *d, uint64_t time) {
    (void)d, (void)time;
}

uint64_t vgpu_clock_ends(const vgpu_device *d, unsigned gpu) {
    (void)d, (void)gpu;
    return 0;
}

void vgpu_clock_awaits(vgpu_device *d, uint64_t time) {
    (void)d, (void)time;
}

uint64_t vgpu_clock_event_takes(const vgpu_device *d) {
    (void)d;
    return 0;
}

uint64_t vgpu_clock_event_hops(const vgpu_device *d) {
    (void)d;
    return 0;
}

void vgpu_clock_pool(vgpu_device *d, bool of_stream) {
    (void)d, (void)of_stream;
}

uint64_t vgpu_clock_event(vgpu_device *d) {
    (void)d;
    return 0;
}

/* One GPU. */
unsigned vgpu_n_gpus(const vgpu_device *d) {
    (void)d;
    return 1;
}

bool vgpu_set_gpu(vgpu_device *d, unsigned gpu) {
    (void)d;
    return gpu == 0;
}

unsigned vgpu_gpu(const vgpu_device *d) {
    (void)d;
    return 0;
}

void vgpu_reach(vgpu_device *d, unsigned gpu, unsigned peer, bool may) {
    (void)d;
    (void)gpu;
    (void)peer;
    (void)may;
}

vgpu_status vgpu_flight_begin(vgpu_device *d, vgpu_kernel *k,
                              const uint32_t grid[3], const uint32_t block[3],
                              size_t dynamic, const void *params,
                              size_t param_bytes, bool cooperative) {
    (void)cooperative;
    return vgpu_launch(d, k, grid, block, dynamic, params, param_bytes);
}

bool vgpu_flies(const vgpu_device *d, unsigned gpu) {
    (void)d;
    (void)gpu;
    return false;
}

int vgpu_flights_run(vgpu_device *d, bool is_last) {
    (void)d;
    (void)is_last;
    return -1;
}

vgpu_status vgpu_flight_end(vgpu_device *d, unsigned gpu) {
    (void)d;
    (void)gpu;
    return VGPU_OK;
}
