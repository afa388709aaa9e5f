# SPDX-License-Identifier: MIT
# data: bank_conflicts.csv
#
# Paper 001, Figure 5, as a count: what a block's up-sweep costs shared memory
# per element, over the block's size, for the four methods: passes (wavefronts) of
# all loads and stores, where bank_conflicts.gp has the stores of sums only.
# LeftRight overwrites a left sum and must save it for the down-sweep (lab 3,
# question 3); that is in these counts and not in the paper's T.
load "style.gp"
load "labels.gp"
if (!exists("k")) k = 16
file = data . "/bank_conflicts.csv"
eval set_origin(file)
eval set_beside("the whole up-sweep; LeftRight also saves its left sums")
eval power_tics(5, 11, 1)
set xlabel sprintf("elements of a block n, %d banks", k) offset 0,0.4
set ylabel "passes / n"
at(c) = column("banks") == k ? column(c) : NaN
title(m) = m eq "cm" ? "CM (lab 1)" : m eq "padding" ? "Padding" : \
    m eq "leftright" ? "LeftRight" : m
low = 0; high = 0
do for [i = 1:4] {
    where = 0; last = 0
    stats rows(file, word("cm plain padding leftright", i)) using (column("banks") == k ? \
        (where = column("n"), last = (column("stores") + column("loads")) / where, \
        high = last > high ? last : high) : NaN) nooutput
    unused = add_name(title(word("cm plain padding leftright", i)), where, last, hue(i))
}
high = 1.1 * high
set yrange [low:high]
set rmargin at screen 0.84
eval put_names
plot for [i = 1:4] rows(file, word("cm plain padding leftright", i)) \
    using (at("n")):((at("stores") + at("loads")) / at("n")) with linespoints lt i dt 1
