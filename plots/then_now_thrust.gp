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
eval set_beside("grey: CUB on C2050, K40, M40, Merrill and Garland 2016, Figure 10")
row = ";operation=copy|inclusive_sum;type=int32;order=1;tuple=1"
k = size("who=thrust" . row)
at_n = sprintf(";n=2^%d", k)
over(w) = number("median_ns", "who=thrust" . at_n . row) \
    / number("median_ns", "who=" . w . at_n . row)
ours = whos("who=fast/lookback|fast/sam|reference/lookback|reference/sam" . at_n . row)
all = ours . "memcpy cub"
set xrange [0.4:3.6 + words(all)]
set yrange [0:3]
set ytics 1
set label 1 "Thrust" at 3.55 + words(all), 1 right offset 0,0.5 textcolor rgb grey
set ylabel "times as fast as Thrust"
set xlabel sprintf("int32, n = 2^{%d}", k) offset 0,0.6
set key off
set rmargin at screen 0.97
set tmargin at screen 0.92
set bmargin at screen 0.43
set xtics scale 0 rotate by 25 right offset 0.6,0.2 ("C2050" 1, "K40" 2, "M40" 3)
do for [i = 1:words(all)] {
    set xtics add (title_of(word(all, i)) 3 + i)
}
place(g) = g eq "Tesla C2050" ? 1 : g eq "Tesla K40" ? 2 : 3
eval "plot pub('where=Figure 10;implementation=CUB over Thrust') " \
    . "using (place(stringcolumn('gpu'))):(column('value')):(0.7) with boxes " \
    . "lc rgb grey dt 1 lw 0.7 fs solid 0.7, " \
    . bars(all, "'+' using (3 + place_in(all, w)):(over(w)):(0.7) every ::::0", \
        "") . "1 with lines lt 22"
