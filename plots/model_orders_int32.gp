# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/sam;operation=inclusive_sum;type=int32;order=2|3|4|5|6|7|8;tuple=1
#
# Orders 1 to 8 at n = 2^20 (thesis, Figures 6.5 to 6.8), by a GPU's clock and by
# the model: lab 7's reference, and CUB, repeated for orders, on structs for tuples.
load "style.gp"
load "bench.gp"
load "model.gp"
low = 8; high = 128; logarithmic = 1
load "labels.gp"
if (!exists("type")) type = "int32"
if (!exists("what")) what = "order"
other = what eq "order" ? ";tuple=1" : ";order=1"
row = ";n=2^20;type=" . type . other . ";operation=inclusive_sum"
eval set_model(model)
eval set_gpu(bench)
set xlabel sprintf("%s (%s, n = 2^{20})", \
    what eq "order" ? "order" : "elements in a tuple", type) offset 0,0.4
set ylabel "10^9 elements/s"
set xrange [0.8:8.2]
set xtics 1
set logscale y 2
set yrange [low:high]

names = "cub reference/sam"
copy = number("n", "who=memcpy;n=2^20;type=" . type) / 1.0
copy = copy / number("median_ns", "who=memcpy;n=2^20;type=" . type)
unused = add_name("copy (ceiling)", 8, copy, black)
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . row) using (where = column(what), last = column("rate")) nooutput
    if (where > 0) { unused = add_name(title_of(w) \
        . (w eq "cub" && what eq "order" ? ", repeated" : ""), where, last, colour_of(w)) }
}
set rmargin at screen 0.77
eval set_beside("full: GPU; open, dashed: model")
eval put_names
plot copy with lines lt 21, \
    for [w in names] sel("who=" . w . row) using (column(what)):(column("rate")) \
        with linespoints lc rgb colour_of(w) dt 1 pt full_mark(w) ps mark lw 1.2, \
    for [w in names] modelled("who=" . w . row) using (column(what)):(column("rate")) \
        with linespoints lc rgb colour_of(w) dt 2 pt open_mark(w) ps mark
