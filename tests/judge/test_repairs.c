/* SPDX-License-Identifier: MIT
 *
 * test_repairs.c: how much is tried after a wrong answer (repairs_work.h):
 * counted, and held to what each part takes on an idle machine, which the
 * numbers here say once more; and the same on a machine that is three times
 * slower.
 */
#include <stdint.h>
#include <unistd.h>

#include "crowd.h"
#include "judge.h"
#include "repairs_work.h"
#include "unit.h"
#include "workshop.h"

/* Milliseconds of an idle machine, as measured (docs/parts.md). */
enum { C_BUILD = 230, CUDA_BUILD = 850, RUN = 1, LATE = 200, SECOND = 1000 };
#define PER_ELEMENT 60e-6

static const struct judge_options standard = {
    .root = WORK_FOLDER,
    .submission = WORK_FOLDER "/student",
    .build_folder = WORK_FOLDER "/build",
    .device = "vgpu",
    .repairs_s = 3,
    .seed = 42};

/* Two mistakes, so that nothing helps, and much that may be changed. */
static const char hopeless[] =
    "#include \"toy.h\"\n"
    "int toy_scan(const int32_t *in, int32_t *out, size_t n) {\n"
    "    uint32_t sum = 5, other = 7, all = 0;\n"
    "    for (size_t i = 0; i + 1 < n; i++) {\n"
    "        sum += (uint32_t)in[i];\n"
    "        other = sum + 3 * all;\n"
    "        all = other - sum + 1;\n"
    "        if (i > 2 && sum > 4 && other < 100) all = sum + other;\n"
    "        if (i < 9 || all == 3) sum = sum + 2;\n"
    "        out[i] = (int32_t)(sum + all - other);\n"
    "    }\n"
    "    return 0;\n"
    "}\n";
#define CHECK_OF(size)                                                         \
    "[check any]\nkind = correct\ntitle = Any\npoints = 10\n"                  \
    "function = scan\nsizes = " size "\ninputs = random\n"                     \
    "cause = Something.\nread = README.md#idea\nhint = Think.\n"

static struct repairs_tried tried(const struct judge_options *o,
                                  struct lab *lab) {
    char error[JUDGE_ERROR_BYTES] = "";
    struct grade g;
    assert_non_null(lab);
    if (judge_grade(o, &lab, 1, &g, error)) fail_msg("%s", error);
    struct repairs_tried t = g.repairs;
    assert_null(g.labs[0].build_error);
    print_message("%u tries, %u runs, %u late, %u builds, %llu instructions\n",
                  t.tries, t.runs, t.late, t.builds,
                  (unsigned long long)t.warp_instructions);
    grade_free(&g);
    lab_free(lab);
    return t;
}

/* A million elements take long: a few tries are all that 3 s are. */
TEST(three_seconds_are_three_seconds) {
    const struct repairs_tried t =
        tried(&standard, make_workshop(CHECK_OF("1000000"), hopeless));
    double ms = t.builds * C_BUILD + t.late * LATE +
                t.runs * (RUN + 1000000 * PER_ELEMENT);
    assert_int_equal(t.builds, 1);
    assert_true(t.tries >= 20);
    assert_true(ms <= 3 * SECOND);
}

TEST(a_second_less_is_a_third_less) {
    struct judge_options two = standard;
    two.repairs_s = 2;
    const struct repairs_tried t =
        tried(&two, make_workshop(CHECK_OF("1000000"), hopeless));
    assert_true(t.builds * C_BUILD + t.runs * (RUN + 60) <= 2 * SECOND);
    two.repairs_s = 0;
    const struct repairs_tried none =
        tried(&two, make_workshop(CHECK_OF("1000000"), hopeless));
    assert_int_equal(none.runs + none.builds, 0);
}

/* All of it on one processor, which two others want as much, and the tests
 * beside this one: a clock ends what takes eight times as long. */
TEST(a_slow_machine_tries_the_same) {
    static const char *const checks[] = {CHECK_OF("1000000"),
                                         CHECK_OF("32 33 34 35")};
    for (int k = 0; k < 2; k++) {
        const struct repairs_tried idle =
            tried(&standard, make_workshop(checks[k], hopeless));
        struct lab *lab = make_workshop(checks[k], hopeless);
        struct crowd crowd = crowd_begin(2);
        const struct repairs_tried slow = tried(&standard, lab);
        crowd_end(&crowd);
        assert_true(idle.tries >= 20);
        assert_int_equal(slow.tries, idle.tries);
        assert_int_equal(slow.runs, idle.runs);
        assert_true(slow.which == idle.which);
    }
}

