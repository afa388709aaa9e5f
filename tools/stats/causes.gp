# SPDX-License-Identifier: MIT
# What went wrong most often in a lab, in percent of who handed it in: causes-LAB.csv
load "class.gp"
set xlabel "percent of the submissions"
set xrange [0:110]; set xtics 0,20,100
set yrange [rows + 0.6:0.4]
set lmargin at screen 0.55
set ytics noenhanced
set grid xtics lc rgb faint lw 0.6 dt 1
set boxwidth 0.6 absolute
plot file using (column("percent") / 2):(column("row")):(column("percent") / 2):(0.3): \
        yticlabels(stringcolumn("what")) with boxxyerror lc rgb main fs solid, \
    file using (column("percent")):(column("row")): \
        (sprintf("%d", column("submissions"))) with labels left offset 0.6,0 textcolor rgb ink
