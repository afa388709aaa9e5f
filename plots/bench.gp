# SPDX-License-Identifier: MIT
#
# bench.gp: what figures of timing data share; loaded after style.gp. draw.sh
# sets two more strings:
#   bench      the file of timing data (plots/rows.py says which columns)
#   published  published.csv
# A `where` chooses rows: "who=cub;type=int32" (plots/rows.py).

chosen(file, want, where) = sprintf("%s %s '%s' '%s'", reader, want, file, where)
sel(where) = "< " . chosen(bench, "print", where)
pub(where) = "< " . chosen(published, "print", where)
whos(where) = system(chosen(bench, "values", where) . " who")
count(where) = int(system(chosen(bench, "count", where)))
size(where) = int(system(chosen(bench, "size", where)))
# The column `of` of the only row; 0 when there is none.
first(text) = words(text) > 0 ? real(word(text, 1)) : 0.0
number(of, where) = first(system(chosen(bench, "values", where) . " " . of))

published_number(where) = first(system(chosen(published, "values", where) . " value"))

# ---- who: a colour, a dash and a mark each; the same in every figure ----
# 21 and 22 are ceilings, without marks; ours is full and solid, what it is
# measured against is dashed.
set linetype 21 lc rgb black dt 1 lw 1.6 pt 0
set linetype 22 lc rgb grey dt 3 lw 1.4 pt 0
set linetype 23 lc rgb red dt 2 pt 5 ps 1.0 * mark          # CUB, oneTBB
set linetype 24 lc rgb "#7A5200" dt 4 pt 12 ps 1.2 * mark   # Thrust, threads
set linetype 25 lc rgb black dt 5 pt 3 ps 1.2 * mark        # serial
set linetype 27 lc rgb grey dt 5 lw 1.4 pt 0                # memcpy, a thread
# Labs 0 to 8, fast versions; reference solutions are 10 further, a student's,
# black, 20.
set linetype 30 lc rgb blue dt 1 pt 7 ps 1.0 * mark
set linetype 31 lc rgb sky dt 1 pt 7 ps 1.0 * mark
set linetype 32 lc rgb orange dt 1 pt 5 ps 1.0 * mark
set linetype 33 lc rgb grey dt 1 pt 7 ps 1.0 * mark
set linetype 34 lc rgb orange dt 1 pt 13 ps 1.2 * mark
set linetype 35 lc rgb purple dt 1 pt 11 ps 1.2 * mark
set linetype 36 lc rgb blue dt 1 pt 7 ps 1.0 * mark
set linetype 37 lc rgb green dt 1 pt 9 ps 1.2 * mark
set linetype 38 lc rgb blue dt 1 pt 7 ps 1.0 * mark
set linetype 40 lc rgb green dt 3 pt 8 ps 1.2 * mark
set linetype 41 lc rgb sky dt 3 pt 1 ps 1.1 * mark
set linetype 42 lc rgb "#7A5200" dt 4 pt 4 ps 1.1 * mark
set linetype 43 lc rgb grey dt 3 pt 6 ps 1.1 * mark
set linetype 44 lc rgb orange dt 5 pt 12 ps 1.2 * mark
set linetype 45 lc rgb purple dt 4 pt 10 ps 1.2 * mark
set linetype 46 lc rgb blue dt 3 pt 6 ps 1.1 * mark
set linetype 47 lc rgb green dt 2 pt 8 ps 1.2 * mark
set linetype 48 lc rgb green dt 3 pt 8 ps 1.2 * mark
do for [k = 0:8] {
    set linetype 50 + k lc rgb black dt 1 pt int(word("2 1 3 6 8 10 2 4 12", k + 1)) \
        ps 1.3 * mark lw 1.1
}

lab_names = "cpu-scan naive work-efficient bank-conflicts shared-tiled " \
    . "chained lookback sam applications"
array lab_short[9] = ["CPU", "naive", "work-effic.", "banks", "tiled", \
    "chained", "look-back", "SAM", "applic."]
after_slash(w) = w[strstrt(w, "/") + 1:*]
lab_of(w) = int(0 + sum [k = 1:9] (word(lab_names, k) eq after_slash(w) ? k : 0)) - 1
is_fast(w) = w[1:5] eq "fast/"
is_student(w) = lab_of(w) >= 0 && !is_fast(w) && w[1:10] ne "reference/"
folder_of(w) = w[1:strstrt(w, "/") - 1]
lt_of(w) = w eq "memcpy" ? 21 : w eq "copy16" || w eq "ntcopy" ? 22 : \
    w eq "cub" || w eq "onetbb" ? 23 : w eq "thrust" || w eq "threads" ? 24 : \
    w eq "serial" ? 25 : w eq "memcpy-1" ? 27 : is_student(w) ? 50 + lab_of(w) : is_fast(w) ? 30 + lab_of(w) : \
    40 + lab_of(w)
# The colour alone, for names at the ends of curves.
lab_hues = "#0072B2 #2C86BE #B97D00 #767676 #B97D00 #B0578D #0072B2 #009E73 #0072B2"
hue_of(w) = lab_of(w) < 0 ? (w eq "memcpy" || w eq "serial" ? black : w eq "cub" \
    || w eq "onetbb" ? red : w eq "thrust" || w eq "threads" ? "#7A5200" : grey) : \
    is_student(w) ? black : word(lab_hues, lab_of(w) + 1)
# Ours is thick.
width_of(w) = is_fast(w) || is_student(w) ? 1.6 : 0.9
short_of(w) = lab_of(w) < 0 ? after_slash(w) : lab_short[lab_of(w) + 1]
title_of(w) = w eq "memcpy" ? "copy (ceiling)" : w eq "copy16" ? "copy kernel" : \
    w eq "ntcopy" ? "streaming copy" : w eq "memcpy-1" ? "copy, 1 thread" : \
    w eq "cub" ? "CUB" : \
    w eq "thrust" ? "Thrust" : w eq "onetbb" ? "oneTBB" : \
    w eq "threads" ? "two passes" : w eq "serial" ? "serial" : \
    is_fast(w) ? short_of(w) . ", fast" : \
    is_student(w) ? short_of(w) . ", " \
        . (folder_of(w) eq "student" ? "yours" : folder_of(w)) : short_of(w) . ", ref."

# Bars: ours are full, what they are measured against is hatched. (A pattern that
# is full shows seams in a PDF, so these are two loops.) bars() is
# the clauses of both, for eval, since a loop over no words would run once.
fast_words(names, grep) = system("echo '" . names . "' | tr ' ' '\n' | " . grep \
    . " '^fast/' | tr '\n' ' '")
full_of(names) = fast_words(names, "grep")
hatched_of(names) = fast_words(names, "grep -v")
hatch(w) = w eq "memcpy" ? 0 : w eq "cub" ? 1 : w eq "thrust" ? 2 : \
    is_student(w) ? 7 : 4
place_in(names, w) = int(sum [k = 1:words(names)] (word(names, k) eq w ? k : 0))
bar(list, what, fill) = words(list) == 0 ? "" : \
    sprintf("for [w in '%s'] %s with boxes lt lt_of(w) dt 1 lw 0.7 fs %s, ", \
        list, what, fill)
bars(names, what, title) = bar(full_of(names), what, "solid 0.9" . title) \
    . bar(hatched_of(names), what, "pattern hatch(w)" . title)
