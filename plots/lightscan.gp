# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int32
# needs: who=fast/chained|reference/chained|student/chained;operation=inclusive_sum;type=int32
#
# LightScan's Table 3, the best rate of each program over n (2^25 to 2^29), beside
# the same on our machine. Each panel has its own scale.
load "style.gp"
load "bench.gp"
eval set_origin(bench)
eval set_beside("left: Liu 2016, Table 3, maxima; peak: Maleki 2016, 5.1")
then = "LightScan CUB ModernGPU CUDPP Thrust"
# One bar a program; where there are no more, nothing is added.
set xtics scale 0 rotate by 35 right offset 0.6,0.2
set multiplot
set key off
set yrange [0:40]
set xrange [0.4:6.6]
set xlabel "program" offset 0,0.3
set ylabel "10^9 elements/s"
set title "int32, then: K40c (TBB: 16 CPU cores)" offset 0,-0.6
set tmargin at screen 0.88
set rmargin at screen 0.44
set bmargin at screen 0.43
set xtics ("LightScan" 1, "CUB" 2, "ModernGPU" 3, "CUDPP" 4, "Thrust" 5, "TBB" 6)
place(p) = sum [i = 1:5] (word(then, i) eq p ? i : 0)
# What the K40c's memory could do: 8 bytes an element.
peak = published_number("where=section 5.1;gpu=Tesla K40c")
set label 1 "peak of its memory" at 0.6, peak / 8 + 3.2 font sprintf(",%g", 1.25 * small)
plot pub("where=Table 3 maximum;type=int32;gpu=Tesla K40c") \
        using (place(stringcolumn("implementation"))):(column("value")):(0.7) \
        with boxes lc rgb grey lw 0.7 fs solid 0.7, \
    pub("where=Table 3 maximum;type=int32;gpu=Xeon E5-2650") \
        using (6):(column("value")):(0.7) with boxes lc rgb grey dt 1 lw 0.7 fs pattern 1, \
    peak / 8 with lines lt 21
unset label 1
# Our maxima over the same sizes.
set yrange [0:*]
set lmargin at screen 0.53
set rmargin at screen 0.97
names = whos("who=memcpy|fast/*|reference/chained|reference/lookback|reference/sam" \
    . "|student/chained|cub|thrust;type=int32;order=1;tuple=1;" \
    . "operation=copy|inclusive_sum;n=2^25|2^26|2^27|2^28|2^29")
names = words(names) > 9 ? names[1:strstrt(names, " " . word(names, 10)) - 1] : names
set xrange [0.4:words(names) + 0.6]
set xtics (word(names, 1) eq "memcpy" ? "copy" : title_of(word(names, 1)) 1)
do for [i = 2:words(names)] {
    set xtics add (title_of(word(names, i)) i)
}
unset ylabel
unset xlabel
set title "now: our machine" offset 0,-0.6
best(w) = real(system(chosen(bench, "most", "who=" . w . ";type=int32;order=1;" \
    . "tuple=1;operation=copy|inclusive_sum;n=2^25|2^26|2^27|2^28|2^29")))
eval "plot " . bars(names, "'+' using (place_in(names, w)):(best(w)):(0.7) every ::::0", \
    " notitle") . "0 with lines lc rgb grey notitle"
unset multiplot
