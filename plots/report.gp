# SPDX-License-Identifier: MIT
# data: bench-gpu beside-cpu
# needs: who=reference/naive;operation=inclusive_sum;type=int32
# needs: who=cub;operation=inclusive_sum;type=int32
#
# The plot of every course report: a serial loop on a CPU, the naive scan, the
# work-efficient one, tiles, and the library, as time over n.
load "style.gp"
load "bench.gp"
low = 1; high = 1; logarithmic = 1
load "labels.gp"
eval set_origin(bench)
eval set_beside("serial: " . origin(cpu))
eval power_tics(10, 28, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "time [µs]"
set logscale y 10
set format y "10^{%T}"
row = ";operation=inclusive_sum;order=1;tuple=1;type=int32"
names = whos("who=reference/naive|reference/work-efficient|reference/shared-tiled|cub" . row)
of_cpu = "< " . chosen(cpu, "print", "who=serial" . row)
source(w) = w eq "serial" ? of_cpu : sel("who=" . w . row)
do for [w in "serial " . names] {
    where = 0; last = 0
    stats source(w) using (column("n") > 2**28 ? NaN : (where = column("n"), last = column("us"), \
        low = last < low ? last : low, high = last > high ? last : high)) nooutput
    unused = add_name(w eq "serial" ? "CPU, serial" : title_of(w), where, last, \
        w eq "serial" ? black : hue_of(w))
}
set yrange [low:high]
set rmargin at screen 0.78
eval put_names
plot of_cpu using (column("n")):(column("us")) with linespoints lt 25 dt 1, \
    for [w in names] sel("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lt lt_of(w) dt 1 lw width_of(w)
