# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int32;order=2|5|8;tuple=1
#
# Sums of orders 2, 5 and 8 over n, as the thesis' Figures 6.5 to 6.8: one pass
# of lab 7 and CUB repeated, below the copy.
load "style.gp"
load "bench.gp"
load "labels.gp"
if (!exists("type")) type = "int32"
if (!exists("what")) what = "order"
other = what eq "order" ? ";tuple=1" : ";order=1"
row = ";operation=inclusive_sum;type=" . type . other
eval set_origin(bench)
lowest = int(word(system(chosen(bench, "ends", what . "=2|5|8" . row)), 1))
eval power_tics(lowest, 30, lowest > 16 ? 2 : 4)
set xlabel sprintf("elements n, %s", type) offset 0,0.4
set ylabel "10^9 elements/s"

ours = count("who=fast/sam;" . what . "=2|5|8" . row) ? "fast/sam" : \
    count("who=reference/sam;" . what . "=2|5|8" . row) ? "reference/sam" : "cub"
full(q) = int(word("0 7 0 0 5 0 0 9", q))
open(q) = int(word("0 6 0 0 4 0 0 8", q))
# Words "who:q" of what was timed.
series = ""
do for [w in (ours eq "cub" ? "cub" : ours . " cub")] { do for [q in "2 5 8"] {
    if (count("who=" . w . ";" . what . "=" . q . row)) {
        series = series . " " . w . ":" . q
    }
}}
w_of(s) = s[1:strlen(s) - 2]
q_of(s) = int(s[strlen(s):*])
where = 0; last = 0; low = 0; high = 1
stats sel("who=memcpy;type=" . type) using (where = column("n"), last = column("rate"), \
    high = last > high ? last : high) nooutput
if (where > 0) { unused = add_name("copy (ceiling)", where, last, black) }
do for [s in series] {
    stats sel("who=" . w_of(s) . ";" . what . "=" . q_of(s) . row) \
        using (where = column("n"), last = column("rate"), high = last > high ? last : high) nooutput
    unused = add_name(sprintf("%s, %s %d", w_of(s) eq "cub" ? "CUB" : \
        w_of(s) eq "fast/sam" ? "SAM" : "SAM ref.", what, q_of(s)), where, last, \
        w_of(s) eq "cub" ? red : hue(4))
}
high = 1.05 * high
set yrange [low:high]
set rmargin at screen 0.79
eval put_names
plot sel("who=memcpy;type=" . type) using (column("n")):(column("rate")) \
        with lines lt 21, \
    for [s in series] sel("who=" . w_of(s) . ";" . what . "=" . q_of(s) . row) \
        using (column("n")):(column("rate")) with linespoints \
        lc rgb (w_of(s) eq "cub" ? red : green) dt 1 \
        lw (w_of(s) eq "cub" ? 0.8 : 1.5) \
        pt (w_of(s) eq "cub" ? open(q_of(s)) : full(q_of(s))) ps 1.1 * mark
