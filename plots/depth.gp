# SPDX-License-Identifier: MIT
# data: depth.csv
# highlights: 1=naive 2=work-efficient 4=reduce-then-scan 5=chained
# highlights: 6=lookback,lookback-serial 7=sam 8=select
#
# Work and depth side by side, over n: operations on data per element, and steps
# of the longest chain of instructions that wait for each other, with as many
# processors as wanted (vgpu/docs/clock.md, profile pram). Depth grows with log n, with
# the number of tiles, or hardly at all.
load "style.gp"
low = 0; high = 36
load "labels.gp"
file = data . "/depth.csv"
eval power_tics(12, 20, 4)
eval set_origin(file)

title(s) = s eq "naive" ? "1 naive" : \
    s eq "work-efficient" ? "2 work-efficient" : \
    s eq "reduce-then-scan" ? "4 reduce-scan" : \
    s eq "chained" ? "5 chained" : \
    s eq "lookback-serial" ? "6 serial look-back" : \
    s eq "lookback" ? "6 look-back" : \
    s eq "sam" ? "7 SAM, order 1" : \
    s eq "select" ? "8 selection" : s
series = "naive work-efficient reduce-then-scan chained lookback-serial lookback sam select"
number_of(s) = int(sum [k = 1:words(series)] (word(series, k) eq s ? k : 0))
set multiplot
set xlabel "elements n" offset 0,0.4
set ylabel "work: operations / n"
set ytics 0, 10
set lmargin at screen 0.11
set rmargin at screen 0.33
set yrange [low:high]
do for [s in series] {
    where = 0; last = 0
    stats rows(file, s) using (where = column("n"), last = column("data_ops") / column("n")) nooutput
    unused = add_name(title(s)[1:1], where, last, colour_for(s, number_of(s)))
}
eval put_names
plot for [s in greys_first(series)] rows(file, s) \
    using (column("n")):(column("data_ops") / column("n")) with linespoints \
    lt number_of(s) dt 1 lc rgb colour_for(s, number_of(s)) lw width_for(s)
eval forget_names
unset label 999
high = 2000
set ylabel "depth: steps in a row"
set ytics 0, 500
set lmargin at screen 0.51
set rmargin at screen 0.755
set yrange [low:high]
do for [s in series] {
    stats rows(file, s) using (where = column("n"), last = column("depth")) nooutput
    unused = add_name(title(s), where, last, colour_for(s, number_of(s)))
}
eval put_names
plot for [s in greys_first(series)] rows(file, s) \
    using (column("n")):(column("depth")) with linespoints \
    lt number_of(s) dt 1 lc rgb colour_for(s, number_of(s)) lw width_for(s)
unset multiplot
