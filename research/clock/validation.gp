# SPDX-License-Identifier: MIT
# validation.gp: what validate.sh draws, in the folder plots. data: its folder.
#
# Model time beside the GPU's (vgpu/docs/clock.md): each point is a function or a
# kernel at one size. On the line they are the same; between the thin lines the
# error is at most 40 %.
load "style.gp"
file = data . "/clock-h200.csv"
set datafile separator comma
set logscale xy 10
set xlabel "time on the H200, µs" offset 0,0.4
set ylabel "model time, µs"
set xrange [5:6000]
set yrange [5:6000]
set rmargin at screen 0.97
set key at graph 0.02, 0.98 left top # no point is there
set(name) = sprintf("< grep '^%s,' '%s'", name, file)
kind(judges) = sprintf("< grep '^kind,' '%s' | grep ',%d$'", file, judges)
plot x with lines lc rgb black lw 0.7 notitle, \
    1.4 * x with lines lc rgb black lw 0.3 notitle, \
    0.6 * x with lines lc rgb black lw 0.3 notitle, \
    set("variant") using ($5 / 1e3):($6 / 1e3) with points lc rgb sky pt 6 ps 0.6 * mark title "honest variants", \
    kind(0) using ($5 / 1e3):($6 / 1e3) with points lc rgb green pt 4 ps 0.6 * mark title "other kernels, looked at", \
    kind(1) using ($5 / 1e3):($6 / 1e3) with points lc rgb orange pt 8 ps 0.8 * mark title "other kernels, kept apart", \
    set("peer") using ($5 / 1e3):($6 / 1e3) with points lc rgb purple pt 12 ps 0.8 * mark title "CUB, Thrust", \
    set("lab") using ($5 / 1e3):($6 / 1e3) with points lc rgb blue pt 7 ps 0.6 * mark title "labs, fast scans"
