/* SPDX-License-Identifier: MIT
 *
 * test_litmus.c: the reader of litmus files, with files that are wrong in every
 * way; conditions; and the kernels of all cases.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "litmus.h"

#define HEAD "PTX test\n{ x=0; }\n"
#define P0   HEAD " P0@cta 0,gpu 0 ;\n"
#define ENDS "exists (x = 1)\n"

static struct litmus *read_text(const char *text, struct text *why) {
    return litmus_read(text, strlen(text), why);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } files[] = {
        {"", "first values in braces are expected"},
        {"C test\n{}\nP0 ;\n", "line 1: the file does not begin with PTX"},
        {"PTX test\n{ x=0;\n", "first values in braces are expected"},
        {HEAD " Q0@cta 0,gpu 0 ;\n", "a thread is called P and a number"},
        {HEAD " P0@block 0 ;\n", "cta is expected"},
        {HEAD " P0@cta 0,gpu 0\n", "a ; is expected"},
        {P0 " st.weak x, 1 | st.weak x, 2 ;\n" ENDS, "more cells than threads"},
        {P0 " st.weak x ;\n" ENDS, "a comma is expected"},
        {P0 " st.weak x, 1 2 ;\n" ENDS, "something follows the instruction"},
        {P0 " st.relaxed x, 1 ;\n" ENDS, "relaxed needs a scope"},
        {P0 " st.weak.gpu x, 1 ;\n" ENDS, "weak takes no scope"},
        {P0 " st.acquire.gpu x, 1 ;\n" ENDS, "'.acquire' is not supported"},
        {P0 " ld.weak.u64 r0, x ;\n" ENDS, "'.u64' is not supported with ld"},
        {P0 " jump x ;\n" ENDS, "instruction 'jump' is not supported"},
        {P0 " fence.proxy.alias ;\n" ENDS, "proxies are not supported"},
        {P0 " tld.weak r0, x ;\n" ENDS, "proxies are not supported"},
        {P0 " atom.relaxed.gpu.inc r0, x, 1 ;\n" ENDS,
         "this operation is not supported"},
        {P0 " bar.cta.sync 16 ;\n" ENDS, "a number from 0 to 15"},
        {P0 " bar.cta.arrive 1 ;\n" ENDS, "only bar.sync is supported"},
        {P0 " bar.cta.sync 1, 2 ;\n" ENDS, "for a number of threads"},
        {P0 " goto LC00 ;\n" ENDS, "label LC00 stands 0 times in P0"},
        {P0 " LC00: ;\n LC00: ;\n" ENDS, "label LC00 stands 2 times in P0"},
        {P0 " st.weak x, 99999999999 ;\n" ENDS, "does not fit into 32 bits"},
        {P0 " st.weak x, 1 ;\nexists (x 1)\n", "= is expected"},
        {P0 " st.weak x, 1 ;\nexists (x = 1\n", "a ) is expected"},
        {P0 " st.weak x, 1 ;\nexists (P7:r0 = 1)\n", "there is no thread P7"},
        {P0 " st.weak x, 1 ;\nexists (x = 1) exists (x = 0)\n",
         "exists, ~exists or forall is expected"},
        {"PTX test\n{ x=y; }\n P0@cta 0,gpu 0 ;\n" ENDS,
         "values that are addresses are not supported"},
        {"PTX test\n{ x@texture aliases y; }\n P0@cta 0,gpu 0 ;\n" ENDS,
         "proxies are not supported"},
        {"PTX test\n{ 3:r0=1; }\n P0@cta 0,gpu 0 ;\n" ENDS,
         "there is no thread P3"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct text why = {0};
        assert_null(read_text(files[k].text, &why));
        if (!strstr(text_string(&why), files[k].why))
            fail_msg("'%s' instead of '%s' for:\n%s", text_string(&why),
                     files[k].why, files[k].text);
        text_free(&why);
    }
}

/* One more than fits, of everything that is counted. */
static void limits_are_said(void **state) {
    (void)state;
    static const struct {
        const char *before, *repeated, *after, *why;
    } files[] = {
        {"PTX t\n{ }\nP0", "|P1", ";\n", "more than 16 threads"},
        {"PTX t\n{ ", "x%u=0;", "}\nP0;\n", "more than 32 locations"},
        {"PTX t\n{ ", "0:r%u=0;", "}\nP0;\n", "more than 32 registers"},
        {"PTX t\n{ }\nP0;\n", "st x,1;", ENDS, "more than 128 instructions"},
        {"PTX t\n{ }\nP0;\n", "goto L%u;", ENDS, "more than 32 labels"},
        {"PTX t\n{ }\nP0;st x,1;\nexists ", "(", "", "nests too deep"},
        {"PTX t\n{ }\nP0;st x,1;\nexists ", "~", "", "nests too deep"},
        {"PTX t\n{ }\nP0;st x,1;\nexists x=1", "/\\ x=1", "",
         "more than 256 terms"},
        {"PTX t\n{ }\nP0;st x,1;\nscopeTree ", "(", "", "nests too deep"}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        struct text file = {0}, why = {0};
        text_add(&file, "%s", files[k].before);
        for (unsigned n = 0; n < 300; n++) {
            char part[32];
            const char *number = strstr(files[k].repeated, "%u");
            snprintf(part, sizeof part, "%s", files[k].repeated);
            if (number)
                snprintf(part, sizeof part, "%.*s%u%s",
                         (int)(number - files[k].repeated), files[k].repeated,
                         n, number + 2);
            text_add(&file, "%s", part);
        }
        text_add(&file, "%s", files[k].after);
        assert_null(read_text(text_string(&file), &why));
        if (!strstr(text_string(&why), files[k].why))
            fail_msg("'%s', not '%s'", text_string(&why), files[k].why);
        text_free(&file);
        text_free(&why);
    }
}

