# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy
# needs: who=fast/chained|reference/chained|student/chained;operation=inclusive_sum
#
# LightScan's Table 2 (four types, 32M to 512M elements, a Tesla K40c) and lab 5,
# which is its algorithm, on our machine, each on a scale of its own; the lines
# above ours are the copies.
load "style.gp"
load "bench.gp"
eval set_origin(bench)
names = whos("who=fast/chained|reference/chained|student/chained;operation=inclusive_sum")
ours = word(names, 1)
eval set_beside("left: Liu 2016, Table 2, peak: Maleki 2016; right: " . (is_fast(ours) ? "fast" : "reference"))
types = "int32 int64 float double"
colour(i) = word("#0072B2 #D55E00 #009E73 #CC79A7", i)
set xrange [0.3:5.7]
set xtics scale 0 ("2^{25}" 1, "2^{26}" 2, "2^{27}" 3, "2^{28}" 4, "2^{29}" 5)
place(n) = log(n) / log(2) - 24
shift(i) = (i - 2.5) * 0.2
within(c) = column("n") >= 2**24.9 && column("n") <= 2**29.1 ? column(c) : NaN
set multiplot
set key off
set ylabel "10^9 elements/s"
set xlabel "elements n, LightScan on K40c" offset 0,0.4
set rmargin at screen 0.38
set yrange [0:40]
peak = published_number("where=section 5.1;gpu=Tesla K40c")
fill(i) = int(word("7 1 2 6", i))
dash(i) = int(word("1 2 3 4", i))
plot for [i = 1:4] pub("where=Table 2;type=" . word(types, i)) \
    using (place(column("n")) + shift(i)):(column("value")):(0.2) with boxes \
    lc rgb colour(i) dt 1 lw 0.7 fs pattern fill(i), \
    peak / 8 with lines lt 21, peak / 16 with lines lt 22
set key
set lmargin at screen 0.47
set rmargin at screen 0.77
set key at screen 0.785, 0.96
unset ylabel
set xlabel "elements n, lab 5" offset 0,0.4
set yrange [0:*]
row = ";operation=inclusive_sum;order=1;tuple=1"
list = ""
do for [t in types] {
    if (count("who=" . ours . ";type=" . t . row)) { list = list . " " . t }
}
of(t) = int(sum [i = 1:4] (word(types, i) eq t ? i : 0))
# The only type stands in the middle.
centre(t) = words(list) == 1 ? 0 : shift(of(t))
plot for [i = 1:4] "+" using (NaN):(NaN):(0.2) every ::::0 with boxes \
        lc rgb colour(i) dt 1 lw 0.7 fs pattern fill(i) title word(types, i), \
    NaN with lines lt 21 title "peak, int32", \
    NaN with lines lt 22 title "peak, int64", \
    for [t in list] sel("who=memcpy;type=" . t) using (place(column("n"))): \
        (within("rate")) with linespoints lc rgb colour(of(t)) dt dash(of(t)) \
        pt int(word("7 5 9 13", of(t))) ps 0.8 * mark lw 1.2 \
        title "copy, " . t, \
    for [t in list] sel("who=" . ours . ";type=" . t . row) \
        using (place(column("n")) + centre(t)):(within("rate")):(0.2) with boxes \
        lc rgb colour(of(t)) dt 1 lw 0.7 fs pattern fill(of(t)) notitle
unset multiplot
