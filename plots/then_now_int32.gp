# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int32
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# Throughput over n on the GPUs of the papers (thesis, Tables A.1 to A.4) and on
# ours. Numbers below 0.05 are printed as 0.0 there and left out.
load "style.gp"
load "bench.gp"
if (!exists("type")) { type = "int32"; titan = "A.1"; kepler = "A.3" }
eval set_origin(bench)
eval set_beside("grey and black marks: Maleki 2016, Tables " . titan . ", " . kepler)
eval power_tics(10, 30, 4)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "10^9 elements/s"
set logscale y 10
set yrange [0.05:1000]
set ytics ("0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set bars 0

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
names = whos("who=memcpy|cub|thrust|fast/lookback|fast/sam|reference/sam" . row)
then(i) = pub("where=Table " . word(titan . " " . kepler, i <= 3 ? 1 : 2) \
    . ";implementation=" . word("SAM CUB Thrust SAM CUB", i))
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("rate")) \
        with linespoints lt lt_of(w) title title_of(w), \
    for [i = 1:5] then(i) using (column("n")): \
        (column("value") > 0.04 ? column("value") : NaN) with linespoints \
        lc rgb (i <= 3 ? black : grey) lw 0.7 dt int(word("1 2 4 1 2", i)) \
        pt int(word("8 4 12 8 4", i)) ps 0.8 * mark \
        title word("SAM CUB Thrust SAM CUB", i) . (i <= 3 ? ", Titan X" : ", K40c")
