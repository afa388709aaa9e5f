#!/bin/sh
# SPDX-License-Identifier: MIT
#
# depth.sh [SERIES...]: depth and work of the references, counted on the virtual
# GPU with the clock profile pram (vgpu/docs/clock.md): steps of warps, as many
# processors as wanted. From it come the tables "depth and work" of the handouts
# (tables.py) and depth.gp. One line per series and size.
#   plots/depth.sh >plots/data/depth.csv
#
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   SIZES="N..."   instead of 2^12, 2^14 to 2^20; a series may end before
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scanlab=${SCANLAB:-$here/../build/bin/scanlab}

# series | lab | function | parameters | largest n
table() {
    sed -E 's/ *\| */|/g' <<'TABLE'
naive               | naive          | inclusive |                 | 1048576
work-efficient      | work-efficient | exclusive |                 | 1048576
banks-plain         | bank-conflicts | scan      | map=plain       | 4096
banks-padding       | bank-conflicts | scan      | map=padding     | 4096
banks-leftright     | bank-conflicts | scan      | map=leftright   | 4096
scan-then-propagate | shared-tiled   | propagate |                 | 1048576
reduce-then-scan    | shared-tiled   | reduce    |                 | 1048576
chained             | chained        | inclusive |                 | 1048576
lookback-serial     | lookback       | serially  |                 | 1048576
lookback            | lookback       | i32       | op=sum          | 1048576
sam                 | sam            | scan      | order=1 tuple=1 | 1048576
sam-order-8         | sam            | scan      | order=8 tuple=1 | 1048576
select              | applications   | select    |                 | 1048576
sort                | applications   | sort      |                 | 65536
TABLE
}

count() { # series lab function parameters n
    options=
    for parameter in $4; do options="$options --set $parameter"; done
    # shellcheck disable=SC2086 # none or several words
    "$scanlab" run "$2" --function "$3" -n "$5" --seed 1 --clock=pram \
        --profile h200 --submission "$here/../reference" --format csv $options |
        awk -F, -v series="$1" '
            NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
            $at["result"] != "right" {
                print "depth of " series ": " $at["result"] >"/dev/stderr"
                exit 1
            }
            {
                printf "%s,%s,%s,%d,%d,%d,%d,%d\n", series, $at["lab"],
                    $at["function"], $at["n"], $at["launches"],
                    $at["data_ops"], $at["depth"], $at["longest_chain"]
            }'
}

echo "# SPDX-License-Identifier: MIT"
echo "# origin: depth on the virtual GPU, profile pram (device h200)," \
    "$("$scanlab" --version), $(date +%F)"
echo "# made by plots/depth.sh; no column is a time"
echo "series,lab,function,n,launches,data_ops,depth,longest_chain"
table | while IFS='|' read -r series lab function parameters most; do
    case " ${*:-$series} " in *" $series "*) ;; *) continue ;; esac
    for n in ${SIZES:-4096 16384 65536 262144 1048576}; do
        [ "$n" -gt "$most" ] ||
            count "$series" "$lab" "$function" "$parameters" "$n"
    done
done
