/* SPDX-License-Identifier: MIT
 *
 * trial.c: see trial.h. Operand k of a signature is the register at k * 256.
 */
#include <string.h>

#include "trial.h"

bool trial_is_approximate(const char *form) {
    return strstr(form, "approx") || strstr(form, ".full");
}

uint64_t trial_seed(const char *form) {
    uint64_t h = 14695981039346656037ull;
    for (; *form; form++) h = (h ^ (uint8_t)*form) * 1099511628211ull;
    return h | 1;
}

/* setp of one 16-bit float has no second destination in PTX. */
static bool has_one_half(const char *form) {
    return !strncmp(form, "setp.", 5) && strstr(form, "f16") &&
           !strstr(form, "f16x2");
}

void trial_fill(struct trial *t, const struct alu_row *row, uint64_t *seed) {
    const char *sources = strchr(row->signature, '=') + 1;
    t->n_out =
        has_one_half(row->form) ? 1 : (unsigned)(sources - row->signature - 1);
    t->n_in = 0;
    for (const char *c = sources; *c; c++) {
        if (*c == 'i') continue;
        for (unsigned i = 0; i < FORM_PTX_THREADS; i++)
            t->in[t->n_in][i] =
                vectors_value(seed, row->form, *c == 'c' ? 'p' : *c);
        t->n_in++;
    }
}

static void put_lanes(uint8_t *at, char class, const uint64_t *lanes) {
    uint32_t *w = (uint32_t *)(void *)at;
    uint64_t *d = (uint64_t *)(void *)at;
    if (class != 'w' && class != 'd') *w = 0;
    for (unsigned l = 0; l < VGPU_LANES; l++)
        if (class == 'd')
            d[l] = lanes[l];
        else if (class == 'w')
            w[l] = (uint32_t)lanes[l];
        else
            *w |= (uint32_t)(lanes[l] & 1) << l;
}

static void get_lanes(const uint8_t *at, char class, uint64_t *lanes) {
    const uint32_t *w = (const uint32_t *)(const void *)at;
    const uint64_t *d = (const uint64_t *)(const void *)at;
    for (unsigned l = 0; l < VGPU_LANES; l++)
        lanes[l] = class == 'd' ? d[l] : class == 'w' ? w[l] : *w >> l & 1;
}

void trial_run(struct trial *t, const struct alu_row *row) {
    _Alignas(64) uint8_t registers[TRIAL_MOST * 256];
    struct lane_set on = {.mask = ~0u};
    memset(on.w, 0xff, sizeof on.w);
    memset(on.d, 0xff, sizeof on.d);
    struct alu_operands o = {.immediate = TRIAL_IMMEDIATE};
    for (uint32_t k = 0; k < ALU_MAX_OPERANDS; k++) o.at[k] = k * 256;
    const char *equals = strchr(row->signature, '=');
    for (unsigned w = 0; w < FORM_PTX_THREADS; w += VGPU_LANES) {
        memset(registers, 0, sizeof registers);
        uint8_t *at = registers + 256 * (equals - row->signature);
        unsigned k = 0;
        for (const char *c = equals + 1; *c; c++) {
            if (*c == 'i') continue;
            put_lanes(at, *c, t->in[k++] + w);
            at += 256;
        }
        row_run(row, registers, &o, &on);
        k = 0;
        for (const char *c = row->signature; c < equals; c++, k++)
            get_lanes(registers + 256 * k, *c, t->got[k] + w);
    }
    if (!form_ptx_is_narrow(row)) return;
    for (unsigned i = 0; i < FORM_PTX_THREADS; i++) t->got[0][i] &= 0xffff;
}

uint64_t trial_digest(uint64_t digest, const struct trial *t,
                      uint64_t result[TRIAL_MOST][FORM_PTX_THREADS]) {
    uint64_t h = digest ? digest : 14695981039346656037ull;
    for (unsigned k = 0; k < t->n_out; k++)
        for (unsigned i = 0; i < FORM_PTX_THREADS; i++) {
            h = (h ^ (result[k][i] & 0xffffffffu)) * 1099511628211ull;
            h = (h ^ result[k][i] >> 32) * 1099511628211ull;
            h ^= h >> 29;
        }
    return h;
}
