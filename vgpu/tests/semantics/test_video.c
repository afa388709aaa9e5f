/* SPDX-License-Identifier: MIT
 *
 * test_video.c: every video instruction that random programs hold, on operands
 * that favour edges, against what its machine code computes; and against the
 * ISA's text, except for the classes where the two differ (video.h).
 *
 *   video_test SEED PROGRAMS
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "vgpu.h"
#include "video.h"

enum { LANES = 32, CHUNK = 40, MOST = 4096 };

static void die(const char *what) {
    fprintf(stderr, "video_test: %s\n", what);
    exit(2);
}

/* ---- what the programs hold ---- */

static struct form forms[MOST];
static unsigned n_forms;

/* "%w3.b1" -> ".b1"; "-%w3" -> "-" */
static void keep_operand(struct form *f, const char *text) {
    const char *dot = strchr(text, '.');
    if (f->n == 4) die("five operands");
    snprintf(f->operand[f->n++], sizeof f->operand[0], "%s%.6s",
             *text == '-' ? "-" : "", dot ? dot : "");
}

static void keep(char *line) {
    struct form f = {.n = 0};
    char *save, *word = strtok_r(line, " ,;", &save);
    if (word && *word == '@') word = strtok_r(NULL, " ,;", &save);
    if (!word || *word != 'v' || !strncmp(word, "vote", 4)) return;
    snprintf(f.text, sizeof f.text, "%s", word);
    while ((word = strtok_r(NULL, " ,;", &save))) keep_operand(&f, word);
    if (n_forms < MOST) forms[n_forms++] = f;
}

static void collect(uint64_t seed, uint64_t k) {
    struct program *p = program_make(seed, k, PROGRAM_PLAIN);
    char *text, *save;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) die("out of memory");
    program_write(p, f, 0, NULL);
    fclose(f);
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save))
        if (strstr(line, "32")) keep(line);
    free(text);
    program_free(p);
}

/* ---- the virtual GPU's ---- */

static void write_kernel(FILE *out, const struct form *list, unsigned n) {
    static const char *const names[] = {"%d", "%a", "%b", "%c"};
    fputs(PROGRAM_HEADER
          ".visible .entry k(.param .u64 p) {\n .reg .b32 %t, %d, %a, %b, %c;\n"
          " .reg .b64 %p, %q;\n ld.param.u64 %p, [p];\n mov.u32 %t, %tid.x;\n"
          " mad.wide.u32 %p, %t, 16, %p;\n",
          out);
    for (unsigned k = 0; k < n; k++) {
        fprintf(out, " ld.global.v4.b32 {%%a, %%b, %%c, %%d}, [%%p+%u];\n %s ",
                k * LANES * 16, list[k].text);
        for (unsigned o = 0; o < list[k].n; o++) {
            bool minus = *list[k].operand[o] == '-';
            fprintf(out, "%s%s%s%s", o ? ", " : "", minus ? "-" : "", names[o],
                    list[k].operand[o] + minus);
        }
        fprintf(out, ";\n st.global.b32 [%%p+%u], %%d;\n", k * LANES * 16 + 12);
    }
    fputs(" ret;\n}\n", out);
}

static uint32_t operand(uint64_t *random) {
    static const uint32_t edges[] = {0,           1,           0x80000000u,
                                     0x7fffffffu, 0xffffffffu, 0x80808080u,
                                     0x7f7f7f7fu, 0xff00ff00u, 0x80007fffu,
                                     31,          32,          33};
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    uint32_t bits = (uint32_t)(*random >> 32);
    return bits % 3 ? (uint32_t)(*random >> 17) : edges[bits / 3 % 12];
}

static void tell(const struct form *f, const uint32_t in[3], const char *by,
                 uint32_t got, uint32_t want) {
    printf("%s d%s a%s b%s c%s: %08x %08x %08x -> %08x, by %s %08x\n", f->text,
           f->operand[0], f->operand[1], f->operand[2], f->operand[3], in[0],
           in[1], in[2], got, by, want);
}

/* Of one form; counts the operands for which the ISA says another value. */
static bool right(const struct form *f, uint32_t words[LANES][4],
                  uint32_t got[LANES][4], unsigned *others) {
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t answer = got[l][3], code = video_ptxas(f, words[l]);
        uint32_t isa = video_isa(f, words[l]);
        bool differs = video_differs(f);
        if (answer != code) tell(f, words[l], "ptxas", answer, code);
        if (answer != isa && !differs) tell(f, words[l], "ISA", answer, isa);
        if (answer != code || (answer != isa && !differs)) return false;
        *others += answer != isa;
    }
    return true;
}

static unsigned judge(vgpu_device *d, const struct form *list, unsigned n,
                      uint64_t *random, unsigned *others) {
    static uint32_t words[CHUNK][LANES][4], got[CHUNK][LANES][4];
    const uint32_t grid[3] = {1, 1, 1}, block[3] = {LANES, 1, 1};
    uint64_t address;
    vgpu_module *m;
    vgpu_kernel *kernel;
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) die("out of memory");
    write_kernel(f, list, n);
    fclose(f);
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned o = 0; o < 4; o++) words[k][l][o] = operand(random);
    if (vgpu_module_load(d, text, bytes + 1, &m) ||
        vgpu_malloc(d, sizeof words, &address) ||
        vgpu_write(d, address, words, sizeof words) ||
        vgpu_module_kernel(m, "k", &kernel) ||
        vgpu_launch(d, kernel, grid, block, 0, &address, sizeof address) ||
        vgpu_read(d, got, address, sizeof got))
        die(vgpu_last_message(d));
    unsigned wrong = 0;
    for (unsigned k = 0; k < n; k++) {
        unsigned n_others = 0;
        wrong += !right(&list[k], words[k], got[k], &n_others);
        *others += n_others != 0;
    }
    free(text);
    vgpu_free(d, address);
    vgpu_module_unload(d, m);
    return wrong;
}

int main(int argc, char **argv) {
    if (argc != 3) die("usage: video_test SEED PROGRAMS");
    uint64_t seed = strtoull(argv[1], NULL, 10), random = seed;
    struct vgpu_options o = {.checks = 0};
    vgpu_device *d = vgpu_open(&o, NULL);
    if (!d) die("no virtual GPU");
    for (uint64_t k = 0; k < strtoull(argv[2], NULL, 10); k++) collect(seed, k);
    unsigned wrong = 0, others = 0;
    for (unsigned k = 0; k < n_forms; k += CHUNK)
        wrong += judge(d, forms + k, n_forms - k < CHUNK ? n_forms - k : CHUNK,
                       &random, &others);
    vgpu_close(d);
    printf("%u instructions, %u wrong; %u are not as the ISA says\n", n_forms,
           wrong, others);
    return wrong || n_forms < 1000 || others < n_forms / 20;
}
