#!/bin/sh
# SPDX-License-Identifier: MIT
#
# counts.sh [SERIES...]: counts the references on the virtual GPU and writes the
# CSV that traffic.gp and networks_*.gp draw: one line per series and size, for
# all series of the table below or those named.
#   plots/counts.sh >plots/data/counts.csv
#
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   SIZES="N..."   instead of 2^8 to 2^20
#
# moved_per_element: elements of 4 bytes that cross global memory for each of the
# n: what the kernels' 32-byte sectors, read and written, can hold, plus what
# runtime calls copy (read and written) and set. Counts do not depend on the
# input's values, and none of them is a time.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scanlab=${SCANLAB:-$here/../build/bin/scanlab}
sizes=${SIZES:-"256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144
    524288 1048576"}

# series | lab | function | parameters
series_table() {
    cat <<'TABLE'
naive               | naive          | inclusive |
work-efficient      | work-efficient | exclusive |
scan-then-propagate | shared-tiled   | propagate |
reduce-then-scan    | shared-tiled   | reduce    |
sam                 | sam            | scan      | order=1 tuple=1
sam-order-8         | sam            | scan      | order=8 tuple=1
TABLE
}

count() { # series lab function parameters n
    options=
    for parameter in $4; do options="$options --set $parameter"; done
    # shellcheck disable=SC2086 # none or several words
    "$scanlab" run "$2" --function "$3" -n "$5" --seed 1 \
        --submission "$here/../reference" --format csv $options |
        awk -F, -v series="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["result"] != "right" {
                print "counts.sh: " series ": wrong result" >"/dev/stderr"
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

echo "# SPDX-License-Identifier: MIT"
echo "# origin: counts of the virtual GPU (profile teach)," \
    "$("$scanlab" --version), $(date +%F)"
echo "# made by plots/counts.sh; no column is a time"
echo "series,lab,function,n,device,launches,data_ops,global_read_sectors,\
global_write_sectors,d2d_bytes,memset_bytes,moved_per_element,ops_per_element"
# shellcheck disable=SC2046 # several words
[ $# != 0 ] || set -- $(series_table | cut -d'|' -f1)
for wanted; do
    row=$(series_table | sed -E 's/ *\| */|/g' | grep "^$wanted|") || {
        echo "counts.sh: no series '$wanted'" >&2
        exit 2
    }
    for n in $sizes; do
        count "$wanted" "$(echo "$row" | cut -d'|' -f2)" \
            "$(echo "$row" | cut -d'|' -f3)" "$(echo "$row" | cut -d'|' -f4)" \
            "$n"
    done
done
