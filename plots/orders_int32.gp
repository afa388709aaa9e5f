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
set yrange [1:1000]
set bars 0

names = whos("who=fast/sam|reference/sam|student/sam|cub" . at_n . row)
copy = number("n", "who=memcpy;type=" . type . at_n) / 1.0
copy = copy / number("median_ns", "who=memcpy;type=" . type . at_n)
then(i) = pub("where=Table " . tables . ";gpu=GeForce GTX Titan X;n=2^28;" \
    . "implementation=" . word("SAM CUB", i))
# Its copy is as fast as its SAM at order 1, in words (section 6.2).
titan = published_number("implementation=SAM;type=" . type . ";order=1;tuple=1;n=2^29;" \
    . "where=Table " . tables)
plot copy with lines lt 21 title "copy (ceiling)", \
    for [w in names] sel("who=" . w . at_n . row) using (column(what)): \
        (column("rate")):(column("slow")):(column("fast")) with yerrorlines \
        lt lt_of(w) title title_of(w) . (w eq "cub" && orders ? ", repeated" : ""), \
    for [i = 1:2] then(i) using (column(what)):(column("value")) with linespoints \
        lc rgb grey dt i pt int(word("8 4", i)) ps mark \
        title word("SAM CUB", i) . ", Titan X", \
    titan with lines lt 9 lw 0.8 title "copy, Titan X"
