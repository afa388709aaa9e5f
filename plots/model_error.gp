# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# Model time over a GPU's, of every cell that both files have: 1 is right.
load "style.gp"
load "bench.gp"
load "model.gp"
eval set_model(model)
eval set_gpu(bench)
set xlabel "time on the GPU [µs]" offset 0,0.4
set ylabel "model / GPU"
set logscale x 10
set xrange [4:1000]
set logscale y 2
set yrange [0.18:2.2]
set ytics ("0.25" 0.25, "0.5" 0.5, "1" 1, "2" 2)
all = "< " . chosen(model, "beside", bench)
names = "memcpy cub thrust reference/naive reference/work-efficient " \
    . "reference/shared-tiled reference/chained reference/lookback reference/sam"
ratio(w) = stringcolumn("who") eq w ? column("ratio") : NaN
plot 1 with lines lt 21 notitle, \
    1.2 with lines lt 9 dt 2 title "20 %", 0.8 with lines lt 9 dt 2 notitle, \
    1.4 with lines lt 9 dt 3 title "40 %", 0.6 with lines lt 9 dt 3 notitle, \
    for [w in names] all using (column("us")):(ratio(w)) with points \
        lc rgb colour_of(w) pt open_mark(w) ps mark title title_of(w)
