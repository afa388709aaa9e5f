# SPDX-License-Identifier: MIT
# data: student-model.csv beside-cpu
#
# The plot of every course report, of a student's own scans (black) and the
# library, in model time; beside them a serial loop on a CPU, measured.
load "style.gp"
bench = model
load "bench.gp"
load "model.gp"
low = 1; high = 1; logarithmic = 1
load "labels.gp"
eval set_model(model)
eval set_beside("serial: measured, " . origin(cpu))
eval power_tics(10, 20, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "time [µs]"
set logscale y 10
set format y "10^{%T}"
row = ";operation=inclusive_sum;order=1;tuple=1;type=int32"
all = whos("")
names = ""
do for [w in all] {
    if (w eq "cub" || is_student(w)) { names = names . " " . w }
}
of_cpu = "< " . chosen(cpu, "print", "who=serial" . row)
source(w) = w eq "serial" ? of_cpu : sel("who=" . w . row)
do for [w in "serial " . names] {
    where = 0; last = 0
    stats source(w) using (column("n") > 2**20 ? NaN : (where = column("n"), last = column("us"), \
        low = last < low ? last : low, high = last > high ? last : high)) nooutput
    unused = add_name(w eq "serial" ? "CPU, serial" : title_of(w), where, last, \
        w eq "serial" ? grey : hue_of(w))
}
set yrange [low:high]
set rmargin at screen 0.78
eval put_names
plot of_cpu using (column("n")):(column("us")) with linespoints lt 27 lw 1, \
    for [w in names] sel("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lt lt_of(w) dt 1 lw width_of(w)
