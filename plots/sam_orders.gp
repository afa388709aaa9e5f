# SPDX-License-Identifier: MIT
# data: counts_orders.csv
#
# What lab 7's scan moves through global memory per element, over the order and
# over the tuple size, for n = 2^18; and what q scans one after the other would
# move (2n each), or q phases of three kernels (4n each; thesis, section 4.4).
load "style.gp"
low = 0; high = 18
load "labels.gp"
file = data . "/counts_orders.csv"
eval set_origin(file)
set xlabel "order, or tuple size (n = 2^{18})" offset 0,0.4
set ylabel "elements moved / n"
set xrange [0.8:8.2]
set xtics 1
set yrange [low:high]
set ytics 0, 2

title(s) = s eq "orders" ? "orders" : s eq "tuples" ? "tuples" : "both at once"
eval set_beside("dotted: by formula; marks: counted")
unused = add_name("2n, q times", 8, 16, hue(9))
number_of(s) = s eq "orders" ? 1 : s eq "tuples" ? 2 : 3
do for [s in "orders tuples both"] {
    where = 0; last = 0
    stats rows(file, s) using (where = column("q"), last = column("moved_per_element")) nooutput
    unused = add_name(title(s), where, last, hue(number_of(s)))
}
eval put_names
set label 1 "4n, q times:\n3 phases" at 4.15, 16.5 left textcolor rgb hue(9)
set rmargin at screen 0.8
plot 4 * x with lines lc rgb hue(9) dt 3, 2 * x with lines lc rgb hue(9) dt 3, \
    for [s in "orders tuples both"] rows(file, s) \
        using (column("q")):(column("moved_per_element")) with linespoints \
        lt number_of(s) dt 1
