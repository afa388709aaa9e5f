# SPDX-License-Identifier: MIT
# data: bank_conflicts.csv
#
# Paper 001, Figure 4: T(n, k) of the up-sweep's stores for the four methods, with
# what the virtual GPU counts on it. Lines: the formulas of section VII. Marks:
# counted. They part where a formula divides what hardware rounds up: Padding
# below k^2 (the handout of lab 3 says why).
load "style.gp"
if (!exists("k")) k = 16
file = data . "/bank_conflicts.csv"
eval set_origin(file)
eval power_tics(5, 11, 1)
set xlabel sprintf("elements n, k = %d banks", k) offset 0,0.4
set ylabel "passes T"
set logscale y 2
set yrange [1:2048]
set format y "%.0f"

plain(n, k) = n * (log2(k) + 1) / k - 1
padding(n, k) = n / k * (1 - 1.0 / k) + plain(n / k, k)
leftright(n, k) = log2(k) + (n - k) / k
cm(n, k) = (n * log2(n) - n + 1) / k
at(c) = column("banks") == k ? column(c) : NaN
plot for [i = 1:4] rows(file, word("cm plain padding leftright", i)) \
        using (at("n")):(at("t_measured")) \
        with points lt i pt 4 + 2 * i ps 1.5 * mark notitle, \
    cm(x, k) with lines lt 1 title "CM (lab 1)", \
    plain(x, k) with lines lt 2 title "plain", \
    padding(x, k) with lines lt 3 title "Padding", \
    leftright(x, k) with lines lt 4 title "LeftRight"
