# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/*|student/*;operation=inclusive_sum|exclusive_sum;type=int32;order=1;tuple=1
#
# ladder.gp as time over n with Thrust, as the project report draws it (Hedlund,
# "Time vs Array Size"): flat where a call's fixed cost rules, a slope of 1 where
# memory does.
load "style.gp"
load "bench.gp"
low = 1; high = 2e5; logarithmic = 1
load "labels.gp"
eval set_origin(bench)
eval power_tics(10, 30, 4)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "time [µs]"
set logscale y 10
set yrange [low:high]
set format y "10^{%T}"

row = ";order=1;tuple=1;type=int32"
labs = ""
do for [f in "reference student"] {
    do for [l in "naive work-efficient shared-tiled chained lookback sam"] {
        labs = labs . "|" . f . "/" . l
    }
}
names = whos("who=memcpy|thrust" . labs . ";operation=copy|inclusive_sum|exclusive_sum" \
    . row)
timed(w) = count("operation=inclusive_sum|copy;who=" . w . row) \
    ? ";operation=inclusive_sum|copy" : ";operation=exclusive_sum"
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . timed(w) . row) using (where = column("n"), \
        last = column("us"), high = last > high ? last : high) nooutput
    unused = add_name(title_of(w), where, last, hue_of(w))
}
set yrange [low:high]
set rmargin at screen 0.78
eval put_names
plot for [w in names] sel("who=" . w . timed(w) . row) \
        using (column("n")):(column("us")) with linespoints lt lt_of(w) \
        lc rgb hue_of(w) dt 1 lw width_of(w)
