#!/bin/sh
# SPDX-License-Identifier: MIT
#
# counts.sh [SERIES...]: counts the references on the virtual GPU and writes the
# CSV that traffic.gp and networks_*.gp draw: one line per series and size, for
# all series of the table in count.sh or those named.
#   plots/counts.sh >plots/data/counts.csv
#
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   SIZES="N..."   instead of 2^8 to 2^20
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sizes=${SIZES:-"256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144
    524288 1048576"}

# shellcheck source=plots/count.sh
. "$here/count.sh"

count_header
# shellcheck disable=SC2046 # several words
[ $# != 0 ] || set -- $(series_table | cut -d'|' -f1)
for wanted; do
    for n in $sizes; do count_series "$wanted" "$n"; done
done
