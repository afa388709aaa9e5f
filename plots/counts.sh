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
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sizes=${SIZES:-"256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144
    524288 1048576"}

# series | lab | function | parameters
series_table() {
    cat <<'TABLE'
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

# shellcheck source=plots/count.sh
. "$here/count.sh"

count_header
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
