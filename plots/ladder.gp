# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/*|student/*;operation=inclusive_sum|exclusive_sum;type=int32;order=1;tuple=1
#
# The ladder: inclusive sums of int32 by the labs' reference solutions, one curve
# a lab, CUB and the copy over n. A logarithmic axis: the labs are two orders of
# magnitude apart. (A lab timed by its exclusive sum only is drawn by that.)
load "style.gp"
load "bench.gp"
eval set_origin(bench)
eval power_tics(10, 30, 4)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [0.01:1000]
set format y "10^{%T}"
set bars 0

row = ";order=1;tuple=1;type=int32"
labs = ""
do for [f in "reference student"] {
    do for [l in "naive work-efficient shared-tiled chained lookback sam"] {
        labs = labs . "|" . f . "/" . l
    }
}
names = whos("who=memcpy|cub" . labs . ";operation=copy|inclusive_sum|exclusive_sum" \
    . row)
timed(w) = count("operation=inclusive_sum|copy;who=" . w . row) \
    ? ";operation=inclusive_sum|copy" : ";operation=exclusive_sum"
plot for [w in names] sel("who=" . w . timed(w) . row) using (column("n")): \
        (column("rate")):(column("slow")):(column("fast")) with yerrorlines \
        lt lt_of(w) title title_of(w)
