# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub;operation=select_half|partition_half|run_length|reduce_by_key|sort_keys|sort_pairs
#
# The applications of scan against CUB (look-back paper, Figure 12), at the size at
# which most was timed: the bytes that must move, over time. The line is what a
# copy reaches. A radix sort moves its keys several times; bytes that must
# move are those of one pass, so its bars show what further passes cost.
load "style.gp"
load "bench.gp"
operations = "select_half partition_half run_length reduce_by_key sort_keys sort_pairs"
row = ";operation=select_half|partition_half|run_length|reduce_by_key|" \
    . "sort_keys|sort_pairs;type=int32"
k = size("who=cub|fast/applications|reference/applications" . row)
at_n = sprintf(";n=2^%d", k)
eval set_origin(bench)
set xlabel sprintf("operation (int32, n = 2^{%d})", k) offset 0,0.4
eval set_beside("-: not timed")
set ylabel "10^9 bytes/s"
set xrange [0.5:6.5]
set yrange [0:*]
set xtics scale 0 ("select" 1, "partition" 2, "run lengths" 3, \
    "reduce by key" 4, "sort keys" 5, "sort pairs" 6)
set rmargin at screen 0.98
set tmargin at screen 0.84
set key at screen 0.06, 0.995 left top horizontal maxcols 5 samplen 1.2 width -1.5
eval sprintf("set key font ',%g'; set xtics font ',%g'", 1.1 * small, small)
names = whos("who=fast/applications|reference/applications|student/applications" \
    . "|cub|thrust" . at_n . row)
width = 0.8 / words(names)
place(op) = sum [i = 1:6] (word(operations, i) eq op ? i : 0)
shift(w) = (place_in(names, w) - (words(names) + 1) / 2.0) * width
copy = number("bytes", "who=memcpy;type=int32" . at_n) \
    / number("median_ns", "who=memcpy;type=int32" . at_n)
row_of(w) = sel("who=" . w . at_n . row)
x_of(w, op) = place(op) + shift(w)
# A bar that is not there.
mark_of = 0
do for [w in names] {
    do for [op in operations] {
        if (!count("who=" . w . at_n . ";operation=" . op . ";type=int32")) {
            mark_of = mark_of + 1
            set label mark_of "-" at x_of(w, op), first 0 center offset 0,0.35
        }
    }
}
eval "plot " . bars(names, "row_of(w) using (x_of(w, stringcolumn('operation')))" \
    . ":(column('gbs')):(width)", " title title_of(w)") \
    . "copy with lines lt 21 title 'copy (ceiling)'"
