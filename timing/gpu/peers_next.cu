// SPDX-License-Identifier: MIT
//
// peers_next.cu: the scans of a newer CUB than the toolkit's (fetch_cub.sh) of
// one type, -DPEER_TYPE: as it chooses to scan (cub-3.5), and by its look-ahead
// scan (cub-lookahead), which it uses from compute capability 10.0 on, here
// with the numbers that it has for 10.0. -DPEER_TUPLES: look-ahead over structs
// of 2 to 8 elements, as peers_tuple.cu.
#include "peer_type.cuh"

static_assert(CUB_VERSION >= 300500, "timing/gpu/fetch_cub.sh fetches it");

namespace {

typedef cub::detail::choose_offset_t<int64_t> offset;

// What CUB would choose for a device of compute capability 10.0.
template <typename item, typename operation> struct as_on_10 {
    _CCCL_HOST_DEVICE constexpr cub::ScanPolicy
    operator()(cuda::compute_capability) const {
        return cub::detail::scan::policy_selector_from_types<
            const item *, item *, item, offset, operation, false>{}(
            cuda::compute_capability{10, 0});
    }
};

// DeviceScan::InclusiveScan takes another choice only where it allocates its
// temporary storage itself. So this is what it does with it.
template <typename item, typename operation>
cudaError_t look_ahead(peer_call *c, const item *in, size_t n) {
    typedef as_on_10<item, operation> choice;
    static_assert(choice{}(cuda::compute_capability{9, 0}).algorithm ==
                      cub::ScanAlgorithm::lookahead,
                  "CUB has another scan for this type");
    return cub::detail::scan::dispatch(c->temp, c->temp_bytes, in,
                                       (item *)c->out, operation(),
                                       cub::NullType(), (offset)n, 0, choice());
}

cudaError_t ahead(peer_call *c) {
    typedef cuda::std::plus<> plus;
    cudaError_t error = look_ahead<T, plus>(c, (const T *)c->in, c->n);
    for (int q = 1; q < c->order && !error && c->temp; q++)
        error = look_ahead<T, plus>(c, (const T *)c->out, c->n);
    return error;
}

#ifdef PEER_TUPLES
template <int S> cudaError_t ahead_tuples(peer_call *c) {
    return look_ahead<tuple<S>, add>(c, (const tuple<S> *)c->in, c->n / S);
}
#endif

const bool is_integer = T(3) / T(2) == T(1);
const int MOST_ORDER = is_integer && sizeof(T) >= 4 ? 8 : 1;

const peer table[] = {
#ifdef PEER_TUPLES
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 2}, ahead_tuples<2>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 3}, ahead_tuples<3>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 4}, ahead_tuples<4>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 5}, ahead_tuples<5>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 6}, ahead_tuples<6>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 7}, ahead_tuples<7>},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, 1, 8}, ahead_tuples<8>},
#else
    {{"cub-3.5", BENCH_inclusive_sum, TYPE, MOST_ORDER, 1}, cub_inclusive},
    {{"cub-lookahead", BENCH_inclusive_sum, TYPE, MOST_ORDER, 1}, ahead},
#endif
};

} // namespace

extern "C" const peer *bench_peers(size_t *n) {
    *n = sizeof table / sizeof *table;
    return table;
}
