# SPDX-License-Identifier: MIT
# data: counts.csv
#
# The steps (depth) of scan networks over n (paper 002, section 2): lines are
# formulas, marks the launches of labs 1 and 2, whose steps are launches.
load "style.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
set xlabel "elements n" offset 0,0.4
set ylabel "steps in a row"
set logscale y 10
set yrange [5:2e6]
set format y "10^{%T}"
set ytics 10, 10

raking(n, p) = 2 * (n / p - 1) + log2(p) + 1
plot x - 1 with lines lt 9 title "serial", \
    raking(x, 32) with lines lt 4 title "reduce-then-scan", \
    2 * log2(x) with lines lt 3 title "Brent-Kung", \
    log2(x) with lines lt 1 title "Kogge-Stone,", \
    NaN with lines lc rgb "white" title "Sklansky", \
    for [s in "naive work-efficient"] rows(file, s) \
        using (column("n")):(column("launches")) with points \
        lt (s eq "naive" ? 1 : 2) pt (s eq "naive" ? 6 : 4) ps 1.5 * mark \
        title (s eq "naive" ? "lab 1" : "lab 2")
