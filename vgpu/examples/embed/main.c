/* SPDX-License-Identifier: MIT
 *
 * Runs a kernel from PTX text on a virtual GPU, with every check, and prints
 * what it computed, what it cost, and what is wrong with it.
 */
#include <stdio.h>
#include <string.h>
#include <vgpu.h>

int main(int argc, char **argv) {
    static char ptx[1 << 16];
    FILE *file = fopen(argc > 1 ? argv[1] : "double.ptx", "r");
    if (!file || fread(ptx, 1, sizeof ptx - 1, file) == 0) return 2;
    const struct vgpu_options options = {.profile = "teach",
                                         .checks = VGPU_CHECK_ALL};
    const uint32_t grid[3] = {2, 1, 1}, block[3] = {4, 1, 1};
    int out[8] = {0};
    uint64_t d_out, counts[VGPU_N_COUNTERS];
    vgpu_module *module;
    vgpu_kernel *kernel;
    const struct vgpu_finding *findings;
    vgpu_device *d = vgpu_open(&options, NULL);
    if (!d || vgpu_malloc(d, sizeof out, &d_out) ||
        vgpu_name(d, d_out, "d_out") ||
        vgpu_module_load(d, ptx, strlen(ptx) + 1, &module) ||
        vgpu_module_kernel(module, "double_index", &kernel) ||
        vgpu_launch(d, kernel, grid, block, 0, &d_out, sizeof d_out) ||
        vgpu_read(d, out, d_out, sizeof out))
        return fprintf(stderr, "%s\n", d ? vgpu_last_message(d) : "no memory"),
               1;
    for (int i = 0; i < 8; i++) printf("out[%d] = %d\n", i, out[i]);
    vgpu_counts(d, counts);
    printf("%llu thread instructions, %zu findings\n",
           (unsigned long long)counts[VGPU_COUNT_THREAD_INSTRUCTIONS],
           vgpu_findings(d, &findings));
    vgpu_close(d);
    return 0;
}
