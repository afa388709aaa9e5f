# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# Inclusive sums over n (papers: thesis, Figures 6.1 to 6.4; look-back paper,
# Figures 7 to 9): the fastest of ours, the peers, and the copy, which moves the
# same bytes and adds nothing up. Vertical strokes are quartiles.
load "style.gp"
load "bench.gp"
load "labels.gp"
if (!exists("type")) type = "int32"
eval set_origin(bench)
eval power_tics(10, 30, 4)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "10^9 elements/s"
set bars 0

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
names = whos("who=memcpy|copy16|cub|thrust|fast/*|student/lookback|student/sam" \
    . "|reference/lookback|reference/sam" . row)
low = 0; high = 1
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . row) using (where = column("n"), last = column("rate"), \
        high = column("fast") > high ? column("fast") : high) nooutput
    unused = add_name(title_of(w), where, last, hue_of(w))
}
high = 1.05 * high
set yrange [low:high]
set rmargin at screen 0.8
eval put_names
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("rate")): \
        (column("slow")):(column("fast")) with yerrorlines lt lt_of(w) dt 1 \
        lw width_of(w)
