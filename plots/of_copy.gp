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
eval set_origin(bench)
eval power_tics(16, 30, 2)
set xlabel "elements n" offset 0,0.4
set ylabel "part of the copy's speed"
set yrange [0:1.1]
set ytics 0, 0.2

row = ";operation=inclusive_sum;order=1;tuple=1"
candidates = "fast/lookback fast/sam reference/lookback reference/sam"
types = "int32 int64 float double"
index_of(t) = t eq "int32" ? 1 : t eq "int64" ? 2 : t eq "float" ? 3 : \
    t eq "double" ? 4 : 5
colour(t) = word("#0072B2 #D55E00 #009E73 #CC79A7 #E69F00", index_of(t))
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
dash(w) = w eq "cub" ? 2 : 1
w_of(s) = s[1:strstrt(s, ":") - 1]
t_of(s) = s[strstrt(s, ":") + 1:*]
eval set_beside(strstrt(series, "fast/") ? "look-back, SAM: fast versions" \
    : "look-back, SAM: the reference solutions")
plot 1 with lines lt 21 title "copy (ceiling)", \
    for [s in series] sel("who=" . w_of(s) . ";type=" . t_of(s) . row) \
        using (at("n")):(at("of_copy")) with linespoints lc rgb colour(t_of(s)) \
        dt dash(w_of(s)) ps 1.1 * mark \
        pt (w_of(s) eq "cub" ? open(t_of(s)) : full(t_of(s))) \
        title (w_of(s) eq "cub" ? "CUB" : short_of(w_of(s))) . ", " . t_of(s)
