// SPDX-License-Identifier: MIT
//
// peers_tuple.cu: CUB over structs of S elements of one type (-DPEER_TYPE), the
// way its users scan interleaved sequences. Whole tuples only: the last n % S
// elements are left out.
#include "peer_type.cuh"

namespace {

template <int S> cudaError_t cub_tuples(peer_call *c) {
    return cub::DeviceScan::InclusiveScan(
        c->temp, c->temp_bytes, (const tuple<S> *)c->in, (tuple<S> *)c->out,
        add(), (int64_t)(c->n / S));
}

const peer table[] = {
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 2}, cub_tuples<2>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 3}, cub_tuples<3>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 4}, cub_tuples<4>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 5}, cub_tuples<5>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 6}, cub_tuples<6>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 7}, cub_tuples<7>},
    {{"cub", BENCH_inclusive_sum, TYPE, 1, 8}, cub_tuples<8>},
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
