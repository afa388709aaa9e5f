#!/bin/sh
# SPDX-License-Identifier: MIT
#
# count.sh: functions for the scripts that write CSV of counts; they set here,
# the folder of this file, and submission when it is not the reference. One line
# is one call of a reference on the virtual GPU, its counters by name; all on one
# device profile, so that the columns of a figure are of one machine. moved_per_element: elements of 4 bytes that cross
# global memory for each of the n: what the kernels' 32-byte sectors, read and
# written, can hold, plus what runtime calls copy (read and written) and set.
# Counts do not depend on the input's values, and none of them is a time.
scanlab=${SCANLAB:-${here:?}/../build/bin/scanlab}
profile=h200

# series | lab | function | parameters
series_table() {
    sed -E 's/ *\| */|/g' <<'TABLE'
naive               | naive          | inclusive |
work-efficient      | work-efficient | exclusive |
scan-then-propagate | shared-tiled   | propagate |
reduce-then-scan    | shared-tiled   | reduce    |
chained             | chained        | inclusive |
lookback            | lookback       | i32       | op=sum
sam                 | sam            | scan      | order=1 tuple=1
sam-order-8         | sam            | scan      | order=8 tuple=1
TABLE
}

# count_series SERIES N: one line.
count_series() {
    row=$(series_table | grep "^$1|") || {
        echo "$(basename "$0"): no series '$1'" >&2
        exit 2
    }
    count "$1" "$(echo "$row" | cut -d'|' -f2)" \
        "$(echo "$row" | cut -d'|' -f3)" "$(echo "$row" | cut -d'|' -f4)" "$2"
}

count_header() {
    echo "# SPDX-License-Identifier: MIT"
    echo "# origin: counts of the virtual GPU (device: its profile)," \
        "$("$scanlab" --version), $(date +%F)"
    echo "# made by plots/$(basename "$0"); no column is a time"
    echo "series,lab,function,n,device,launches,data_ops,global_read_sectors,\
global_write_sectors,d2d_bytes,memset_bytes,moved_per_element,ops_per_element"
}

# count SERIES LAB FUNCTION PARAMETERS N: one line.
count() {
    options=
    for parameter in $4; do options="$options --set $parameter"; done
    # shellcheck disable=SC2086 # none or several words
    "$scanlab" run "$2" --function "$3" -n "$5" --seed 1 \
        --profile $profile \
        --submission "${submission:-$here/../reference}" --format csv $options |
        awk -F, -v series="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["result"] != "right" {
                print "counts of " series ": n = " $at["n"] ": " \
                    $at["result"] >"/dev/stderr"
                exit 1
            }
            {
                n = $at["n"]
                moved = 8 * ($at["global_read_sectors"] + \
                    $at["global_write_sectors"]) + \
                    $at["d2d_bytes"] / 2 + $at["memset_bytes"] / 4
                printf "%s,%s,%s,%d,%s,%d,%d,%d,%d,%d,%d,%.4f,%.4f\n", series,
                    $at["lab"], $at["function"], n, $at["device"],
                    $at["launches"], $at["data_ops"],
                    $at["global_read_sectors"], $at["global_write_sectors"],
                    $at["d2d_bytes"], $at["memset_bytes"], moved / n,
                    $at["data_ops"] / n
            }' || exit 1
}
