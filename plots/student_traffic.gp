# SPDX-License-Identifier: MIT
# data: counts.csv student.csv
#
# traffic.gp for one student: their own solutions (marks) on the references'
# counts (lines). On the line, a solution moves what the reference moves.
load "style.gp"
low = 1; high = 80; logarithmic = 1
load "labels.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(student)
eval set_beside("lines: the references, plots/data/counts.csv")
set xlabel "elements n" offset 0,0.4
set ylabel "elements moved / n"
set yrange [low:high]
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
all = series_of(file)
index_of(s) = int(sum [k = 1:words(all)] (word(all, k) eq s ? k : 0))
series = series_of(student)
do for [s in series] {
    where = 0; last = 0
    stats rows(student, s) using (where = column("n"), last = column("moved_per_element")) nooutput
    unused = add_name(title(s), where, last, hue(index_of(s)))
}
set rmargin at screen 0.76
eval put_names
plot for [k = 1:words(all)] rows(file, word(all, k)) \
        using (column("n")):(column("moved_per_element")) with lines lt k dt 1 lw 0.7, \
    for [s in series] rows(student, s) \
        using (column("n")):(column("moved_per_element")) with points \
        lt index_of(s) ps 1.8 * mark
