# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# How far model time is to be trusted: inclusive sums over n (look-back paper,
# Figure 7; thesis, Figures 6.1 to 6.4), by a GPU's clock and by the model; as
# times, since rates of four decades would hide how far the two are apart.
load "style.gp"
load "bench.gp"
load "model.gp"
logarithmic = 1
load "labels.gp"
if (!exists("type")) type = "int32"
if (!exists("labs")) labs = "lookback sam"
if (!exists("peers")) peers = "memcpy cub thrust"
eval set_model(model)
eval set_gpu(bench)
eval power_tics(10, 22, 2)
set xlabel "elements n, " . type offset 0,0.4
set ylabel "time [µs]"
set logscale y 10
set ytics ("5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500)

row = ";operation=copy|inclusive_sum;order=1;tuple=1;type=" . type
names = ""
do for [p in peers] { if (modelled_count("who=" . p . row)) { names = names . " " . p } }
do for [l in labs] {
    if (modelled_count("who=reference/" . l . row)) { names = names . " reference/" . l }
}
# Sizes that the model has, too.
row = row . ";n=2^10|2^12|2^14|2^16|2^18|2^20|2^22"
low = 4; high = 5
do for [w in names] {
    where = 0; last = 0
    stats modelled("who=" . w . row) using (where = column("n"), last = column("us"), \
        high = last > high ? last : high) nooutput
    stats sel("who=" . w . row) using (where = column("n"), last = column("us"), \
        high = last > high ? last : high) nooutput
    unused = add_name(title_of(w), where, last, colour_of(w))
}
high = 1.2 * high
set yrange [low:high]
set rmargin at screen 0.78
eval set_beside("full: GPU; open, dashed: model")
eval put_names
plot for [w in names] sel("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lc rgb colour_of(w) dt 1 pt full_mark(w) ps mark lw 1.2, \
    for [w in names] modelled("who=" . w . row) using (column("n")):(column("us")) \
        with linespoints lc rgb colour_of(w) dt 2 pt open_mark(w) ps mark
