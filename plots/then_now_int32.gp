# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int32
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# Throughput over n on the GPUs of the papers (thesis, Tables A.1 to A.4) and on
# ours. Numbers below 0.05 are printed as 0.0 there and left out.
load "style.gp"
load "bench.gp"
low = 0.05; high = 1000; logarithmic = 1
load "labels.gp"
if (!exists("type")) { type = "int32"; titan = "A.1"; kepler = "A.3" }
eval set_origin(bench)
eval set_beside("left: Maleki 2016, Tables " . titan . ", " . kepler)
eval power_tics(10, 30, 10)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [low:high]
set ytics ("0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set bars 0

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
names = whos("who=memcpy|cub|thrust|fast/lookback|fast/sam" . row)
if (words(names) < 4) { names = whos("who=memcpy|cub|thrust|reference/sam" . row) }
then(i) = pub("where=Table " . word(titan . " " . kepler, i <= 3 ? 1 : 2) \
    . ";implementation=" . word("SAM CUB Thrust SAM CUB", i))
hue_then(i) = word("#009E73 #D55E00 #7A5200 #009E73 #D55E00", i)
set multiplot
set tmargin at screen 0.9
set lmargin at screen 0.11
set rmargin at screen 0.36
set title "then" offset 0,-0.6
do for [i = 1:5] {
    where = 0; last = low
    stats then(i) using (where = column("n"), last = column("value") > low ? \
        column("value") : last) nooutput
    if (where > 0) {
        unused = add_name(word("SAM CUB Thrust SAM CUB", i) \
            . (i <= 3 ? ", Titan X" : ", K40c"), where, last, hue_then(i))
    }
}
eval put_names
plot for [i = 1:5] then(i) using (column("n")): \
        (column("value") > 0.04 ? column("value") : NaN) with linespoints \
        lc rgb hue_then(i) lw (i <= 3 ? 1 : 0.6) dt 1 \
        pt int(word("8 4 12 8 4", i)) ps 0.8 * mark
eval forget_names
unset ylabel
unset label
set lmargin at screen 0.61
set rmargin at screen 0.815
set title "now" offset 0,-0.6
do for [w in names] {
    stats sel("who=" . w . row) using (where = column("n"), last = column("rate")) nooutput
    unused = add_name(title_of(w), where, last, hue_of(w))
}
eval put_names
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("rate")) \
        with linespoints lt lt_of(w) dt 1 lw width_of(w)
unset multiplot
