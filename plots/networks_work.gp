# SPDX-License-Identifier: MIT
# data: counts.csv
# highlights: 1=naive 2=work-efficient 4=scan-then-propagate,reduce-then-scan
#
# The work of scan networks, operators per element, over n (look-back paper, section
# 2): lines are formulas, marks what the labs' references count. Reduce-then-
# scan is the raking form of section 3.1 over 32 lanes: for 16 elements and 4
# lanes its formula gives the 29 operators printed there.
load "style.gp"
low = 0; high = 20
load "labels.gp"
file = data . "/counts.csv"
eval power_tics(8, 20, 2)
eval set_origin(file)
eval set_beside("lines: formulas of networks; marks: counted")
set xlabel "elements n" offset 0,0.4
set ylabel "additions / n"
set yrange [low:high]
set ytics 0, 4
set rmargin at screen 0.72

kogge_stone(n) = n * log2(n) - n + 1
sklansky(n) = n / 2 * log2(n)
brent_kung(n) = 2 * n - 2 - log2(n)

title(s) = s eq "naive" ? "lab 1" : s eq "work-efficient" ? "lab 2" : \
    s eq "scan-then-propagate" ? "lab 4, 4n" : \
    s eq "reduce-then-scan" ? "lab 4, 3n" : \
    s eq "chained" ? "lab 5" : s eq "lookback" ? "lab 6" : s
# The network that a lab is, whose formula its marks lie on.
network(s) = s eq "naive" ? "Kogge-Stone" : s eq "work-efficient" ? "Brent-Kung" : ""
wanted(s) = strstrt(s, "sam") == 0
series = ""
do for [s in series_of(file)] { if (wanted(s)) { series = series . " " . s } }
number_of(s) = int(sum [k = 1:words(series)] (word(series, k) eq s ? k : 0))
do for [s in series] {
    where = 0; last = 0
    stats rows(file, s) using (where = column("n"), last = column("ops_per_element")) nooutput
    unused = add_name(title(s) . (network(s) eq "" ? "" : ": " . network(s)), where, last, \
        colour_for(s, number_of(s)))
}
most = 2.0**20
unused = add_name("Sklansky", most, sklansky(most) / most, pale)
unused = add_name("serial", most, 1, pale)
eval put_names
hue_of(s) = colour_for(s, number_of(s))
plot sklansky(x) / x with lines lc rgb pale dt 1, (x - 1) / x with lines lc rgb pale dt 1, \
    kogge_stone(x) / x with lines lc rgb hue_of("naive") dt 1 lw width_for("naive"), \
    brent_kung(x) / x with lines lc rgb hue_of("work-efficient") dt 1 \
        lw width_for("work-efficient"), \
    for [s in greys_first(series)] rows(file, s) \
        using (column("n")):(column("ops_per_element")) with points lt number_of(s) \
        pt int(word("6 8 10 12 14 4", number_of(s))) ps 1.5 * mark lc rgb hue_of(s)
