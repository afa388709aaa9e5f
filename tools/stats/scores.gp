# SPDX-License-Identifier: MIT
# How many submissions have how many of the points: scores.csv
load "class.gp"
stats "scores.csv" using (column("submissions")) nooutput
if (STATS_max < 10) { set ytics 1 }
set xlabel "points, percent"
set ylabel "submissions"
set xrange [0:100]; set xtics 0,10
set yrange [0:*]; set offsets 0,0,1,0
set boxwidth 9 absolute
plot "scores.csv" using (column("from") + 5):(column("submissions")) \
        with boxes lc rgb main, \
    "scores.csv" using (column("from") + 5):(column("submissions")): \
        (column("submissions") > 0 ? sprintf("%d", column("submissions")) : "") \
        with labels offset 0,0.6 textcolor rgb ink
