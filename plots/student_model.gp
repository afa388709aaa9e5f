# SPDX-License-Identifier: MIT
# data: student-model.csv
#
# A student's own inclusive scans (black marks) over n beside the references of
# the same labs, CUB and the copy, all in model time.
load "style.gp"
bench = model
load "bench.gp"
load "model.gp"
eval set_model(model)
eval set_beside(count("who=cub") ? "" : "CUB was not run")
eval power_tics(10, 20, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [0.01:1000]
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
plot for [w in theirs] sel("who=" . w) using (column("n")):(column("rate")) \
        with lines lc rgb colour_of(w) dt dash(w) lw 1.2 \
        title title_of(w), \
    for [w in mine] sel("who=" . w) using (column("n")):(column("rate")) \
        with points lt lt_of(w) ps 1.6 * mark title title_of(w)
