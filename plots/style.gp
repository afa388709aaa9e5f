# SPDX-License-Identifier: MIT
#
# style.gp: what all figures share. A figure is one script, NAME.gp, that loads
# this file first and plots into the terminal and file it sets up; draw.sh runs
# it once per format with these strings:
#   format   svg, png or pdf
#   output   the file to write
#   data     the folder of CSV files
#   reader   the command that reads them (ask.sh, rows.py)
# Colours are Okabe and Ito's, which colour-blind readers can tell apart; curves
# also differ in dashes and marks, so that a grey print is enough. The size is
# that of a slide's text area, and the type is as large as the slide's.

if (format eq "pdf") {
    set terminal pdfcairo size 13.0cm,5.75cm font "DejaVu Sans,9" \
        fontscale 0.75 linewidth 1.6
    small = 7.5; mark = 0.5; gap = 0.95
} else { if (format eq "png") {
    set terminal pngcairo size 1794,814 font "DejaVu Sans,30" linewidth 4
    small = 24; mark = 1.8; gap = 1
} else {
    set terminal svg size 897,407 font "DejaVu Sans,16" linewidth 2 \
        background "white"
    small = 13; mark = 0.75; gap = 1
}}
set output output
set encoding utf8

black = "#000000"; orange = "#E69F00"; sky = "#56B4E9"; green = "#009E73"
yellow = "#F0E442"; blue = "#0072B2"; red = "#D55E00"; purple = "#CC79A7"
grey = "#767676"
# Linetype k: colour, mark, dashes. Theory is drawn with lines only, counts
# with marks, or with lines and marks.
set linetype 1 lc rgb black dt 1 pt 7 ps 1.1 * mark
set linetype 2 lc rgb red dt 2 pt 5 ps 1.1 * mark
set linetype 3 lc rgb blue dt 3 pt 9 ps 1.3 * mark
set linetype 4 lc rgb green dt 4 pt 11 ps 1.3 * mark
set linetype 5 lc rgb purple dt 5 pt 13 ps 1.4 * mark
set linetype 6 lc rgb orange dt 1 pt 4 ps 1.2 * mark
set linetype 7 lc rgb sky dt 2 pt 8 ps 1.3 * mark
set linetype 8 lc rgb "#7A5200" dt 4 pt 6 ps 1.2 * mark
set linetype 9 lc rgb grey dt 4 # theory beside many curves

set datafile separator ","
set border 3 lw 0.8 lc rgb grey
set tics nomirror out scale 0.6 textcolor rgb black
set grid ytics lc rgb "#DDDDDD" lw 0.6 dt 1
set key at screen 0.71, 0.96 left top vertical maxrows 14 Left reverse \
    samplen 2.2 spacing gap
set rmargin at screen 0.69
set bmargin at screen 0.29
set samples 400

log2(x) = log(x) / log(2)

# The x axis: number of elements from 2^low to 2^high, a tic every `step`.
power_tics(low, high, step) = \
    sprintf("set logscale x 2; set xrange [2**%d:2**%d]; ", low, high) \
    . "set format x '2^{%L}'; " . sprintf("set xtics 2**%d, 2**%d", low, step)

# Where the numbers are from, at the lower right: the line "# origin: ..." of the
# CSV file; for timing data, machine, versions and date. Above, at the left: what
# is drawn beside, and what the marks mean.
origin(file) = system(reader . " origin '" . file . "'")
set_words(tag, text, x, y, side) = sprintf("set label %d \"%s\" at screen %g," \
    . "screen %g %s textcolor rgb '%s' font ',%g' noenhanced", \
    tag, text, x, y, side, grey, small)
set_origin(file) = set_words(999, origin(file), 0.99, 0.03, "right")
set_beside(text) = set_words(998, text, 0.01, 0.085, "left")

# The rows of a series (first column), with the line of names.
rows(file, series) = sprintf("< awk -F, '/^#/ { next } " \
    . "!named++ || $1 == \"%s\"' '%s'", series, file)
# The series there are, in the file's order, as one string of words, which go
# into commands.
series_of(file) = system("awk -F, '/^#/ { next } named++ && !seen[$1]++ " \
    . "&& $1 ~ /^[[:alnum:]_.-]+$/ " \
    . "{ printf \"%s \", $1 }' '" . file . "'")
