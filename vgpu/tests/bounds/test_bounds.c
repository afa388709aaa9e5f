/* SPDX-License-Identifier: MIT
 *
 * test_bounds.c: accesses at addresses that a hostile program would take: next
 * to the ends of every array and window, of 32 and of 64 bits, with strides
 * that wrap around. A launch succeeds only if each lane's bytes lie in memory
 * that is the program's; if they do, and are aligned, it does. Under
 * AddressSanitizer an access that leaves the memory behind an array ends the
 * test as well.
 *
 *   bounds_test ROUNDS [SEED]     of each form: all corners under two ways to
 *                                 run, ROUNDS drawn accesses under each of six
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h" /* the windows of generic addresses */
#include "text.h"
#include "vgpu.h"

enum {
    LANES = 32,
    BUFFER = 4096,
    SHARED_STATIC = 512,
    SHARED_DYNAMIC = 64,
    SHARED_ALL = SHARED_STATIC + SHARED_DYNAMIC,
    LOCAL_ARRAY = 256,
    MOST_OFFSET = 16
};

enum space { GLOBAL, GENERIC, SHARED, SHARED_32, LOCAL };

static const struct form {
    enum space space;
    uint32_t bytes;
    bool writes;
    const char *text;
} forms[] = {
#define X(space, bytes, writes, text) {space, bytes, writes, text},
#include "forms.def"
#undef X
};
enum { N_FORMS = sizeof forms / sizeof *forms, N_OFFSETS = 3 };
static const int offsets[N_OFFSETS] = {0, MOST_OFFSET, -MOST_OFFSET};

static const struct vgpu_options ways[] = {
    {.checks = 0},
    {.checks = VGPU_CHECK_ALL},
    {.checks = VGPU_CHECK_ALL, .steps = true},
    {.checks = VGPU_CHECK_ALL, .schedule = VGPU_RANDOM, .schedule_seed = 7},
    {.checks = VGPU_CHECK_ALL,
     .memory_model = VGPU_MEMORY_WEAK,
     .memory_seed = 3,
     .schedule = VGPU_REVERSE},
    {.checks = 0, .clock = "h200", .profile = "h200", .why = true},
};
enum { N_WAYS = sizeof ways / sizeof *ways, WAYS_WITH_CORNERS = 2 };

static uint64_t state;

