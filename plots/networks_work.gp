# SPDX-License-Identifier: MIT
# data: counts.csv
#
# The work of scan networks, operators per element, over n (paper 002, section
# 2): lines are formulas, marks what the labs' references count. Reduce-then-
# scan is the raking form of section 3.1 over 32 lanes: for 16 elements and 4
# lanes its formula gives the 29 operators printed there.
load "style.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
set xlabel "elements n" offset 0,0.4
set ylabel "additions / n"
set yrange [0:20]
set ytics 0, 2

kogge_stone(n) = n * log2(n) - n + 1
sklansky(n) = n / 2 * log2(n)
brent_kung(n) = 2 * n - 2 - log2(n)
raking(n, p) = 2 * (n - p) + kogge_stone(p)

title(s) = s eq "naive" ? "lab 1" : s eq "work-efficient" ? "lab 2" : \
    s eq "scan-then-propagate" ? "lab 4, 4n" : \
    s eq "reduce-then-scan" ? "lab 4, 3n" : \
    s eq "chained" ? "lab 5" : s eq "lookback" ? "lab 6" : s
wanted(s) = strstrt(s, "sam") == 0
series = ""
do for [s in series_of(file)] { if (wanted(s)) { series = series . " " . s } }
plot kogge_stone(x) / x with lines lt 1 title "Kogge-Stone", \
    sklansky(x) / x with lines lt 2 title "Sklansky", \
    raking(x, 32) / x with lines lt 4 title "reduce-then-scan", \
    brent_kung(x) / x with lines lt 3 title "Brent-Kung", \
    (x - 1) / x with lines lt 9 title "serial", \
    for [k = 1:words(series)] rows(file, word(series, k)) \
        using (column("n")):(column("ops_per_element")) \
        with points lt k \
        pt int(word("6 8 10 12 14 4", k)) ps 1.5 * mark title title(word(series, k))
