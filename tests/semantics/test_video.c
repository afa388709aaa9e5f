/* SPDX-License-Identifier: MIT
 *
 * test_video.c: every video instruction that random programs hold, on operands
 * that favour edges, against a plain reading of its text: PTX ISA 9.0, 9.7.16
 * and on. What it computes with is written down here once more and shares
 * nothing with the virtual GPU.
 *
 *   video_test SEED PROGRAMS
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "vgpu.h"

__extension__ typedef __int128 big;
enum { LANES = 32, CHUNK = 40, MOST = 4096, LONGEST = 96 };

static void die(const char *what) {
    fprintf(stderr, "video_test: %s\n", what);
    exit(2);
}

/* ---- what the programs hold ---- */

struct form { /* "vadd.u32.u32.u32.sat", and per operand "-" and a selector */
    char text[LONGEST];
    char operand[4][8];
    unsigned n;
};
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

/* ---- the ISA's words ---- */

static bool has(const struct form *f, const char *modifier) {
    size_t n = strlen(modifier);
    for (const char *at = strchr(f->text, '.'); at; at = strchr(at + 1, '.'))
        if (!strncmp(at + 1, modifier, n) && (at[1 + n] == '.' || !at[1 + n]))
            return true;
    return false;
}

static bool is_signed(const struct form *f, unsigned type) {
    const char *at = f->text;
    for (unsigned k = 0; k <= type; k++) at = strchr(at + 1, '.');
    return at[1] == 's';
}

static const char *selector(const struct form *f, unsigned k) {
    return f->operand[k] + (*f->operand[k] == '-');
}

static unsigned width(const char *selector) {
    return !*selector ? 32 : selector[1] == 'b' ? 8 : 16;
}

static big part(uint32_t word, const char *selector, bool is_signed_type) {
    unsigned bits = width(selector);
    big value = word;
    if (*selector) value = word >> ((unsigned)(selector[2] - '0') * bits);
    value &= ((big)1 << bits) - 1;
    if (is_signed_type && value >> (bits - 1)) value -= (big)1 << bits;
    return value;
}

static big clamp(big value, unsigned bits, bool is_signed_type) {
    big low = is_signed_type ? -((big)1 << (bits - 1)) : 0;
    big high = low + ((big)1 << bits) - 1;
    if (value > high) value = high;
    return value < low ? low : value;
}

static big operation(const struct form *f, big a, big b) {
    static const char *const names[] = {"vadd", "vsub", "vabsdiff",
                                        "vmin", "vmax", "vavrg"};
    size_t k = 0, n = strcspn(f->text, ".24");
    while (k < 6 && (strlen(names[k]) != n || strncmp(f->text, names[k], n)))
        k++;
    switch (k) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a > b ? a - b : b - a;
    case 3: return a > b ? b : a;
    case 4: return a > b ? a : b;
    case 5: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    default: break;
    }
    if (!strncmp(f->text, "vset", 4))
        return has(f, "eq")   ? a == b
               : has(f, "ne") ? a != b
               : has(f, "lt") ? a < b
               : has(f, "le") ? a <= b
               : has(f, "gt") ? a > b
                              : a >= b;
    if (has(f, "clamp") && b > 32) b = 32;
    if (has(f, "wrap")) b &= 31;
    if (!strncmp(f->text, "vshl", 4)) return a * ((big)1 << b);
    if (!strncmp(f->text, "vshr", 4)) return a >> b;
    die(f->text);
    return 0;
}

static uint32_t multiply(const struct form *f, const uint32_t in[3]) {
    bool minus = *f->operand[1] == '-' || *f->operand[2] == '-';
    bool minus_c = *f->operand[3] == '-';
    bool signed_final = is_signed(f, 1) || is_signed(f, 2) || minus || minus_c;
    big t = part(in[0], selector(f, 1), is_signed(f, 1)) *
            part(in[1], selector(f, 2), is_signed(f, 2));
    uint32_t c = in[2];
    unsigned lsb = 0;
    if (has(f, "po")) {
        lsb = 1;
    } else if (minus) {
        t = ~t;
        lsb = 1;
    } else if (minus_c) {
        c = ~c;
        lsb = 1;
    }
    t += (signed_final ? (big)(int32_t)c : (big)c) + lsb;
    t >>= has(f, "shr7") ? 7 : has(f, "shr15") ? 15 : 0;
    return (uint32_t)(has(f, "sat") ? clamp(t, 32, signed_final) : t);
}

