# SPDX-License-Identifier: MIT
# data: bench-cpu published.csv
# needs: who=memcpy|ntcopy;type=int32
# needs: who=serial;operation=inclusive_sum;type=int32
# needs: who=threads|onetbb|reference/cpu-scan|fast/cpu-scan|student/cpu-scan;operation=inclusive_sum;type=int32
#
# Lab 0 over n: a serial loop, two passes on all threads, oneTBB, the tiles with
# look-back, and three copies: memcpy on all threads, one whose stores go past the
# caches, and memcpy on one thread. The grey line is TBB on 16 cores in LightScan's Table 3.
load "style.gp"
load "bench.gp"
load "labels.gp"
type = "int32"
eval set_origin(bench)
eval set_beside("copy: memcpy, whose stores may pass the caches or not; TBB: 16 cores, Liu 2016, Table 3")
row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
ends = system(chosen(bench, "ends", "who=serial" . row))
eval power_tics(int(word(ends, 1)), int(word(ends, 2)), 4)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "10^9 elements/s"
set bars 0
names = whos("who=memcpy|memcpy-1|ntcopy|serial|threads|onetbb|fast/cpu-scan|student/cpu-scan" \
    . "|reference/cpu-scan" . row)
tbb = published_number("where=Table 3 maximum;gpu=Xeon E5-2650;type=" . type)
name(w) = w eq "memcpy" ? "copy, threads" : title_of(w)
low = 0; high = tbb
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . row) using (where = column("n"), last = column("rate"), \
        high = column("fast") > high ? column("fast") : high) nooutput
    unused = add_name(name(w), where, last, hue_of(w))
}
high = 1.05 * high
unused = add_name("TBB, 2016", 2**real(word(ends, 2)), tbb, grey)
set yrange [low:high]
set rmargin at screen 0.8
eval put_names
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("rate")): \
        (column("slow")):(column("fast")) with yerrorlines lt lt_of(w) dt 1 \
        lw width_of(w), \
    tbb with lines lc rgb grey dt 3
