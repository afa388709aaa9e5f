# SPDX-License-Identifier: MIT
# data: depth.csv
#
# Depth over n: steps of the longest chain of instructions that wait for each
# other, with as many processors as wanted (docs/clock.md, profile pram). What
# grows with log n, with the number of tiles, or hardly at all.
load "style.gp"
file = data . "/depth.csv"
eval power_tics(12, 20, 4)
eval set_origin(file)
set xlabel "elements n" offset 0,0.4
set ylabel "depth [steps]"
set yrange [0:2000]

title(s) = s eq "naive" ? "1 naive" : \
    s eq "work-efficient" ? "2 work-efficient" : \
    s eq "reduce-then-scan" ? "4 reduce-scan" : \
    s eq "chained" ? "5 chained" : \
    s eq "lookback-serial" ? "6 serial look-back" : \
    s eq "lookback" ? "6 look-back" : \
    s eq "sam" ? "7 SAM, order 1" : \
    s eq "select" ? "8 selection" : s
series = "naive work-efficient reduce-then-scan chained lookback-serial lookback sam select"
plot for [k = 1:words(series)] rows(file, word(series, k)) \
    using (column("n")):(column("depth")) with linespoints lt k \
    title title(word(series, k))
