# SPDX-License-Identifier: MIT
# data: student-model.csv
#
# A student's own inclusive scans (black marks) over n beside the references of
# the same labs, CUB and the copy, all in model time.
load "style.gp"
bench = model
load "bench.gp"
load "model.gp"
low = 0.01; high = 1000; logarithmic = 1
load "labels.gp"
eval set_model(model)
eval set_beside("dashed: the references" . (count("who=cub") ? "" : "; CUB was not run"))
eval power_tics(10, 20, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [low:high]
set format y "10^{%T}"

all = whos("")
mine = ""
theirs = ""
do for [w in all] { if (is_student(w)) { mine = mine . " " . w } }
do for [w in mine] {
    if (count("who=reference/" . after_slash(w))) {
        theirs = theirs . " reference/" . after_slash(w)
    }
}
theirs = (count("who=memcpy") ? "memcpy" : "") . (count("who=cub") ? " cub" : "") . theirs
dash(w) = w eq "memcpy" ? 1 : 2
# The references are dashed, in the colour of their lab, and named where there
# is room.
do for [w in theirs . mine] {
    where = 0; last = 0
    stats sel("who=" . w) using (column("n") > 2**20 ? NaN : \
        (where = column("n"), last = column("rate"))) nooutput
    if (where > 0 && (words(mine) <= 3 || lab_of(w) < 0 || is_student(w))) {
        unused = add_name(title_of(w), where, last, is_student(w) ? black : colour_of(w))
    }
}
set rmargin at screen 0.76
eval put_names
plot for [w in theirs] sel("who=" . w) using (column("n")):(column("rate")) \
        with lines lc rgb colour_of(w) dt dash(w) lw 1.2, \
    for [w in mine] sel("who=" . w) using (column("n")):(column("rate")) \
        with points lt lt_of(w) ps 1.6 * mark
