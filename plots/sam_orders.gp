# SPDX-License-Identifier: MIT
# data: counts_orders.csv
#
# What lab 7's scan moves through global memory per element, over the order and
# over the tuple size, for n = 2^18; and what q scans one after the other would
# move (2n each), or q phases of three kernels (4n each; thesis, section 4.4).
load "style.gp"
file = data . "/counts_orders.csv"
eval set_origin(file)
set xlabel "order, or tuple size (n = 2^{18})" offset 0,0.4
set ylabel "elements moved / n"
set xrange [0.8:8.2]
set xtics 1
set yrange [0:18]
set ytics 0, 2

title(s) = s eq "orders" ? "orders" : s eq "tuples" ? "tuples" : "both at once"
plot 4 * x with lines lt 9 dt 3 title "3 phases, q times", \
    2 * x with lines lt 9 dt 2 title "2n, q times", \
    for [s in "orders tuples both"] rows(file, s) \
        using (column("q")):(column("moved_per_element")) with linespoints \
        lt (s eq "orders" ? 1 : s eq "tuples" ? 2 : 3) title title(s)
