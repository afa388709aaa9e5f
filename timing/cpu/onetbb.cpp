/* SPDX-License-Identifier: MIT
 *
 * onetbb.cpp: oneTBB's parallel_scan, the usual one for CPUs, for `scanlab bench
 * --cpu`. A library of its own, so that scanlab runs where there is no oneTBB.
 * Written as its manual shows, with the partitioner that it takes by itself.
 */
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_scan.h>
#include <tbb/version.h>

#include <cstddef>
#include <cstdint>

extern "C" const char *bench_onetbb_version(void) {
    return TBB_runtime_version();
}

/* Inclusive scan modulo 2^32. Returns 0. */
extern "C" int bench_onetbb_scan(const std::int32_t *in, std::int32_t *out,
                                 std::size_t n, int threads) {
    using range = tbb::blocked_range<std::size_t>;
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(threads));
    tbb::parallel_scan(
        range(0, n), std::uint32_t(0),
        [=](const range &r, std::uint32_t sum, bool is_final) {
            if (is_final)
                for (std::size_t i = r.begin(); i < r.end(); i++) {
                    sum += static_cast<std::uint32_t>(in[i]);
                    out[i] = static_cast<std::int32_t>(sum);
                }
            else
                for (std::size_t i = r.begin(); i < r.end(); i++)
                    sum += static_cast<std::uint32_t>(in[i]);
            return sum;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
    return 0;
}