/* What a part costs is never less than what was measured. */
TEST(parts_have_their_price) {
    struct repairs_run r = {.elements = 33};
    assert_true(repairs_run_us(&r) >= 1000 * RUN);
    r.was_late = true;
    assert_true(repairs_run_us(&r) >= 1000 * LATE);
    r = (struct repairs_run){
        .is_cuda = true, .library_bytes = 120000, .warp_instructions = 1000000};
    uint64_t shared = repairs_run_us(&r);
    assert_true(shared >= 30000 && shared < 40000);
    r.is_read = true;
    assert_true(repairs_run_us(&r) >= shared + 6000);
    r.is_slow = true;
    assert_true(repairs_run_us(&r) > 4 * shared);
    r.is_stuck = true;
    assert_true(repairs_run_us(&r) >= 1000000);
    r.warp_instructions = 1000;
    assert_true(repairs_run_us(&r) < 20000);
    r.was_slow = true;
    assert_true(repairs_run_us(&r) >= 1500000);
    /* a folder's name more in the library */
    r = (struct repairs_run){.is_cuda = true, .library_bytes = 41000};
    struct repairs_run other = r;
    other.library_bytes += 300;
    assert_true(repairs_run_us(&r) == repairs_run_us(&other));
    assert_true(repairs_build_us(true) + repairs_built_us(true, 41000, 0) >=
                1000 * CUDA_BUILD);
    assert_true(repairs_built_us(true, 110000, 0) >
                repairs_built_us(true, 41000, 0));
    assert_true(repairs_built_us(false, 41000, 1) >
                repairs_built_us(false, 41000, 0));
}

#ifdef HAS_NVCC
/* Lab 1 in one array, which no small change mends. Without "steps++" its loop
 * never ends: that is noticed by its turns, not by the clock. */
static const char in_place[] =
    "#include \"naive.h\"\n"
    "__global__ void step(int32_t *x, size_t n, size_t d) {\n"
    "    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i >= n) return;\n"
    "    x[i] = i < d ? x[i] : (int32_t)((unsigned)x[i - d] + x[i]);\n"
    "}\n"
    "cudaError_t naive_inclusive_scan(const int32_t *d_in, int32_t *d_out,\n"
    "                                 size_t n) {\n"
    "    if (n == 0) return cudaSuccess;\n"
    "    unsigned steps = 0;\n"
    "    while ((size_t)1 << steps < n) steps++;\n"
    "    cudaMemcpyAsync(d_out, d_in, n * 4, cudaMemcpyDeviceToDevice);\n"
    "    for (unsigned k = 0; k < steps; k++)\n"
    "        step<<<(n + 255) / 256, 256>>>(d_out, n, (size_t)1 << k);\n"
    "    return cudaGetLastError();\n"
    "}\n"
    "cudaError_t naive_exclusive_scan(const int32_t *d_in, int32_t *d_out,\n"
    "                                 size_t n) {\n"
    "    return naive_inclusive_scan(d_in, d_out, n);\n"
    "}\n";

TEST(loops_on_the_host_end_by_their_turns) {
    enum { WARPS_OF_A_MS = 33000 };
    struct lab_error error;
    struct judge_options o = standard;
    remove_folder(WORK_FOLDER);
    write_file(WORK_FOLDER "/student", "naive.cu", in_place);
    o.root = ROOT_FOLDER;
    o.build_folder = BUILD_FOLDER;
    const struct repairs_tried t =
        tried(&o, lab_read(ROOT_FOLDER "/labs/01-naive", &error));
    assert_int_equal(t.builds, 1);
    assert_true(t.tries > 100);
    assert_int_equal(t.late, 0);
    assert_true(t.builds * CUDA_BUILD + t.runs * RUN +
                    t.warp_instructions / WARPS_OF_A_MS <=
                3 * SECOND);
}
#endif

UNIT_MAIN(NULL, NULL)
