# SPDX-License-Identifier: MIT
# What was counted, as a part of what the lab allows: traffic-K.csv, of lab K. The
# larger a mark, the more of the class have this count.
load "class.gp"
# Before there are ranges, which would bound it.
least = 0.01 # also for less, and for nothing at all
ratio = "(column(\"ratio\") > least ? column(\"ratio\") : least)"
stats file using @ratio nooutput
set logscale x 2
set xrange [0.9 * (STATS_min < 0.5 ? STATS_min : 0.5):1.1 * (STATS_max > 2 ? STATS_max : 2)]
set yrange [rows + 0.5:0.5]
set lmargin at screen 0.36
set xlabel "count / bound"
set grid xtics ytics lc rgb faint lw 0.6 dt 1
set ytics noenhanced
set arrow 1 from first 1, graph 0 to first 1, graph 1 nohead lc rgb ink lw 1 dt 2
plot file using @ratio:(column("row")): \
        (0.6 + 2.2 * sqrt(column("submissions") / total)):yticlabels(stringcolumn("name")) \
        with points pt 7 ps variable lc rgb main
