# SPDX-License-Identifier: MIT
# data: sweep.csv
#
# What `scanlab sweep -o sweep.csv` wrote: model time over n, a curve for each
# value of the constant.
load "style.gp"
logarithmic = 1; low = 1; high = 1
load "labels.gp"
csv = sweep
read(where) = sprintf("< awk -F, '/^#/ { next } !named++ || (%s && $NF == \"right\")' '%s'", \
    where, csv)
values = system("awk -F, '/^#/ { next } named++ && $NF == \"right\" && !seen[$2]++ " \
    . "&& $2 ~ /^[0-9]+$/ { printf \"%s \", $2 }' '" . csv . "'")
constant = system("awk -F, '/^#/ { next } named++ && $1 ~ /^[[:alnum:]_]+$/ " \
    . "{ print $1; exit }' '" . csv . "'")
eval set_origin(csv)
eval set_beside(constant eq "none" ? "" : "curves: " . constant)
set xlabel "elements n" offset 0,0.4
set ylabel "model time [µs], logarithmic"
set logscale x 2
set format x "2^{%L}"
set logscale y 10
set ytics ()
do for [p = -1:7] { do for [m in "1 2 5"] {
    set ytics add (sprintf("%g", int(m) * 10.0**p) int(m) * 10.0**p)
} }
where = 0; last = 0; low = 1e30
of_value(v) = read(sprintf("$2 == \"%s\"", v))
do for [k = 1:words(values)] {
    stats of_value(word(values, k)) using (where = column("n"), \
        last = column("model_ns") / 1e3, low = last < low ? last : low, \
        high = last > high ? last : high) nooutput
    unused = add_name(word(values, k), where, last, hue(1 + (k - 1) % 9))
}
low = low / 1.3; high = high * 1.3
set yrange [low:high]
eval put_names
plot for [k = 1:words(values)] of_value(word(values, k)) \
    using (column("n")):(column("model_ns") / 1e3) with linespoints lt k lc rgb hue(1 + (k - 1) % 9)
