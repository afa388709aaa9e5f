# SPDX-License-Identifier: MIT
# data: counts.csv
#
# What each lab's scan moves through global memory, per element, over n. The
# grey lines are what the papers say a method moves: 4n, 3n, 2n (paper 002,
# section 3.2). A naive step reads and writes n elements; since each is read by
# two threads and sectors are counted before any cache, 3n are counted.
load "style.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
set xlabel "elements n" offset 0,0.4
set ylabel "elements moved / n"
set yrange [1:80]
set logscale y 2
set ytics ("2" 2, "3" 3, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)

title(s) = s eq "naive" ? "1 naive" : \
    s eq "work-efficient" ? "2 work-efficient" : \
    s eq "scan-then-propagate" ? "4 scan-propagate" : \
    s eq "reduce-then-scan" ? "4 reduce-scan" : \
    s eq "chained" ? "5 chained" : \
    s eq "lookback" ? "6 look-back" : \
    s eq "sam" ? "7 SAM, order 1" : \
    s eq "sam-order-8" ? "7 SAM, order 8" : s
series = series_of(file)
plot 3 * log2(x) with lines lt 9 dt 2 lw 1.5 notitle, \
    2 * log2(x) with lines lt 9 dt 2 lw 1.5 title "2 or 3 log_2 n", \
    4 with lines lt 9 dt 1 notitle, 3 with lines lt 9 dt 1 notitle, \
    2 with lines lt 9 dt 1 title "2, 3 or 4", \
    for [k = 1:words(series)] rows(file, word(series, k)) \
        using (column("n")):(column("moved_per_element")) \
        with linespoints lt k title title(word(series, k))
