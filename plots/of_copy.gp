# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy
# needs: who=cub;operation=inclusive_sum;type=int32|int64;order=1;tuple=1
#
# Every type's bytes per second as a part of the copy's, over n: what adding up
# costs. Full marks: ours (look-back; where it was not timed, SAM;
# the fast version, else the reference); open: CUB.
load "style.gp"
load "bench.gp"
low = 0; high = 1.3
load "labels.gp"
eval set_origin(bench)
eval power_tics(16, 30, 2)
set xlabel "elements n" offset 0,0.4
set ylabel "part of the copy's speed"
set yrange [low:high]
set ytics 0, 0.2

row = ";operation=inclusive_sum;order=1;tuple=1"
candidates = "fast/lookback fast/sam reference/lookback reference/sam"
types = "int32 int64 float double"
index_of(t) = t eq "int32" ? 1 : t eq "int64" ? 2 : t eq "float" ? 3 : \
    t eq "double" ? 4 : 5
colour(t) = word("#0072B2 #D55E00 #009E73 #B0578D #B97D00", index_of(t))
full(t) = int(word("7 5 9 13 11", index_of(t)))
open(t) = int(word("6 4 8 12 10", index_of(t)))
# Below 2^16 both sides are a launch's cost, and the copy's varies.
at(c) = column("n") >= 2**16 ? column(c) : NaN
# Words "who:type": the first of ours that was timed for a type, and CUB.
series = ""
do for [t in types] {
    found = ""
    do for [w in candidates] {
        if (found eq "" && count("who=" . w . ";type=" . t . row)) { found = w }
    }
    if (found ne "") { series = series . " " . found . ":" . t }
}
do for [t in types] {
    if (count("who=cub;type=" . t . row)) { series = series . " cub:" . t }
}
w_of(s) = s[1:strstrt(s, ":") - 1]
t_of(s) = s[strstrt(s, ":") + 1:*]
eval set_beside("1: the copy's median, above which a point can lie by its spread; CUB is thin; " \
    . (strstrt(series, "fast/") ? "ours: fast versions" : "ours: references"))
ours(s) = w_of(s) ne "cub"
unused = add_name("copy", 2**30, 1, black)
do for [s in series] {
    where = 0; last = 0
    stats sel("who=" . w_of(s) . ";type=" . t_of(s) . row) \
        using (where = column("n"), last = column("of_copy")) nooutput
    unused = add_name((ours(s) ? short_of(w_of(s)) : "CUB") . ", " . t_of(s), where, last, \
        colour(t_of(s)))
}
set rmargin at screen 0.78
eval put_names
plot 1 with lines lt 21, \
    for [s in series] sel("who=" . w_of(s) . ";type=" . t_of(s) . row) \
        using (at("n")):(at("of_copy")) with linespoints lc rgb colour(t_of(s)) \
        dt 1 lw (ours(s) ? 1.6 : 0.6) ps 1.1 * mark \
        pt (ours(s) ? full(t_of(s)) : open(t_of(s)))
