# SPDX-License-Identifier: MIT
# How many submissions were handed in how often: attempts.csv
load "class.gp"
stats "attempts.csv" using (column("submissions")) nooutput
if (STATS_max < 10) { set ytics 1 }
set xlabel "times handed in"
set ylabel "submissions"
set xrange [0.4:10.6]
set xtics ("1" 1, "2" 2, "3" 3, "4" 4, "5" 5, "6" 6, "7" 7, "8" 8, "9" 9, "10 and more" 10)
set yrange [0:*]; set offsets 0,0,1,0
set boxwidth 0.8 absolute
plot "attempts.csv" using (column("times")):(column("submissions")) with boxes lc rgb main, \
    "attempts.csv" using (column("times")):(column("submissions")): \
        (column("submissions") > 0 ? sprintf("%d", column("submissions")) : "") \
        with labels offset 0,0.6 textcolor rgb ink
