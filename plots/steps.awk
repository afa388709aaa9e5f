# SPDX-License-Identifier: MIT
#
# steps.awk: tables of measurements that are not scanlab bench's, in Markdown;
# tables.sh feeds it a CSV without its comments.
#   -v table=NAME   one of the functions at the end; pivot:GROUP:TITLE for
#                   steps-*.csv, TITLE being the first cell
#   -v origin=TEXT  machine, versions, date; -v file=NAME the CSV's name
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++) col[$i] = i
    next
}
{ read_row() }

function head(names,   n, w, i) {
    n = split(names, w, "|")
    printf "|"
    for (i = 1; i <= n; i++) printf " %s |", w[i]
    printf "\n|"
    for (i = 1; i <= n; i++) printf "---|"
    printf "\n"
}
function line(cells) { print "| " cells " |"; rows++ }
function of(a, b, format) { return a == "" || b == "" || !b ? "–" : sprintf(format, a / b) }
# Remembers that `name` is the next one of `list`.
function note(list, name) {
    if ((list, name) in known) return
    known[list, name] = 1
    names[list, ++count[list]] = name
}
function power(n) { return int(log(n) / log(2) + 0.5) }

function read_row(   id) {
    if (table ~ /^pivot:/) {
        split(table, part, ":")
        gsub(/-/, " ", part[3])
        if ($col["table"] != part[2]) return
        machine = $col["machine"]
        note("row", $col["row"])
        note("column", $col["column"])
        id = $col["row"] SUBSEP $col["column"]
        cell[id] = cell[id] (cell[id] == "" ? "" : ", ") $col["value"] \
            ($col["high"] == "" ? "" : " to " $col["high"])
    } else if ("variant" in col) {
        id = $col["type"] ", " $col["variant"]
        if ($col["order"] == 1 && $col["tuple"] == 1) note("one", id)
        if ($col["order"] > 1 && $col["tuple"] == 1) note("order", id)
        if ($col["order"] == 1 && $col["tuple"] > 1) note("tuple", id)
        note("size", power($col["n"]))
        of_copy[id, $col["order"], $col["tuple"], power($col["n"])] = $col["of_copy"]
        times[id, $col["order"], $col["tuple"], power($col["n"])] = $col["times_cub"]
    } else {
        id = $col["run"] SUBSEP $col["what"] SUBSEP power($col["n"]) SUBSEP $col["who"]
        ms[id] = $col["median_ms"]
        note("n", power($col["n"]))
    }
}

function table_pivot(   i, k, text, id) {
    text = "|"
    for (k = 1; k <= count["column"]; k++) text = text "|" names["column", k]
    sub(/^\|\|/, part[3] "|", text)
    head(text)
    for (i = 1; i <= count["row"]; i++) {
        text = names["row", i]
        for (k = 1; k <= count["column"]; k++) {
            id = names["row", i] SUBSEP names["column", k]
            text = text " | " (id in cell ? cell[id] : "")
        }
        line(text)
    }
}

# Order 1, tuple 1 over n: part of the copy; times CUB.
function table_reached(   i, k, e, text, id, sizes, n) {
    n = split("16 18 20 22 23 24 26 28 29 30", sizes, " ")
    text = "of copy; × CUB"
    for (k = 1; k <= n; k++) text = text "|2^" sizes[k]
    head(text)
    for (i = 1; i <= count["one"]; i++) {
        text = names["one", i]
        for (k = 1; k <= n; k++) {
            id = names["one", i] SUBSEP 1 SUBSEP 1 SUBSEP sizes[k]
            text = text " | " (id in of_copy ? \
                sprintf("%.3f; %.2f", of_copy[id], times[id]) : "")
        }
        line(text)
    }
}
# Orders and tuples at 2^28: part of the copy.
function table_widths(   i, q, w, what, text, id) {
    head("of copy|2|3|4|5|6|7|8")
    for (w = 1; w <= 2; w++) {
        what = w == 1 ? "order" : "tuple"
        for (i = 1; i <= count[what]; i++) {
            text = what ", " names[what, i]
            for (q = 2; q <= 8; q++) {
                id = names[what, i] SUBSEP (w == 1 ? q : 1) SUBSEP \
                    (w == 1 ? 1 : q) SUBSEP 28
                text = text " | " (id in of_copy ? sprintf("%.3f", of_copy[id]) : "")
            }
            line(text)
        }
    }
}

function took(run, what, k, who) { return ms[run, what, k, who] }
# Times CUB: run 2 (its count on the device), run 1 (fetched).
function both(what, k, runs,   i, w, n, text, ours, cub) {
    n = split(runs, w, " ")
    for (i = 1; i <= n; i++) {
        ours = took(w[i], what, k, "fast")
        cub = took(w[i], what, k, "cub")
        text = text (i > 1 ? ", " : "") of(cub, ours, "%.2f")
    }
    return text
}
# At 2^28 beside the bytes that must move at the copy's rate.
function table_floor(   i, n, w, f, floor, copy) {
    copy = took(2, "copy", 28, "memcpy")
    head("2^28 elements|bytes per element|floor, ms|reached, ms (run 2, run 1)" \
        "|of floor|CUB, ms|× CUB (run 2, run 1)")
    n = split("select:6:selection, half kept;partition:8:partition;" \
        "rle-short:12:run-length, short;rle-8:5:run-length, 8;" \
        "rbk-short:16:by key, short;rbk-8:9:by key, 8;sum:8:exclusive sum;" \
        "sort:36:sort;pairs:68:sort pairs", w, ";")
    for (i = 1; i <= n; i++) {
        split(w[i], f, ":")
        floor = copy * f[2] / 8
        line(f[3] " | " f[2] " | " sprintf("%.3f | %.3f, %.3f | ", floor, \
            took(2, f[1], 28, "fast"), took(1, f[1], 28, "fast")) \
            of(floor, took(2, f[1], 28, "fast"), "%.2f") " | " \
            sprintf("%.3f", took(2, f[1], 28, "cub")) " | " both(f[1], 28, "2 1"))
    }
}
function table_smaller(   i, k, what, n, text, sizes, m) {
    head("× CUB (run 2, run 1; sorts run 1)|select|partition|run-length, 8" \
        "|by key, 8|sum|sort|pairs")
    n = split("select partition rle-8 rbk-8 sum sort pairs", what, " ")
    m = split("16 18 20 21 22 24 26", sizes, " ")
    for (k = 1; k <= m; k++) {
        text = "2^" sizes[k]
        for (i = 1; i <= n; i++)
            text = text " | " both(what[i], sizes[k], i > 5 ? "1" : "2 1")
        line(text)
    }
}
END {
    if (table ~ /^pivot:/) table_pivot()
    else if (table == "reached") table_reached()
    else if (table == "widths") table_widths()
    else if (table == "floor") table_floor()
    else if (table == "smaller") table_smaller()
    if (!rows) {
        print "tables.sh: " file " has no rows for the table '" table "'" \
            >"/dev/stderr"
        exit 1
    }
    print ""
    # Where numbers of several machines and days stand in one file, the page
    # says more than the file's head.
    if (table !~ /^pivot:/) print "(" origin "; medians; plots/data/" file ")"
    else print "(" (machine == "" ? "" : machine "; ") "plots/data/" file ")"
}
