#!/bin/bash
# SPDX-License-Identifier: MIT
# Model times of labs, honest variants, CUB, Thrust and kernels of other kinds,
# beside a GPU's (vgpu/docs/clock.md):
#
#   research/clock/validate.sh WORK [OUT.csv]
#
# WORK: a folder for what is compiled (CUB takes minutes; what is there stays)
# and for model times. OUT: plots/data/clock-h200.csv. VGPU: build/bin/vgpu;
# CLOCK: h200; MOST: 2^24 for labs and peers. Half an hour on one core; with
# JOIN=1 it takes the model's times that WORK has, for new times of the GPU's:
# research/on-gpu/kinds.sh, research/clock/scans/scans.cu. Then it
# draws vgpu/docs/clock-h200.svg (gnuplot) and puts the tables into vgpu/docs/clock.md.
# What else has model times: plots/model.sh, plots/timeline.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//; 3,14p' "$0" >&2 && exit 2; }
work=$1 out=${2:-$root/plots/data/clock-h200.csv} most=${MOST:-16777216}
mkdir -p "$work" && work=$(cd "$work" && pwd)
on=("${VGPU:-$root/build/bin/vgpu}" --check none "--clock=${CLOCK:-h200}" -o /dev/null)
compute() {
    bash "$here/scans/build.sh" "$work/scans"
    [ -x "$work/kinds" ] || bash "$here/kinds/build.sh" "$work/kinds"
    libraries=() first=()
    for so in $(cd "$work/scans" && ls ./*/*.so | sed 's|^\./||'); do
        libraries+=("${so%.so}=$work/scans/$so")
        case $so in reference/* | fast/* | peers/*) first+=("${libraries[-1]}") ;; esac
    done
    "${on[@]}" "$work/kinds" 1 1048576 >"$work/kinds.csv"
    {
        echo who,operation,n,median_ns,min_ns,max_ns
        "${on[@]}" "$work/scans/scans" 1 1024:262144 "${libraries[@]}"
        "${on[@]}" "$work/scans/scans" 1 "1048576:$most" "${first[@]}"
    } | awk 'NR == 1 || !/^who/' >"$work/scans.csv"
}
[ -n "${JOIN:-}" ] || compute
python3 "$here/validate.py" join "$work" \
    "$here/kinds-h200.csv" "$here/scans-h200.csv" "$out"
python3 "$here/validate.py" table "$out"
python3 "$here/validate.py" page "$out" "$root/vgpu/docs/clock.md"
(cd "$root/plots" && gnuplot -e "format='svg'; output='$root/vgpu/docs/clock-h200.svg'; \
data='$(dirname "$(realpath "$out")")'; reader=''" ../research/clock/validation.gp)
