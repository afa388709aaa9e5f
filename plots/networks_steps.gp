# SPDX-License-Identifier: MIT
# data: counts.csv
#
# The steps (depth) of scan networks over n (look-back paper, section 2): lines are
# formulas, marks the launches of labs 1 and 2, whose steps are launches.
load "style.gp"
low = 5; high = 2e6; logarithmic = 1
load "labels.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
eval set_beside("lines: formulas of networks; marks: launches, counted")
set xlabel "elements n" offset 0,0.4
set ylabel "steps in a row"
set logscale y 10
set yrange [low:high]
set format y "10^{%T}"
set ytics 10, 10
set rmargin at screen 0.66

raking(n, p) = 2 * (n / p - 1) + log2(p) + 1
most = 2.0**20
unused = add_name("serial", most, most - 1, hue(9))
unused = add_name("reduce-then-scan", most, raking(most, 32), hue(9))
unused = add_name("lab 2: Brent-Kung", most, 40, hue(2))
unused = add_name("lab 1: Kogge-Stone", most, 20, hue(1))
eval put_names
plot x - 1 with lines lc rgb hue(9) dt 1, raking(x, 32) with lines lc rgb hue(9) dt 1, \
    2 * log2(x) with lines lc rgb hue(2) dt 1, log2(x) with lines lc rgb hue(1) dt 1 lw 2, \
    rows(file, "naive") using (column("n")):(column("launches")) with points \
        lc rgb hue(1) pt 6 ps 1.5 * mark, \
    rows(file, "work-efficient") using (column("n")):(column("launches")) with points \
        lc rgb hue(2) pt 4 ps 1.5 * mark
