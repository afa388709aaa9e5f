# SPDX-License-Identifier: MIT
#
# class.gp: what the figures of a class share, after plots/style.gp: light or
# dark (`theme`, with the colours of grader/report/html/report.css), and a size of
# their own. draw.py starts gnuplot with these strings: format, output, theme, and
# for a figure with a row for each of something `rows`.
load "style.gp"
height = exists("rows") ? 110 + 34 * rows : 407
ink = theme eq "dark" ? "#e8eaed" : black
paper = theme eq "dark" ? "#15181c" : "white"
faint = theme eq "dark" ? "#454d57" : "#DDDDDD"
main = theme eq "dark" ? sky : blue
eval sprintf('set terminal svg size 897,%d font "DejaVu Sans,16" linewidth 2 background "%s"', \
    height, paper)
set output output
unset key
set border 3 lw 0.8 lc rgb (theme eq "dark" ? "#8b95a3" : grey)
set tics textcolor rgb ink
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set grid ytics lc rgb faint lw 0.6 dt 1
set lmargin 8; set rmargin 3; set tmargin 1.5; set bmargin 3.5
set style fill solid 1.0 noborder
