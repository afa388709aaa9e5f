# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int32
# needs: who=cub;operation=inclusive_sum;type=int32;order=1;tuple=1
# needs: who=thrust;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# How many times faster than Thrust at large n: CUB on the GPUs of the look-back
# paper (Figure 10, where Thrust still scanned and then propagated, 4n), and on
# ours, where Thrust calls CUB; and what a copy would reach.
load "style.gp"
load "bench.gp"
eval set_origin(bench)
eval set_beside("C2050, K40, M40: Merrill and Garland 2016, Figure 10")
row = ";operation=copy|inclusive_sum;type=int32;order=1;tuple=1"
k = size("who=thrust" . row)
at_n = sprintf(";n=2^%d", k)
over(w) = number("median_ns", "who=thrust" . at_n . row) \
    / number("median_ns", "who=" . w . at_n . row)
ours = whos("who=fast/lookback|fast/sam|reference/lookback|reference/sam" . at_n . row)
all = ours . "memcpy cub"
set xrange [0.4:3.6 + words(all)]
set yrange [0:3]
set ylabel "times as fast as Thrust"
set xlabel sprintf("three GPUs of the paper, then ours (int32, n = 2^{%d})", k) \
    offset 0,0.4
set xtics scale 0 ("C2050" 1, "K40" 2, "M40" 3)
eval sprintf("set xtics font ',%g'", 1.25 * small)
do for [i = 1:words(all)] {
    set xtics add (sprintf("%d", i) 3 + i)
}
place(g) = g eq "Tesla C2050" ? 1 : g eq "Tesla K40" ? 2 : 3
eval "plot pub('where=Figure 10;implementation=CUB over Thrust') " \
    . "using (place(stringcolumn('gpu'))):(column('value')):(0.7) with boxes " \
    . "lc rgb red dt 1 lw 0.7 fs pattern 1 title 'CUB, paper', " \
    . bars(all, "'+' using (3 + place_in(all, w)):(over(w)):(0.7) every ::::0", \
        " title sprintf('%d: %s', place_in(all, w), title_of(w))") \
    . "1 with lines lt 22 title 'Thrust'"
