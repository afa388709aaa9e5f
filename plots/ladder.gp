# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/*|student/*;operation=inclusive_sum|exclusive_sum;type=int32;order=1;tuple=1
# highlights: 1=memcpy,reference/naive
#
# The ladder: inclusive sums of int32 by the labs' reference solutions, one curve
# a lab, CUB and the copy over n. A logarithmic axis: the labs are two orders of
# magnitude apart. (A lab timed by its exclusive sum only is drawn by that.)
load "style.gp"
load "bench.gp"
low = 0.01; high = 1000; logarithmic = 1
load "labels.gp"
eval set_origin(bench)
eval power_tics(10, 30, 4)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [low:high]
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
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . timed(w) . row) using (where = column("n"), \
        last = column("rate")) nooutput
    unused = add_name(title_of(w), where, last, is_shown(w) ? hue_of(w) : pale)
}
set rmargin at screen 0.78
eval put_names
plot for [w in greys_first(names)] sel("who=" . w . timed(w) . row) using (column("n")): \
        (column("rate")):(column("slow")):(column("fast")) with yerrorlines \
        lt lt_of(w) dt 1 lc rgb (is_shown(w) ? hue_of(w) : pale) \
        lw (shown eq "" ? width_of(w) : width_for(w))
