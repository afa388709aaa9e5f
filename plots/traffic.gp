# SPDX-License-Identifier: MIT
# data: counts.csv
# highlights: 1=naive 2=work-efficient 4=scan-then-propagate,reduce-then-scan
# highlights: 5=chained 6=lookback 7=sam,sam-order-8
#
# What each lab's scan moves through global memory, per element, over n. The
# dotted lines are what the papers say a method moves: 4n, 3n, 2n (look-back paper,
# section 3.2). A naive step reads and writes n elements; since each is read by
# two threads and sectors are counted before any cache, 3n are counted.
load "style.gp"
low = 1; high = 80; logarithmic = 1
load "labels.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
eval set_beside("dotted: by formula; marks: counted")
set xlabel "elements n" offset 0,0.4
set ylabel "elements moved / n"
set yrange [low:high]
set logscale y 2
set ytics ("2" 2, "3" 3, "4" 4, "8" 8, "16" 16, "32" 32, "64" 64)
set rmargin at screen 0.76

title(s) = s eq "naive" ? "1 naive" : \
    s eq "work-efficient" ? "2 work-efficient" : \
    s eq "scan-then-propagate" ? "4 scan-propagate" : \
    s eq "reduce-then-scan" ? "4 reduce-scan" : \
    s eq "chained" ? "5 chained" : \
    s eq "lookback" ? "6 look-back" : \
    s eq "sam" ? "7 SAM, order 1" : \
    s eq "sam-order-8" ? "7 SAM, order 8" : s
series = series_of(file)
number_of(s) = int(sum [k = 1:words(series)] (word(series, k) eq s ? k : 0))
do for [s in series] {
    last = 0; where = 0
    stats rows(file, s) using (where = column("n"), last = column("moved_per_element")) nooutput
    unused = add_name(title(s), where, last, colour_for(s, number_of(s)))
}
eval put_names
# Lines of theory are named above themselves.
set label 1 "3 log_2 n" at 2**17.3, 70 center textcolor rgb grey
set label 2 "2 log_2 n" at 2**18.5, 26 center textcolor rgb grey
set label 3 "2n, 3n, 4n" at 2**9.6, 5.2 center textcolor rgb grey
plot 3 * log2(x) with lines lc rgb grey dt 3, 2 * log2(x) with lines lc rgb grey dt 3, \
    4 with lines lc rgb grey dt 3, 3 with lines lc rgb grey dt 3, \
    2 with lines lc rgb grey dt 3, \
    for [s in greys_first(series)] rows(file, s) \
        using (column("n")):(column("moved_per_element")) \
        with linespoints lt number_of(s) dt 1 lc rgb colour_for(s, number_of(s)) \
        lw width_for(s)
