#!/bin/sh
# SPDX-License-Identifier: MIT
#
# model.sh: what the figures of model time are drawn from: the references' scans
# on the virtual GPU with the clock, as `scanlab bench --clock` gives them, with
# CUB, Thrust and the copies where timing/ is there (timing/gpu/model.sh). The
# same numbers on every machine; to be made anew when the profile changes:
#   plots/model.sh >plots/data/model-h200.csv
#
#   BUILD=DIR    the build folder (build)
#   PEERS=FILE   their rows are taken from this CSV: where a reference changed
#                and the profile did not
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${BUILD:-$here/../build}" && pwd)
profile=h200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

model() { # file words...: rows of the references
    out=$work/$1
    shift
    "$build/bin/scanlab" bench "--clock=$profile" --arch 90 --seconds 3600 \
        -s "$here/../reference" -o "$out" "$@" || [ $? = 1 ]
}
small="-n 1024 -n 4096 -n 16384 -n 65536 -n 262144 -n 1048576"
# shellcheck disable=SC2086 # several words
model steps naive work-efficient $small
# shellcheck disable=SC2086
model scans shared-tiled chained lookback sam $small -n 4194304
model wide sam --operation inclusive_sum --wide -n 1048576

# Each row once; the date is a day's, so that it shows when the numbers are old.
sed -n '/^#/ { /^# note/d; s/T.*Z$//; p; }; /^who,/p' "$work/steps"
grep -h -v -e '^#' -e '^who,' -e ,encode, "$work/steps" "$work/scans"
grep -v -e '^#' -e '^who,' -e ,1,1,1048576,1, "$work/wide"
if [ -n "${PEERS:-}" ]; then
    grep -E '^(memcpy|copy16|cub|thrust),' "$PEERS"
elif [ -x "$here/../timing/gpu/model.sh" ]; then
    "$here/../timing/gpu/model.sh" "$build" "$profile"
fi
grep -h '^# note' "$work/steps" "$work/scans" "$work/wide" || true
