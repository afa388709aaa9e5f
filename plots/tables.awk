# SPDX-License-Identifier: MIT
#
# tables.awk: one table of timing data in Markdown; tables.sh feeds it what
# csv.awk prints (want=print).
#   -v table=NAME   one of the functions at the end
#   -v origin=TEXT  machine, versions, date; -v file=NAME the CSV's name
BEGIN { FS = "," }
NR == 1 {
    for (i = 1; i <= NF; i++) col[$i] = i
    next
}
{
    id = $col["who"] " " $col["operation"] " " $col["type"] " " \
        $col["order"] " " $col["tuple"] " " power($col["n"])
    ns[id] = $col["median_ns"]
    rate[id] = $col["rate"]
    of_copy[id] = $col["of_copy"]
    gbs[id] = $col["gbs"]
    lower[id] = $col["q1_ns"]
    upper[id] = $col["q3_ns"]
    spread[id] = ($col["q3_ns"] - $col["q1_ns"]) / $col["median_ns"]
    there[$col["who"]] = 1
    if (power($col["n"]) != "") sizes[power($col["n"])] = 1
}

# k when n is within 2 % of 2^k (tuples of 3 do not divide 2^k), else "".
function power(n,   k) {
    k = int(log(n) / log(2) + 0.5)
    return n > 0.98 * 2 ^ k && n < 1.02 * 2 ^ k ? k : ""
}
function key_of(who, op, type, order, tuple, k) {
    return who " " op " " type " " order " " tuple " " k
}
function sum_of(who, type, k) {
    return key_of(who, "inclusive_sum", type, 1, 1, k)
}
# Cells; what was not timed is a dash.
function cell(text) { printf " %s |", text }
function number(value, format) {
    cell(value == "" ? "–" : sprintf(format, value))
}
function of(id) { number((id in of_copy) ? of_copy[id] : "", "%.2f") }
function micro(id) { number((id in ns) ? ns[id] / 1000 : "", "%.1f") }
function speed(id) { number((id in rate) ? rate[id] : "", "%.1f") }
function bytes_rate(id) { number((id in gbs) ? gbs[id] : "", "%.0f") }
# How many times faster the first is.
function times(ours, other) {
    number((ours in ns) && (other in ns) ? ns[other] / ns[ours] : "", "%.2f")
}
function line(text) { print text; rows++ }
function head(names,   n, w, i) {
    n = split(names, w, "|")
    printf "|"
    for (i = 1; i <= n; i++) cell(w[i])
    printf "\n|"
    for (i = 1; i <= n; i++) printf "---|"
    printf "\n"
}
function start() { printf "|" }
function finish() { printf "\n"; rows++ }
# The labs' versions to show: fast ones where they were timed.
function version(lab) { return ("fast/" lab in there) ? "fast/" lab : "reference/" lab }
function short(who) {
    sub(/^fast\//, "", who)
    sub(/^reference\//, "", who)
    return who (((("fast/" who) in there)) ? "" : " (reference)")
}
# The size with the most rows of these whos at order or tuple q > 1.
function best_size(whos, what, type,   w, n, i, k, q, count, most, best) {
    n = split(whos, w, " ")
    for (k = 10; k <= 34; k++) {
        count = 0
        for (i = 1; i <= n; i++)
            for (q = 2; q <= 8; q++)
                if (key_of(w[i], "inclusive_sum", type, what == "order" ? q : 1,
                        what == "tuple" ? q : 1, k) in ns) count++
        if (count && count >= most) {
            most = count
            best = k
        }
    }
    return best
}

function table_bars(   t, type, i, k, l, s) {
    l = version("lookback")
    s = version("sam")
    head("type|n|copy, 10^9/s|" short(l) " of copy|× CUB|" short(s) \
        " of copy|× CUB|CUB of copy|Thrust of copy|spread of " short(l))
    split("int32 int64 float double", type, " ")
    for (t = 1; t <= 4; t++)
        for (k = 16; k <= 30; k += 2) {
            if (!(sum_of(l, type[t], k) in ns) && !(sum_of(s, type[t], k) in ns) \
                    && !(sum_of("cub", type[t], k) in ns))
                continue
            start()
            cell(type[t])
            cell("2^" k)
            speed(key_of("memcpy", "copy", type[t], 1, 1, k))
            of(sum_of(l, type[t], k))
            times(sum_of(l, type[t], k), sum_of("cub", type[t], k))
            of(sum_of(s, type[t], k))
            times(sum_of(s, type[t], k), sum_of("cub", type[t], k))
            of(sum_of("cub", type[t], k))
            of(sum_of("thrust", type[t], k))
            number((sum_of(l, type[t], k) in spread) ? \
                100 * spread[sum_of(l, type[t], k)] : "", "%.1f %%")
            finish()
        }
}
function generalised(what,   s, t, type, q, k, ours, cub) {
    s = version("sam")
    head("type|n|" what "|10^9/s|of copy|× CUB" \
        (what == "order" ? " repeated" : "") "|CUB of copy")
    split("int32 int64", type, " ")
    for (t = 1; t <= 2; t++) {
        k = best_size(s " cub", what, type[t])
        for (q = 1; q <= 8; q++) {
            ours = key_of(s, "inclusive_sum", type[t], what == "order" ? q : 1,
                what == "tuple" ? q : 1, k)
            cub = ours
            sub(/^[^ ]*/, "cub", cub)
            if (!(ours in ns)) continue
            start()
            cell(type[t])
            cell("2^" k)
            cell(q)
            speed(ours)
            of(ours)
            times(ours, cub)
            of(cub)
            finish()
        }
    }
}
function table_orders() { generalised("order") }
function table_tuples() { generalised("tuple") }
function table_applications(   op, n, i, k, a, best, most, count, ours, cub) {
    a = version("applications")
    n = split("select_half partition_half run_length reduce_by_key sort_keys" \
        " sort_pairs", op, " ")
    for (k = 10; k <= 34; k++) {
        count = 0
        for (i = 1; i <= n; i++)
            count += (key_of("cub", op[i], "int32", 1, 1, k) in ns) + \
                (key_of(a, op[i], "int32", 1, 1, k) in ns)
        if (count && count >= most) {
            most = count
            best = k
        }
    }
    head("operation, int32|n|ours, 10^9/s|CUB, 10^9/s|× CUB|ours of copy")
    for (i = 1; i <= n; i++) {
        ours = key_of(a, op[i], "int32", 1, 1, best)
        cub = key_of("cub", op[i], "int32", 1, 1, best)
        if (!(ours in ns) && !(cub in ns)) continue
        start()
        cell(op[i])
        cell("2^" best)
        speed(ours)
        speed(cub)
        times(ours, cub)
        of(ours)
        finish()
    }
}
function table_small(   k, l, s) {
    l = version("lookback")
    s = version("sam")
    head("n, int32|copy, µs|" short(l) ", µs|" short(s) \
        ", µs|CUB, µs|Thrust, µs|" short(l) " × CUB|" short(s) " × CUB")
    for (k = 10; k <= 24; k += 2) {
        if (!(sum_of(l, "int32", k) in ns) && !(sum_of(s, "int32", k) in ns))
            continue
        start()
        cell("2^" k)
        micro(key_of("memcpy", "copy", "int32", 1, 1, k))
        micro(sum_of(l, "int32", k))
        micro(sum_of(s, "int32", k))
        micro(sum_of("cub", "int32", k))
        micro(sum_of("thrust", "int32", k))
        times(sum_of(l, "int32", k), sum_of("cub", "int32", k))
        times(sum_of(s, "int32", k), sum_of("cub", "int32", k))
        finish()
    }
}
function table_ladder(   labs, n, i, k, id, best) {
    n = split("naive work-efficient shared-tiled chained lookback sam", labs, " ")
    head("reference of lab|n|time, µs|10^9/s|of copy|× CUB")
    for (i = 1; i <= n; i++) {
        best = ""
        for (k = 10; k <= 30; k++) {
            id = sum_of("reference/" labs[i], "int32", k)
            if (!(id in ns)) {
                id = key_of("reference/" labs[i], "exclusive_sum", "int32", 1, 1, k)
            }
            if (id in ns) best = id
        }
        if (best == "") continue
        k = best
        sub(/.* /, "", k)
        start()
        cell(labs[i])
        cell("2^" k)
        micro(best)
        speed(best)
        of(best)
        times(best, sum_of("cub", "int32", k))
        finish()
    }
}
# Bytes per second of a median with its quartiles.
function gbs_with_quartiles(id) {
    cell((id in ns) ? sprintf("%.1f (%.1f to %.1f)", gbs[id], \
        gbs[id] * ns[id] / upper[id], gbs[id] * ns[id] / lower[id]) : "–")
}
function table_cpu(   k, c, t, copies, i, id, copy, fastest) {
    c = version("cpu-scan")
    t = "int32"
    head("n|" short(c) ", GB/s (quartiles)|fastest copy, GB/s|of that copy|oneTBB, GB/s" \
        "|× oneTBB|reference, GB/s|× reference|serial, GB/s|× serial")
    split("ntcopy memcpy memcpy-1", copies, " ")
    for (k = 10; k <= 34; k++) {
        if (!(sum_of(c, t, k) in ns)) continue
        fastest = ""
        for (i = 1; i <= 3; i++) {
            id = key_of(copies[i], "copy", t, 1, 1, k)
            if (!(id in ns) || (fastest != "" && ns[id] >= ns[fastest])) continue
            fastest = id
            copy = copies[i]
        }
        start()
        cell("2^" k)
        gbs_with_quartiles(sum_of(c, t, k))
        cell(fastest == "" ? "–" : copy sprintf(" %.1f", gbs[fastest]))
        times(sum_of(c, t, k), fastest)
        number(gbs[sum_of("onetbb", t, k)], "%.1f")
        times(sum_of(c, t, k), sum_of("onetbb", t, k))
        number(gbs[sum_of("reference/cpu-scan", t, k)], "%.1f")
        times(sum_of(c, t, k), sum_of("reference/cpu-scan", t, k))
        number(gbs[sum_of("serial", t, k)], "%.1f")
        times(sum_of(c, t, k), sum_of("serial", t, k))
        finish()
    }
}
END {
    if (table == "bars") table_bars()
    else if (table == "orders") table_orders()
    else if (table == "tuples") table_tuples()
    else if (table == "applications") table_applications()
    else if (table == "small") table_small()
    else if (table == "ladder") table_ladder()
    else if (table == "cpu") table_cpu()
    else {
        print "tables.sh: there is no table '" table "'; there are: bars orders" \
            " tuples applications small ladder cpu" >"/dev/stderr"
        exit 1
    }
    if (!rows) {
        print "tables.sh: " file " has no rows for the table '" table "'" \
            >"/dev/stderr"
        exit 1
    }
    print ""
    print "(" origin "; medians; plots/data/" file ")"
}
