#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_counts.sh SCANLAB: the committed plots/data/counts.csv is what the
# references count today, for every series at a few small sizes, and has every
# series of counts.sh at every size; likewise counts_orders.csv, depth.csv and
# timeline.csv.
set -u
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
committed=plots/data/counts.csv
sizes="256 1024 8192"

SCANLAB=$1 SIZES=$sizes plots/counts.sh >"$scratch/now" || {
    echo "FAILED: counts.sh failed"
    exit 1
}
values() { # file: its lines, without comments and names
    grep -v -e '^#' -e '^series,' "$1"
}
values "$committed" | awk -F, -v sizes="$sizes" '
    BEGIN { split(sizes, s, " "); for (i in s) wanted[s[i]] = 1 }
    $4 in wanted' >"$scratch/then"
values "$scratch/now" >"$scratch/values"
if ! diff "$scratch/then" "$scratch/values"; then
    echo "FAILED: $committed (<) is not what is counted now (>)."
    echo "Where the counts changed for a good reason:"
    echo "    plots/counts.sh >$committed"
    exit 1
fi

# As many lines for each series; nobody forgot to count the large ones.
values "$committed" | awk -F, '
    { lines[$1]++ }
    END {
        for (s in lines) if (lines[s] != 13) {
            print "FAILED: " s " has " lines[s] " sizes, not 13"; bad = 1
        }
        exit bad
    }' || exit 1

# The same for orders and tuples.
SCANLAB=$1 STEPS="1 3" plots/counts_orders.sh >"$scratch/now" || {
    echo "FAILED: counts_orders.sh failed"
    exit 1
}
values plots/data/counts_orders.csv | awk -F, '$2 == 1 || $2 == 3' \
    >"$scratch/then"
values "$scratch/now" | diff "$scratch/then" - || {
    echo "FAILED: plots/data/counts_orders.csv (<) is not what is counted (>)."
    echo "    plots/counts_orders.sh >plots/data/counts_orders.csv"
    exit 1
}

# Depth, which the handouts' tables show, and the timeline's words.
SCANLAB=$1 SIZES=4096 plots/depth.sh >"$scratch/now" || {
    echo "FAILED: depth.sh failed"
    exit 1
}
values plots/data/depth.csv | awk -F, '$4 == 4096' >"$scratch/then"
values "$scratch/now" | diff "$scratch/then" - || {
    echo "FAILED: plots/data/depth.csv (<) is not what is counted (>)."
    echo "    plots/depth.sh >plots/data/depth.csv; plots/tables.py --write labs/*/README.md"
    exit 1
}
[ "$(wc -l <"$scratch/then")" = 14 ] || {
    echo "FAILED: not 14 series in plots/data/depth.csv"
    exit 1
}
SCANLAB=$1 plots/timeline.sh >"$scratch/now" || {
    echo "FAILED: timeline.sh failed"
    exit 1
}
# Who speaks to whom along the chain, and when all is over, within 5 %.
awk -F, 'FNR == 1 { file++ }
    $2 == "message" && $1 == "chained" { words[file] = words[file] $5 ">" $6 " " }
    $2 == "block" && $4 > end[file, $1] { end[file, $1] = $4 }
    END {
        bad = words[1] != words[2] || words[1] !~ /^0>1 1>2 .* 30>31 $/
        for (i = split("chained lookback", s, " "); i > 0; i--) {
            a = end[1, s[i]]
            b = end[2, s[i]]
            bad = bad || !a || a > 1.05 * b || b > 1.05 * a
        }
        exit bad
    }' plots/data/timeline.csv "$scratch/now" || {
    echo "FAILED: plots/data/timeline.csv is not today's timeline"
    echo "    plots/timeline.sh >plots/data/timeline.csv"
    exit 1
}
echo "$(wc -l <"$scratch/values"), 6 and 14 lines compared"
