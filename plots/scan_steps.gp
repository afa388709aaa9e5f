# SPDX-License-Identifier: MIT
# data: scan-steps-h200.csv bench-gpu
# needs: who=memcpy;type=int32;n=2^28
# needs: who=cub;operation=inclusive_sum;type=int32;n=2^28
# needs: who=fast/sam;operation=inclusive_sum;type=int32;n=2^28
#
# Steps on the way to timing/fast (research/performance.md): orders and tuples of
# 2^28 int32 as a part of the copy's speed, variants A, B and C; what is committed
# and CUB from the run of scanlab bench.
load "style.gp"
load "bench.gp"
low = 0; high = 1.1
load "labels.gp"
steps = data . "/scan-steps-h200.csv"
eval set_origin(steps)
eval set_beside("A: first; B: fewer products for orders; C: a warp for each slot of a tuple")
set ylabel "part of the copy's speed"
set yrange [low:high]
set ytics 0, 0.2
set xrange [0.8:8.2]
set xtics 1
of_variant(v, other) = "< " . chosen(steps, "print", \
    "variant=" . v . ";type=int32;n=2^28;" . other)
of_cub(other) = sel("who=cub;operation=inclusive_sum;type=int32;n=2^28;" . other)
now(other) = sel("who=fast/sam;operation=inclusive_sum;type=int32;n=2^28;" . other)
colour(v) = v eq "A" ? blue : v eq "B" ? purple : grey
point(v) = v eq "A" ? 6 : v eq "B" ? 10 : 12

set multiplot
set xlabel "order, n = 2^{28}" offset 0,0.4
set rmargin at screen 0.46
plot 1 with lines lt 21, for [v in "A B C"] of_variant(v, "tuple=1") \
        using (column("order")):(column("of_copy")) with linespoints \
        lc rgb colour(v) dt 1 pt point(v) ps 1.1 * mark, \
    now("tuple=1") using (column("order")):(column("of_copy")) \
        with linespoints lc rgb green dt 1 pt 9 ps 1.1 * mark, \
    of_cub("tuple=1") using (column("order")):(column("of_copy")) \
        with linespoints lt 23 dt 1
unset ylabel
set format y ""
set xlabel "elements in a tuple" offset 0,0.4
set lmargin at screen 0.5
set rmargin at screen 0.86
unused = add_name("copy", 8, 1, black)
where = 8; last = 0
do for [v in "A B C"] {
    stats of_variant(v, "order=1") using (where = column("tuple"), last = column("of_copy")) nooutput
    unused = add_name(v, where, last, colour(v))
}
stats now("order=1") using (where = column("tuple"), last = column("of_copy")) nooutput
unused = add_name("now", where, last, green)
stats of_cub("order=1") using (where = column("tuple"), last = column("of_copy")) nooutput
unused = add_name("CUB", where, last, red)
eval put_names
plot 1 with lines lt 21, for [v in "A B C"] of_variant(v, "order=1") \
        using (column("tuple")):(column("of_copy")) with linespoints \
        lc rgb colour(v) dt 1 pt point(v) ps 1.1 * mark, \
    now("order=1") using (column("tuple")):(column("of_copy")) \
        with linespoints lc rgb green dt 1 pt 9 ps 1.1 * mark lw 1.6, \
    of_cub("order=1") using (column("tuple")):(column("of_copy")) \
        with linespoints lt 23 dt 1
unset multiplot