static uint64_t draw(void) { /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* An address near the place: mostly a whole number of accesses away, from four
 * before to four behind, so that many of them touch the place's edge. */
static uint64_t beside(uint64_t place, uint32_t bytes) {
    if (draw() % 4) return place + (draw() % 9 - 4) * bytes;
    return place + draw() % 65 - 32;
}

/* An address from which a mistake in a bound would be seen. */
static uint64_t draw_address(uint32_t bytes, uint64_t buffer) {
    const uint64_t places[] = {0,
                               buffer,
                               buffer + BUFFER,
                               buffer + draw() % BUFFER,
                               SHARED_STATIC,
                               SHARED_ALL,
                               draw() % SHARED_ALL,
                               draw() % LOCAL_ARRAY,
                               LOCAL_ARRAY,
                               SHARED_WINDOW,
                               SHARED_WINDOW + SHARED_ALL,
                               SHARED_WINDOW + draw() % SHARED_ALL,
                               LOCAL_WINDOW,
                               LOCAL_WINDOW + LOCAL_ARRAY,
                               LOCAL_WINDOW + draw() % LOCAL_ARRAY,
                               PARAM_WINDOW,
                               PARAM_WINDOW + draw() % 64,
                               FUNCTION_WINDOW,
                               VGPU_ADDRESS_BASE,
                               VGPU_ADDRESS_LIMIT,
                               1ull << 31,
                               1ull << 32,
                               1ull << 40,
                               1ull << 63,
                               ~0ull << 48 | SHARED_WINDOW,
                               ~0ull << 48 | LOCAL_WINDOW,
                               ~0ull << 48 | buffer,
                               ~WINDOW_MASK,
                               draw()};
    return beside(places[draw() % (sizeof places / sizeof *places)], bytes);
}

/* One that all lanes may well access. */
static uint64_t draw_inside(enum space space, uint64_t buffer) {
    uint64_t least = space == GLOBAL    ? buffer
                     : space != GENERIC ? 0
                     : draw() % 2       ? buffer
                                        : SHARED_WINDOW;
    return least + (draw() % LOCAL_ARRAY & ~15ull);
}

static uint64_t draw_stride(uint32_t bytes) {
    const uint64_t strides[] = {bytes,
                                bytes,
                                bytes,
                                0,
                                -(uint64_t)bytes,
                                2 * bytes,
                                16,
                                1,
                                1ull << 27,
                                1ull << 31,
                                1ull << 32,
                                1ull << 59,
                                1ull << 63,
                                SHARED_WINDOW,
                                WINDOW_MASK,
                                draw() & ~15ull};
    return strides[draw() % (sizeof strides / sizeof *strides)];
}

static uint32_t draw_lanes(void) {
    const uint32_t sets[] = {~0u,     ~0u, 1u << draw() % LANES, 0xffffu,
                             ~1u,     1u,  (uint32_t)draw(),     0x80000001u,
                             1u << 31};
    uint32_t lanes = sets[draw() % (sizeof sets / sizeof *sets)];
    return lanes ? lanes : 1;
}

/* One kernel for each form and offset: lane l of `lanes` accesses
 * address + l * stride + offset. */
static void print_kernel(struct text *t, size_t form, size_t offset) {
    const struct form *f = &forms[form];
    char place[32], access[128];
    snprintf(place, sizeof place, "[%s%+d]",
             f->space == SHARED_32 ? "%narrow" : "%wide", offsets[offset]);
    const char *at = strstr(f->text, "[%a]");
    snprintf(access, sizeof access, "%.*s%s%s", (int)(at - f->text), f->text,
             place, at + strlen("[%a]"));
    text_add(t,
             ".visible .entry k%zu_%zu(.param .u64 a, .param .u64 s,\n"
             "  .param .u64 m, .param .u64 b)\n{\n"
             ".reg .pred %%p; .reg .b16 %%h;\n"
             ".reg .b32 %%x, %%x1, %%x2, %%x3, %%lane, %%on, %%narrow, "
             "%%own;\n"
             ".reg .b64 %%y, %%wide, %%stride, %%lanes, %%buffer, %%l;\n"
             ".shared .align 16 .b8 array[%d];\n"
             ".local .align 16 .b8 mine[%d];\n"
             "mov.u32 %%lane, %%tid.x; cvt.u64.u32 %%l, %%lane;\n"
             "mov.u32 %%own, array;\n"
             "ld.param.u64 %%wide, [a]; ld.param.u64 %%stride, [s];\n"
             "ld.param.u64 %%lanes, [m]; ld.param.u64 %%buffer, [b];\n"
             "mad.lo.u64 %%wide, %%l, %%stride, %%wide;\n"
             "cvt.u32.u64 %%narrow, %%wide;\n"
             "mov.u32 %%x, 1; mov.u64 %%y, 2; mov.u16 %%h, 3;\n"
             "shr.u64 %%lanes, %%lanes, %%lane;\n"
             "cvt.u32.u64 %%on, %%lanes; and.b32 %%on, %%on, 1;\n"
             "setp.eq.u32 %%p, %%on, 0;\n@%%p bra END;\n"
             "%s\nEND:\nret;\n}\n",
             form, offset, SHARED_STATIC, LOCAL_ARRAY, access);
}

/* Where the bytes would lie, if anywhere. A shared or local address may be one
 * of the generic window: which bits a program put there is its own affair. */
static bool is_inside(enum space space, uint64_t a, uint32_t bytes,
                      uint64_t buffer) {
    uint64_t size = 0, at = a & ~WINDOW_MASK;
    if (space == GENERIC)
        space = (a & WINDOW_MASK) == SHARED_WINDOW  ? SHARED
                : (a & WINDOW_MASK) == LOCAL_WINDOW ? LOCAL
                                                    : GLOBAL;
    if (space == GLOBAL) {
        at = a - buffer;
        size = BUFFER;
    } else {
        size = space == LOCAL ? LOCAL_ARRAY : SHARED_ALL;
    }
    return at < size && bytes <= size - at;
}

struct trial {
    const struct form *form;
    uint64_t address, stride;
    uint32_t lanes;
    size_t offset; /* in `offsets` */
};

enum verdict { MUST_FAIL, MAY_FAIL, MUST_WORK };

/* MAY_FAIL: inside by its lower bits, but not by an address of this space; or
 * an instruction that asks for more than memory (a barrier). */
static enum verdict expected(const struct trial *t, uint64_t buffer) {
    bool plain = !strstr(t->form->text, "mbarrier");
    for (uint32_t l = 0; l < LANES; l++) {
        if (!(t->lanes >> l & 1)) continue;
        uint64_t a = t->address + l * t->stride;
        if (t->form->space == SHARED_32) a = (uint32_t)a;
        a += (uint64_t)offsets[t->offset];
        if (t->form->space == SHARED_32) a = (uint32_t)a;
        if (a % t->form->bytes ||
            !is_inside(t->form->space, a, t->form->bytes, buffer))
            return MUST_FAIL;
        bool windowed = (t->form->space == SHARED || t->form->space == LOCAL) &&
                        a & WINDOW_MASK;
        plain = plain && !windowed && !(a >> 48);
    }
    return plain ? MUST_WORK : MAY_FAIL;
}

static bool is_parameter(const struct trial *t) {
    for (uint32_t l = 0; l < LANES; l++)
        if (t->form->space == GENERIC && t->lanes >> l & 1 &&
            ((t->address + l * t->stride + (uint64_t)offsets[t->offset]) &
             WINDOW_MASK) == PARAM_WINDOW)
            return true; /* a load of the kernel's own parameters is allowed */
    return false;
}

static unsigned n_complaints, n_worked, n_failed;

static void judge(const struct trial *t, size_t way, uint64_t buffer,
                  vgpu_status status, const char *message) {
    enum verdict v = expected(t, buffer);
    n_worked += status == VGPU_OK;
    n_failed += status != VGPU_OK;
    if (v == MAY_FAIL || (v == MUST_WORK) == (status == VGPU_OK) ||
        (v == MUST_FAIL && !t->form->writes && is_parameter(t)))
        return;
    if (n_complaints++ < 10)
        printf("FAILED: %s at %#" PRIx64 " %+d, stride %#" PRIx64
               ", lanes %#x, buffer at %#" PRIx64 ", way %zu: %s %s\n",
               t->form->text, t->address, offsets[t->offset], t->stride,
               t->lanes, buffer, way, vgpu_status_name(status),
               status ? message : "");
}

struct machine {
    vgpu_device *device;
    vgpu_module *module;
    uint64_t buffer;
};

static bool open_machine(struct machine *m, size_t way, const struct text *ptx,
                         vgpu_cache *cache) {
    struct vgpu_options o = ways[way];
    o.cache = cache;
    o.instruction_budget = 100000;
    m->device = vgpu_open(&o, NULL);
    if (!m->device) return false;
    return !vgpu_malloc(m->device, BUFFER, &m->buffer) &&
           !vgpu_fill(m->device, m->buffer, 0, BUFFER) &&
           !vgpu_module_load(m->device, text_string(ptx), ptx->size + 1,
                             &m->module);
}

static bool run_trial(struct machine *m, const struct trial *t, size_t form,
                      size_t way) {
    static const uint32_t one[3] = {1, 1, 1}, warp[3] = {LANES, 1, 1};
    char name[32];
    vgpu_kernel *kernel;
    uint64_t parameters[] = {t->address, t->stride, t->lanes, m->buffer};
    snprintf(name, sizeof name, "k%zu_%zu", form, t->offset);
    if (vgpu_module_kernel(m->module, name, &kernel)) return false;
    vgpu_status s = vgpu_launch(m->device, kernel, one, warp, SHARED_DYNAMIC,
                                parameters, sizeof parameters);
    judge(t, way, m->buffer, s, vgpu_last_message(m->device));
    return s == VGPU_OK;
}

static struct trial draw_trial(size_t form, uint64_t buffer) {
    const struct form *f = &forms[form];
    return (struct trial){.form = f,
                          .address = draw() % 3 ? draw_address(f->bytes, buffer)
                                                : draw_inside(f->space, buffer),
                          .stride = draw_stride(f->bytes),
                          .lanes = draw_lanes(),
                          .offset = draw() % N_OFFSETS};
}

/* Corner number k: the accesses right before, at and behind an end, by one lane
 * and by eight that end there. False: there are no more. */
static bool corner(unsigned k, size_t form, uint64_t buffer, struct trial *t) {
    const uint64_t places[] = {
        0,           buffer,        buffer + BUFFER, SHARED_ALL,
        LOCAL_ARRAY, SHARED_WINDOW, LOCAL_WINDOW,    1ull << 32};
    const struct form *f = &forms[form];
    uint64_t lanes = k % 2 ? 8 : 1;
    uint64_t near = k / 2 % 3, place = k / 6;
    if (place >= sizeof places / sizeof *places) return false;
    *t = (struct trial){.form = f,
                        .address = places[place] + (near - lanes) * f->bytes,
                        .stride = f->bytes,
                        .lanes = (1u << lanes) - 1};
    return true;
}

static bool run_form(size_t form, size_t way, unsigned rounds,
                     const struct text *ptx, vgpu_cache *cache) {
    struct machine m = {0};
    unsigned n_corners = 0, n_drawn = 0;
    while (true) {
        if (!m.device && !open_machine(&m, way, ptx, cache)) {
            printf("FAILED: no device: %s\n",
                   m.device ? vgpu_last_message(m.device) : "no memory");
            return false;
        }
        struct trial t;
        if (way >= WAYS_WITH_CORNERS ||
            !corner(n_corners++, form, m.buffer, &t)) {
            if (n_drawn++ == rounds) break;
            t = draw_trial(form, m.buffer);
        }
        /* After a fault no kernel of this device runs any more. */
        if (run_trial(&m, &t, form, way)) continue;
        vgpu_close(m.device);
        m.device = NULL;
    }
    vgpu_close(m.device);
    return true;
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    if (!rounds || !state) return fprintf(stderr, "ROUNDS [SEED]\n"), 2;
    struct text ptx = {0};
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is wrong may end this program */
    text_add(&ptx, ".version 8.0\n.target sm_90\n.address_size 64\n");
    for (size_t f = 0; f < N_FORMS; f++)
        for (size_t o = 0; o < N_OFFSETS; o++) print_kernel(&ptx, f, o);
    vgpu_cache *cache = vgpu_cache_new();
    bool ran = cache != NULL;
    for (size_t f = 0; f < N_FORMS && ran; f++)
        for (size_t w = 0; w < N_WAYS && ran; w++)
            ran = run_form(f, w, rounds, &ptx, cache);
    vgpu_cache_free(cache);
    text_free(&ptx);
    printf("%d forms, %d ways: %u launches worked, %u failed, %u complaints\n",
           N_FORMS, N_WAYS, n_worked, n_failed, n_complaints);
    return !ran || n_complaints || !n_worked || !n_failed;
}
