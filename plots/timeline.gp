# SPDX-License-Identifier: MIT
# data: timeline.csv
#
# Who waits for whom: each line is a block, from its start to its end, each arrow
# a word that one block stored and another learned something from. Left the chain
# of lab 5, right the look-back of lab 6, for the same n and on the same scale.
load "style.gp"
bench = ""; published = ""
load "bench.gp"
load "model.gp"
file = data . "/timeline.csv"
eval set_model(file)
of(series, kind) = sprintf("< awk -F, '/^#/ { next } !named++ || " \
    . "($1 == \"%s\" && $2 == \"%s\")' '%s'", series, kind, file)
set ylabel "block" offset 1,0
eval set_beside("blue: a block, from start to end; red: a message, from store to read")
set grid noytics xtics lc rgb "#DDDDDD" lw 0.6 dt 1
set xrange [0:12.5]
set xtics 0, 2
set key off
set multiplot
set tmargin at screen 0.9
set lmargin at screen 0.09
set rmargin at screen 0.5
set xlabel "time [µs of model time]" offset 0,0.4
set yrange [34:-2]
set ytics 0, 8
set title "lab 5, a chain: 32 tiles of 8192" offset 0,-0.6
draw_blocks(s) = sprintf("of('%s', 'block') using (column('from_us')):" \
    . "(column('from_block')):(column('to_us') - column('from_us')):(0) " \
    . "with vectors nohead lc rgb sky lw " . (s eq "chained" ? "2" : "1") . ", of('%s', 'message') using " \
    . "(column('from_us')):(column('from_block')):(column('to_us') - " \
    . "column('from_us')):(column('to_block') - column('from_block')) " \
    . "with vectors head size graph 0.012,20 filled lc rgb red lw 0.7", s, s)
eval "plot " . draw_blocks("chained")
set lmargin at screen 0.56
set rmargin at screen 0.99
unset ylabel
set yrange [68:-4]
set ytics 0, 16
set title "lab 6, look-back: 64 tiles of 4096"
unset label
eval "plot " . draw_blocks("lookback")
unset multiplot
