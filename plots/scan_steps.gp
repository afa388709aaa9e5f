# SPDX-License-Identifier: MIT
# data: scan-steps-h200.csv bench-gpu
# needs: who=memcpy;type=int32;n=2^28
# needs: who=cub;operation=inclusive_sum;type=int32;n=2^28
# needs: who=fast/sam;operation=inclusive_sum;type=int32;n=2^28
#
# Steps on the way to timing/fast (timing/docs/performance.md): orders and tuples of
# 2^28 int32 as a part of the copy's speed, variants A, B and C; what is committed
# and CUB from the run of scanlab bench.
load "style.gp"
load "bench.gp"
steps = data . "/scan-steps-h200.csv"
eval set_origin(steps)
eval set_beside("A: first; B: fewer products for orders; C: a warp for each slot of a tuple")
set ylabel "part of the copy's speed"
set yrange [0:1.1]
set ytics 0, 0.2
set xrange [0.8:8.2]
set xtics 1
of_variant(v, other) = "< " . chosen(steps, "print", \
    "variant=" . v . ";type=int32;n=2^28;" . other)
of_cub(other) = sel("who=cub;operation=inclusive_sum;type=int32;n=2^28;" . other)
now(other) = sel("who=fast/sam;operation=inclusive_sum;type=int32;n=2^28;" . other)
colour(v) = v eq "A" ? blue : v eq "B" ? purple : grey
dash(v) = v eq "A" ? 3 : v eq "B" ? 2 : 4
point(v) = v eq "A" ? 6 : v eq "B" ? 10 : 12

set multiplot
set key off
set xlabel "order, n = 2^{28}" offset 0,0.4
set rmargin at screen 0.44
plot 1 with lines lt 21, for [v in "A B C"] of_variant(v, "tuple=1") \
        using (column("order")):(column("of_copy")) with linespoints \
        lc rgb colour(v) dt dash(v) pt point(v) ps 1.1 * mark, \
    now("tuple=1") using (column("order")):(column("of_copy")) \
        with linespoints lc rgb green dt 1 pt 9 ps 1.1 * mark, \
    of_cub("tuple=1") using (column("order")):(column("of_copy")) \
        with linespoints lt 23
set key at screen 0.85, 0.96
unset ylabel
set format y ""
set xlabel "elements in a tuple" offset 0,0.4
set lmargin at screen 0.48
set rmargin at screen 0.82
plot 1 with lines lt 21 title "copy", for [v in "A B C"] of_variant(v, "order=1") \
        using (column("tuple")):(column("of_copy")) with linespoints \
        lc rgb colour(v) dt dash(v) pt point(v) ps 1.1 * mark title v, \
    now("order=1") using (column("tuple")):(column("of_copy")) \
        with linespoints lc rgb green dt 1 pt 9 ps 1.1 * mark title "now", \
    of_cub("order=1") using (column("tuple")):(column("of_copy")) \
        with linespoints lt 23 title "CUB"
unset multiplot