static uint32_t scalar(const struct form *f, const uint32_t in[3]) {
    bool set = !strncmp(f->text, "vset", 4);
    bool d_signed = !set && is_signed(f, 0);
    const char *to = selector(f, 0);
    big t = operation(f, part(in[0], selector(f, 1), is_signed(f, !set)),
                      part(in[1], selector(f, 2), is_signed(f, 2 - set)));
    big c = part(in[2], "", d_signed);
    if (has(f, "sat")) t = clamp(t, width(to), d_signed);
    if (has(f, "add")) t += c;
    if (has(f, "min") && c < t) t = c;
    if (has(f, "max") && c > t) t = c;
    uint32_t d = (uint32_t)t, bytes = width(to) / 8;
    if (!*to) return d;
    uint8_t merged[4];
    memcpy(merged, &in[2], 4);
    memcpy(merged + (unsigned)(to[2] - '0') * bytes, &d, bytes);
    memcpy(&d, merged, 4);
    return d;
}

static uint32_t simd(const struct form *f, unsigned n, const uint32_t in[3]) {
    bool set = !strncmp(f->text, "vset", 4);
    bool d_signed = !set && is_signed(f, 0);
    uint32_t d = in[2];
    unsigned bytes = 4 / n;
    for (unsigned k = 0; k < n; k++) {
        const char *to = selector(f, 0);
        big value[2];
        if (*to && !strchr(to + 2, (int)('0' + k))) continue;
        for (unsigned s = 0; s < 2; s++) {
            const char *from = selector(f, 1 + s);
            unsigned which =
                *from ? (unsigned)(from[1 + n - k] - '0') : s * n + k;
            char one[4] = {'.', n == 2 ? 'h' : 'b', (char)('0' + which % n), 0};
            value[s] =
                part(in[which / n], one, is_signed(f, s + (set ? 0 : 1)));
        }
        big t = operation(f, value[0], value[1]);
        if (has(f, "sat")) t = clamp(t, 8 * bytes, d_signed);
        uint32_t low = (uint32_t)t;
        if (has(f, "add"))
            d += low;
        else
            memcpy((uint8_t *)&d + k * bytes, &low, bytes);
    }
    return d;
}

static uint32_t expected(const struct form *f, const uint32_t in[3]) {
    char last = f->text[strcspn(f->text, ".") - 1];
    if (!strncmp(f->text, "vmad", 4)) return multiply(f, in);
    return last == '2' || last == '4' ? simd(f, (unsigned)(last - '0'), in)
                                      : scalar(f, in);
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

static unsigned judge(vgpu_device *d, const struct form *list, unsigned n,
                      uint64_t *random) {
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
    for (unsigned k = 0; k < n; k++)
        for (unsigned l = 0; l < LANES; l++) {
            uint32_t want = expected(&list[k], words[k][l]);
            if (got[k][l][3] == want) continue;
            const uint32_t *in = words[k][l];
            printf("%s d%s a%s b%s c%s: %08x %08x %08x -> %08x, not %08x\n",
                   list[k].text, list[k].operand[0], list[k].operand[1],
                   list[k].operand[2], list[k].operand[3], in[0], in[1], in[2],
                   got[k][l][3], want);
            wrong++;
            break;
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
    unsigned wrong = 0;
    for (unsigned k = 0; k < n_forms; k += CHUNK)
        wrong += judge(d, forms + k, n_forms - k < CHUNK ? n_forms - k : CHUNK,
                       &random);
    vgpu_close(d);
    printf("%u instructions, %u wrong\n", n_forms, wrong);
    return wrong || n_forms < 1000;
}
