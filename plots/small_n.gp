# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|thrust;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# The time of a call for small n, where it is launches and latencies that count,
# not bytes: ours, the peers, and the copy.
load "style.gp"
load "bench.gp"
low = 0; high = 40
load "labels.gp"
eval set_origin(bench)
eval power_tics(10, 22, 2)
set xlabel "elements n, int32" offset 0,0.4
set ylabel "time [µs]"

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=int32"
names = whos("who=memcpy|cub|thrust|fast/*|student/lookback|student/sam" \
    . "|reference/lookback|reference/sam" . row)
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . row . ";n=2^10|2^12|2^14|2^16|2^18|2^20|2^22") \
        using (where = column("n"), last = column("us")) nooutput
    if (last <= high) { unused = add_name(title_of(w), where, last, hue_of(w)) }
}
set rmargin at screen 0.8
set yrange [low:high]
set ytics 0, 5
eval put_names
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lt lt_of(w) dt 1 lw width_of(w)