static bool holds(const char *condition, int32_t x, int32_t r0) {
    struct text file = {0}, why = {0};
    text_add(&file,
             "PTX t\n{ x=0; }\n P0 ;\n ld.weak r0, x ;\n"
             "locations [x; P0:r0]\nexists %s\n",
             condition);
    struct litmus *t = read_text(text_string(&file), &why);
    if (!t) fail_msg("%s: %s", condition, text_string(&why));
    int32_t values[LITMUS_OBSERVED] = {x, r0};
    bool result = litmus_holds(&t->condition, values);
    free(t);
    text_free(&file);
    return result;
}

static void conditions_are_logic(void **state) {
    (void)state;
    assert_true(holds("(x = 1 /\\ P0:r0 = 2)", 1, 2));
    assert_false(holds("(x = 1 /\\ 0:r0 = 2)", 1, 1));
    assert_true(holds("x = 9 \\/ x = 1 /\\ 0:r0 == 2", 1, 2));
    assert_false(holds("(x = 9 \\/ x = 1) /\\ 0:r0 != 2", 1, 2));
    assert_true(holds("~(x = 0) /\\ not (P0:r0 = 0)", 1, 2));
    assert_true(holds("[x] < P0:r0", -1, 0));
    assert_false(holds("x >= P0:r0", -1, 0));
    assert_true(holds("0==0", 5, 5));
    assert_true(holds("true", 5, 5));
    assert_true(holds("x = 0xffffffff", -1, 0));
}

static void scopes_place_threads(void **state) {
    (void)state;
    struct text why = {0};
    struct litmus *t =
        read_text("PTX t\n{ x=0; }\n P0 | P1 | P2 ;\n st.weak x, 1 | | ;\n"
                  "scopeTree (gpu (cta P0 P2) (cta P1))\nexists (x = 1)\n",
                  &why);
    if (!t) fail_msg("%s", text_string(&why));
    assert_int_equal(t->n_blocks, 2);
    assert_int_equal(t->n_warps, 2);
    assert_int_equal(t->threads[0].block, t->threads[2].block);
    assert_int_not_equal(t->threads[0].warp, t->threads[2].warp);
    assert_int_not_equal(t->threads[0].block, t->threads[1].block);
    free(t);
}

static uint64_t next(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    return z ^ (z >> 31);
}

/* The file with some bytes changed, cut or doubled is read or refused. */
static void mutate(const char *bytes, size_t size, uint64_t seed) {
    char copy[LITMUS_FILE];
    memcpy(copy, bytes, size);
    for (uint64_t n = 1 + next(&seed) % 4; n--;) {
        size_t at = next(&seed) % size, from = next(&seed) % size;
        size_t length = next(&seed) % 16;
        if (at + length > size) length = size - at;
        if (from + length > size) length = size - from;
        if (next(&seed) & 1)
            copy[at] = (char)next(&seed);
        else
            memmove(copy + at, copy + from, length);
    }
    struct text why = {0}, ptx = {0};
    struct litmus *t = litmus_read(copy, 1 + next(&seed) % size, &why);
    if (t) litmus_ptx(t, &ptx);
    assert_true(t || why.size);
    free(t);
    text_free(&why);
    text_free(&ptx);
}

static void changed_cases_are_survived(void **state) {
    (void)state;
    DIR *folder = opendir(CASES);
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        if (e->d_name[0] == '.') continue;
        struct text file = {0}, why = {0};
        char *path = text_format("%s/%s", CASES, e->d_name);
        assert_null(text_read_file(&file, path, LITMUS_FILE));
        struct litmus *t = litmus_read(file.bytes, file.size, &why);
        if (!t) fail_msg("%s: %s", path, text_string(&why));
        free(t);
        for (uint64_t seed = 0; seed < 200; seed++)
            mutate(file.bytes, file.size, seed);
        free(path);
        text_free(&file);
    }
    closedir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(limits_are_said),
        cmocka_unit_test(conditions_are_logic),
        cmocka_unit_test(scopes_place_threads),
        cmocka_unit_test(changed_cases_are_survived)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
