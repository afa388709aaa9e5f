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
if (!exists("type")) type = "int32"
eval set_origin(bench)
eval power_tics(10, 30, 4)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "10^9 elements/s"
set yrange [0:*]
set bars 0

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
names = whos("who=memcpy|copy16|cub|thrust|fast/*|student/lookback|student/sam" \
    . "|reference/lookback|reference/sam" . row)
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("rate")): \
        (column("slow")):(column("fast")) with yerrorlines lt lt_of(w) \
        title title_of(w)
