# SPDX-License-Identifier: MIT
#
# csv.awk: chosen rows of a CSV file whose first line without # names the
# columns. Used by bench.gp, draw.sh and tables.sh; POSIX awk.
#
#   awk -v want=WHAT -v where="who=cub|fast/*;type=int32;n=2^28" -f csv.awk FILE
#
# where: conditions COLUMN=VALUE[|VALUE...], parted by semicolons. A value that
# ends in * is a beginning; student/ is any folder but reference/ and fast/;
# n=2^28 takes sizes within 2 % (tuples of 3 do not divide 2^28). A row whose column ok is 0 is never chosen.
#
#   want=print    names and chosen rows, by rising n, order, tuple. Timing data get
#                 more columns: rate, slow and fast (10^9 elements/s: median,
#                 quartiles), gbs (10^9 bytes/s), us (microseconds), of_copy
#                 (bytes/s over those of the copy of the same type and size;
#                 empty where none was timed)
#   want=count    how many rows are chosen
#   want=values   the values of column `of` in chosen rows, in the file's order;
#                 those of who in the order of ranks, below
#   want=size     k of the size 2^k that has most of the chosen rows; the largest
#                 of several; nothing when no row is chosen
#   want=ends     "a b": chosen sizes lie between 2^a and 2^b
#   want=most     the greatest rate of chosen rows
#   want=origin   where timing data are from, in one line
#   want=check    complaints about a file of timing data, one a line; exit 1 when
#                 there are any that forbid to draw it
BEGIN {
    FS = ","
    n_conditions = split(where, condition, ";")
    for (i = 1; i <= n_conditions; i++) {
        at = index(condition[i], "=")
        wanted_column[i] = substr(condition[i], 1, at - 1)
        wanted_value[i] = substr(condition[i], at + 1)
    }
    columns = "who operation type order tuple n repeats median_ns q1_ns q3_ns" \
        " min_ns bytes ok"
    n_columns = split(columns, column_name, " ")
    # The legend's order: the ceiling, ours from the best on, peers.
    labs = "sam lookback chained shared-tiled bank-conflicts work-efficient" \
        " naive applications cpu-scan"
    n_ranks = split("memcpy ntcopy memcpy-1 copy16 " ours("fast") ours("student") \
        ours("reference") "cub onetbb thrust threads serial", ranks, " ")
}
{ sub(/\r$/, "") }
/^#/ {
    if (match($0, /^# [a-z0-9_]+: /))
        key[substr($0, 3, RLENGTH - 4)] = substr($0, RLENGTH + 1)
    next
}
/^$/ { next }
!named {
    named = NR
    names = $0
    n_names = NF
    for (i = 1; i <= NF; i++) col[$i] = i
    timing = ("median_ns" in col) && ("bytes" in col)
    next
}
{
    if (want == "check" || (want != "origin" && chosen())) {
        line[++n_lines] = $0
        number[n_lines] = NR
    }
    # The copy that a row is held against.
    if (timing && $col["who"] == "memcpy" && $col["ok"] == 1 && \
            $col["median_ns"] + 0 > 0)
        copy[$col["type"], $col["n"]] = $col["bytes"] / $col["median_ns"]
}

function ours(folder,   k, i, word, list) {
    k = split(labs, word, " ")
    for (i = 1; i <= k; i++) list = list folder "/" word[i] " "
    return list folder "/* "
}
function near(n, text,   power) {
    if (text !~ /^2\^/) return n == text
    power = 2 ^ substr(text, 3)
    return n > 0.98 * power && n < 1.02 * power
}
function is_one_of(value, list, is_size,   words, k, i) {
    k = split(list, words, "|")
    # Any folder but ours is a student's: "alice/naive" is one of student/*.
    if (value ~ /\// && value !~ /^(reference|fast)\// && list ~ /student\//)
        sub(/^[^\/]*/, "student", value)
    for (i = 1; i <= k; i++) {
        if (words[i] ~ /\*$/) {
            if (index(value, substr(words[i], 1, length(words[i]) - 1)) == 1)
                return 1
        } else if (is_size ? near(value, words[i]) : value == words[i])
            return 1
    }
    return 0
}
# Values come again and again: each is asked about once (answer).
function chosen(   i, value) {
    if (("ok" in col) && $col["ok"] != 1) return 0
    for (i = 1; i <= n_conditions; i++) {
        value = $col[wanted_column[i]]
        if (!((i, value) in answer))
            answer[i, value] = is_one_of(value, wanted_value[i], \
                wanted_column[i] == "n")
        if (!answer[i, value]) return 0
    }
    return 1
}
# Bytes per ns of the copy of this type and size; "" when none was timed.
function copy_rate(type, n,   k) {
    if ((type, n) in copy) return copy[type, n]
    for (k = int(log(n) / log(2)); k <= log(n) / log(2) + 1; k++)
        if (near(n, "2^" k) && (type, 2 ^ k) in copy) return copy[type, 2 ^ k]
    return ""
}
# A number that rises with n, order, tuple; sizes within 2 % of 2^k are one.
function place_of(   n) {
    n = $col["n"] + 0
    if (n && near(n, "2^" power_of(n))) n = 2 ^ power_of(n)
    return 100 * n + 10 * $col["order"] + $col["tuple"]
}
function power_of(n) { return int(log(n) / log(2) + 0.5) }

# ---- want=check ----
function complain(where, text) {
    print file ":" (where ? where ":" : "") " " text
    bad = 1
}
function check_names(   i, missing) {
    for (i = 1; i <= n_columns; i++)
        if (!(column_name[i] in col)) missing = missing " " column_name[i]
    if (missing) {
        complain(named, "timing data lack the columns" missing)
        return 0
    }
    if (!("gpu" in key) && !("machine" in key) && !("cpu" in key))
        complain(0, "no line '# machine: ...' says where the data are from")
    if (!("date" in key)) complain(0, "no line '# date: ...'")
    return 1
}
function check_row(l,   i, id, v) {
    if (NF != n_names) {
        complain(l, NF " fields, not " n_names)
        return
    }
    if ($col["who"] !~ /^(memcpy|memcpy-1|copy16|cub|thrust|serial|threads|onetbb|ntcopy|[A-Za-z0-9_.-]+\/[a-z0-9-]+)$/)
        complain(l, "who '" $col["who"] "' is not known")
    if ($col["operation"] !~ /^(copy|inclusive_sum|exclusive_sum|select_half|partition_half|run_length|reduce_by_key|sort_keys|sort_pairs|encode)$/)
        complain(l, "operation '" $col["operation"] "' is not known")
    if ($col["type"] !~ /^(int8|int16|int32|int64|float|double)$/)
        complain(l, "type '" $col["type"] "' is not known")
    for (i = 4; i < n_columns; i++) {
        v = $col[column_name[i]]
        if (v !~ /^[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ || v + 0 <= 0) {
            complain(l, column_name[i] " is '" v "', not a number above 0")
            return
        }
    }
    if ($col["ok"] !~ /^[01]$/) complain(l, "ok is '" $col["ok"] "', not 0 or 1")
    if (!($col["min_ns"] <= $col["q1_ns"] && $col["q1_ns"] <= \
            $col["median_ns"] && $col["median_ns"] <= $col["q3_ns"]))
        complain(l, "min, q1, median, q3 do not rise")
    id = $col["who"] " " $col["operation"] " " $col["type"] " order " \
        $col["order"] " tuple " $col["tuple"] " n " $col["n"]
    if (id in seen) complain(l, "the same as line " seen[id] ": " id)
    seen[id] = l
    if ($col["ok"] == "0")
        print file ":" l ": not drawn, its output was wrong (ok = 0): " id
}

# ---- what was asked for ----
function print_row() {
    if (!timing) {
        print $0
        return
    }
    rate = copy_rate($col["type"], $col["n"])
    gbs = $col["bytes"] / $col["median_ns"]
    printf "%s,%.6g,%.6g,%.6g,%.6g,%.6g,%s\n", $0, \
        $col["n"] / $col["median_ns"], $col["n"] / $col["q3_ns"], \
        $col["n"] / $col["q1_ns"], gbs, $col["median_ns"] / 1000, \
        rate == "" ? "" : sprintf("%.6g", gbs / rate)
}
# Those in who_seen, a list of words, by rank.
function print_ranked(   r, k, words, i) {
    k = split(who_seen, words, " ")
    for (r = 1; r <= n_ranks; r++)
        for (i = 1; i <= k; i++)
            if (words[i] && is_one_of(words[i], ranks[r])) {
                printf "%s ", words[i]
                words[i] = ""
            }
}
function print_origin() {
    if ("origin" in key) {
        print key["origin"]
        return
    }
    text = ("gpu" in key) ? key["gpu"] : ("cpu" in key) ? key["cpu"] : \
        key["machine"]
    sub(/, (L2|[0-9]+ SMs).*/, "", text) # how large it is
    if (match(key["cuda"], /[0-9][0-9.]*/))
        text = text ", CUDA " substr(key["cuda"], RSTART, RLENGTH)
    if ("cub" in key) text = text ", CUB " key["cub"]
    # Where others used the machine, its reader must know.
    if (key["load_before"] > 0.5) text = text ", load " key["load_before"]
    print text ", " substr(key["date"], 1, 10)
}
END {
    file = FILENAME
    sub(/.*\//, "", file)
    if (want == "check") {
        if (!NR) complain(0, "the file is empty")
        else if (!named) complain(0, "there is no line that names the columns")
        else if (!n_lines) complain(0, "there are names but no rows")
        else if (check_names())
            for (i = 1; i <= n_lines; i++) {
                $0 = line[i]
                check_row(number[i])
            }
        exit bad
    }
    if (want == "origin") {
        print_origin()
        exit
    }
    if (want == "print")
        print names (timing ? ",rate,slow,fast,gbs,us,of_copy" : "")
    for (i = 1; i <= n_lines; i++) {
        $0 = line[i]
        n_chosen++
        if (want == "print") {
            # Insertion: files are nearly sorted.
            place = place_of()
            for (at = n_chosen; at > 1 && places[at - 1] > place; at--) {
                places[at] = places[at - 1]
                sorted[at] = sorted[at - 1]
            }
            places[at] = place
            sorted[at] = $0
        }
        if (want == "values" && !($col[of] in seen)) {
            seen[$col[of]]
            if (of == "who") who_seen = who_seen " " $col[of]
            else printf "%s ", $col[of]
        }
        if (want == "most" && $col["n"] / $col["median_ns"] > most)
            most = $col["n"] / $col["median_ns"]
        if ((want == "size" || want == "ends") && $col["n"] > 0) {
            k = power_of($col["n"])
            if (near($col["n"], "2^" k)) rows[k]++
        }
    }
    for (i = 1; want == "print" && i <= n_chosen; i++) {
        $0 = sorted[i]
        print_row()
    }
    for (k = 0; k < 64; k++) {
        if (!rows[k]) continue
        if (rows[k] >= rows[best]) best = k
        if (first == "") first = k
        last = k
    }
    if (want == "values") print_ranked()
    if (want == "size" && best != "") print best
    if (want == "most") print most + 0
    if (want == "ends" && first != "") print first, last
    if (want == "count") print n_chosen + 0
}
