/* SPDX-License-Identifier: MIT
 *
 * source_test.c: which files are the toolkit's. Findings are reported, and
 * counts kept, at the student's line: a student's folder may be called cuda or
 * cub.
 */

#include <program.h>

#include "unit.h"

static bool is_toolkit(const char *file) {
    struct ptx_loc loc = {.file = file, .line = 7, .inlined_at = -1};
    struct ptx_module module = {.locs = &loc, .n_locs = 1};
    return program_is_toolkit(&module, "_Z4stepPKi", 0);
}

TEST(students_folders) {
    static const char *const files[] = {
        "step.cu",
        "/home/ada/cuda/step.cu",
        "/home/ada/cuda-course/step.cu",
        "/home/ada/cub/step.cu",
        "/srv/nvidia/thrust/step.cuh",
        "/home/ada/targets/cuda_runtime_test.cu"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (is_toolkit(files[k])) fail_msg("%s is the student's", files[k]);
}

TEST(toolkits_folders) {
    static const char *const files[] = {
        "/usr/local/cuda/bin/../targets/x86_64-linux/include/cccl/cub/a.cuh",
        "/usr/local/cuda-12.4/include/cub/block/block_scan.cuh",
        "/opt/toolkit/targets/sbsa-linux/include/cooperative_groups.h",
        "/srv/venv/site-packages/nvidia/cu13/include/sm_30_intrinsics.hpp",
        "/srv/venv/site-packages/nvidia/cuda_nvcc/include/crt/sm_70_rt.hpp",
        "/home/ada/toolkit/include/thrust/system/cuda/detail/scan.h",
        "/home/ada/third_party/cub/cub/agent/agent_scan.cuh",
        "/usr/include/c++/12/bits/move.h",
        "/usr/lib/cuda/include/math.hpp",
        "/home/ada/scanlab/build/cuda-13.3/bin/..//include/sm_30_intrinsics.h",
        "/home/ada/scanlab/build/cuda/bin/../include/sm_30_intrinsics.hpp"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        if (!is_toolkit(files[k])) fail_msg("%s is the toolkit's", files[k]);
}

/* What is reported is the student's line into which a header's code was
 * inlined. */
TEST(inlined_code) {
    struct ptx_loc locs[] = {
        {.file = "/home/ada/cuda/step.cu", .line = 12, .inlined_at = -1},
        {.file = "/usr/local/cuda/include/cub/a.cuh", .line = 3}};
    struct ptx_module module = {.locs = locs, .n_locs = 2};
    assert_int_equal(program_source(&module, 1).line, 12);
    assert_false(program_is_toolkit(&module, "_ZN3cub4stepEv", 1));
}

UNIT_MAIN(NULL, NULL)
