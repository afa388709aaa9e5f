# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|thrust;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# The time of a call for small n, where it is launches and latencies that count,
# not bytes: ours, the peers, and the copy.
load "style.gp"
load "bench.gp"
eval set_origin(bench)
eval power_tics(10, 22, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "time [µs]"
set yrange [0:40]
set ytics 0, 5

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=int32"
names = whos("who=memcpy|cub|thrust|fast/*|student/lookback|student/sam" \
    . "|reference/lookback|reference/sam" . row)
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lt lt_of(w) title title_of(w)
