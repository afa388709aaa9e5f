# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int32
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int32;order=2|3|4|5|6|7|8;tuple=1
#
# Sums of order 1 to 8 at the size at which most was timed: one pass should cost
# what a copy costs, whatever the order; CUB is repeated. Beside them the thesis
# (its Figures 6.5 to 6.8, Tables A.1, A.2, A.5, A.6) at 2^28.
load "style.gp"
load "bench.gp"
low = 1; high = 1000; logarithmic = 1
load "labels.gp"
if (!exists("type")) type = "int32"
if (!exists("what")) what = "order"
orders = what eq "order"
tables = type eq "int32" ? (orders ? "A.1|Table A.5" : "A.1|Table A.9") \
    : (orders ? "A.2|Table A.6" : "A.2|Table A.10")
other = orders ? ";tuple=1" : ";order=1"
row = ";type=" . type . other . ";operation=inclusive_sum"
k = size("who=cub|fast/sam|reference/sam|student/sam;" . what . "=2|5|8" . row)
at_n = sprintf(";n=2^%d", k)
eval set_origin(bench)
eval set_beside("Titan X: Maleki 2016, Tables " . tables[1:3] . ", " \
    . tables[11:*] . ", n = 2^28")
set xlabel sprintf("%s (%s, n = 2^{%d})", orders ? "order" : "elements in a tuple", \
    type, k) offset 0,0.4
set ylabel "10^9 elements/s"
set xrange [0.8:8.2]
set xtics 1
set logscale y 10
set yrange [low:high]
set bars 0

names = whos("who=fast/sam|reference/sam|student/sam|cub" . at_n . row)
copy = number("n", "who=memcpy;type=" . type . at_n) / 1.0
copy = copy / number("median_ns", "who=memcpy;type=" . type . at_n)
then(i) = pub("where=Table " . tables . ";gpu=GeForce GTX Titan X;n=2^28;" \
    . "implementation=" . word("SAM CUB", i))
# Its copy is as fast as its SAM at order 1, in words (section 6.2).
titan = published_number("implementation=SAM;type=" . type . ";order=1;tuple=1;n=2^29;" \
    . "where=Table " . tables)
unused = add_name("copy (ceiling)", 8, copy, black)
unused = add_name("copy, Titan X", 8, titan, grey)
do for [w in names] {
    where = 0; last = 0
    stats sel("who=" . w . at_n . row) using (where = column(what), last = column("rate")) nooutput
    unused = add_name(title_of(w) . (w eq "cub" && orders ? ", repeated" : ""), where, last, hue_of(w))
}
do for [i = 1:2] {
    last = 0
    stats then(i) using (where = column(what), last = column("value")) nooutput
    if (last > 0) { unused = add_name(word("SAM CUB", i) . ", Titan X", where, last, grey) }
}
set rmargin at screen 0.77
eval put_names
plot copy with lines lt 21, \
    for [w in names] sel("who=" . w . at_n . row) using (column(what)): \
        (column("rate")):(column("slow")):(column("fast")) with yerrorlines \
        lt lt_of(w) dt 1 lw width_of(w), \
    for [i = 1:2] then(i) using (column(what)):(column("value")) with linespoints \
        lc rgb grey dt 1 lw 0.7 pt int(word("8 4", i)) ps mark, \
    titan with lines lc rgb grey dt 3
