# SPDX-License-Identifier: MIT
# data: bank_conflicts.csv
#
# Paper 001, Figure 4: T(n, k) of the up-sweep's stores for the four methods, with
# what the virtual GPU counts on it. Lines: the formulas of section VII. Marks:
# counted. They part where a formula divides what hardware rounds up: Padding
# below k^2 (the handout of lab 3 says why).
load "style.gp"
low = 1; high = 2048; logarithmic = 1
load "labels.gp"
if (!exists("k")) k = 16
file = data . "/bank_conflicts.csv"
eval set_origin(file)
eval set_beside("lines: formulas of the paper; marks: counted")
eval power_tics(5, 11, 1)
set xlabel sprintf("elements n, k = %d banks", k) offset 0,0.4
set ylabel "passes T"
set logscale y 2
set yrange [low:high]
set format y "%.0f"

plain(n, k) = n * (log2(k) + 1) / k - 1
padding(n, k) = n / k * (1 - 1.0 / k) + plain(n / k, k)
leftright(n, k) = log2(k) + (n - k) / k
cm(n, k) = (n * log2(n) - n + 1) / k
at(c) = column("banks") == k ? column(c) : NaN
unused = add_name("CM (lab 1)", 2**11, cm(2.0**11, k), hue(1))
unused = add_name("plain", 2**11, plain(2.0**11, k), hue(2))
unused = add_name("Padding", 2**11, padding(2.0**11, k), hue(3))
unused = add_name("LeftRight", 2**11, leftright(2.0**11, k), hue(4))
set rmargin at screen 0.84
eval put_names
plot for [i = 1:4] rows(file, word("cm plain padding leftright", i)) \
        using (at("n")):(at("t_measured")) \
        with points lt i pt 4 + 2 * i ps 1.5 * mark, \
    cm(x, k) with lines lt 1 dt 1, \
    plain(x, k) with lines lt 2 dt 1, \
    padding(x, k) with lines lt 3 dt 1, \
    leftright(x, k) with lines lt 4 dt 1 lw 1.6
