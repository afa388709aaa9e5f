#!/bin/bash
# SPDX-License-Identifier: MIT
# Variants of timing/fast (variants.txt) beside a copy and CUB, timed in
# turns at the cells of cells.txt (timing/docs/bench.md).
#
#   research/on-gpu/shapes.sh build WORK             compiles all, all cores
#   research/on-gpu/shapes.sh run WORK OUT [SECONDS] OUT: the CSV (default: 120 s)
#   research/on-gpu/shapes.sh peers WORK             names the peers' libraries
#
# WORK may come from another machine with the same nvcc: what is there, of the
# same sources, is not compiled again. VARIANTS, CELLS: other files than those beside this script;
# ONLY: names of variants; ARCH: 90; SCANLAB_PACK: a folder made by pack.sh,
# else build/ itself. The peers are those of scanlab bench --prepare. ON: words
# before the program, such as vgpu, to try this without a GPU. HAVE_PEERS: the
# caller sees to them. MORE: further libraries, FOLDER/LAB.so, such as those of
# research/clock/scans/build.sh.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "${SCANLAB_ROOT:-$here/../..}" && pwd)
step=${1:-} work=${2:-}
[ -n "$work" ] || { sed -n 's/^# \{0,1\}//; 3,15p' "$0" >&2 && exit 2; }
variants=${VARIANTS:-$here/variants.txt} cells=${CELLS:-$here/cells.txt}
only=${ONLY:-} arch=${ARCH:-90} pack=${SCANLAB_PACK:-$root/build/on-gpu}
[ -x "$pack/bin/scanlab" ] || pack=$root/build
. "$here/toolkit.sh"
mkdir -p "$work"

# name and -D of every wanted variant, one a line and lab.
wanted() { # LAB
    awk -v lab="$1" -v only=" $only " '
        { sub(/#.*/, "") }
        NF && ($2 == lab || ($2 == "both" && lab != "applications")) &&
            (only == "  " || index(only, " " $1 " ")) {
            name = $1; $1 = $2 = ""; print name $0 }' "$variants"
}

# compile WHERE WORDS...: unless it is there, of the same words and sources.
compile() {
    local to=$1 key
    shift
    key=$(cat "$root"/timing/fast/*.cu* "$root"/timing/gpu/*.cu* "$root"/grader/judge/gpu/*.cu* "$root"/grader/contract/* \
        "$root"/labs/*/*.h <(nvcc --version) <(echo "$arch $*") | cksum)
    [ -s "$to" ] && [ "$key" = "$(cat "$to.key" 2>/dev/null)" ] && return
    mkdir -p "$(dirname "$to")"
    echo "$key" >"$to.key"
    if nvcc -std=c++17 -cudart shared "-arch=sm_$arch" "$@" -o "$to.fresh" \
        >"$to.log" 2>&1; then
        mv "$to.fresh" "$to"
    else
        rm -f "$to"
        echo "shapes.sh: $to does not compile:" >&2
        head -n 5 "$to.log" >&2
        return 1
    fi
}

build() {
    local lab name flags cores status=0
    cores=$(nproc)
    [ -n "${HAVE_PEERS:-}" ] || SCANLAB_ROOT=$root \
        LD_LIBRARY_PATH=$pack/lib/needed:$LD_LIBRARY_PATH \
        "$pack/bin/scanlab" bench --prepare "$arch" &
    compile "$work/shapes" -O2 -I "$root/grader/contract" \
        -I "$root/grader/judge/gpu" "$root/timing/gpu/shapes.cu" \
        "$root"/grader/judge/gpu/{data,check}.cu -ldl &
    # What a scan of few elements is made of, and cannot be faster than.
    compile "$work/floors.so" -O3 -shared -Xcompiler -fPIC \
        -I "$root/grader/contract" -I "$root/grader/judge/gpu" \
        "$root/timing/gpu/peers_floors.cu" &
    for lab in sam lookback applications; do
        while read -r name flags; do
            while [ "$(jobs -rp | wc -l)" -ge "$cores" ]; do wait -n; done
            # No symbol is one for all libraries of a process. -O2, -lineinfo
            # and -DSOLUTION as scanlab compiles them.
            # shellcheck disable=SC2086 # flags are words
            compile "$work/$name/$lab.so" -O2 -lineinfo -shared -DSOLUTION \
                -Xcompiler -fPIC,-pthread,-fno-gnu-unique $flags \
                -I "$root/labs/common" -I "$(echo "$root"/labs/*-$lab)" \
                "$root/timing/fast/$lab.cu" &
        done < <(wanted $lab)
    done
    wait
    [ -x "$work/shapes" ] || return 2
    for lab in sam lookback applications; do
        while read -r name flags; do
            [ -s "$work/$name/$lab.so" ] || status=1
        done < <(wanted $lab)
    done
    return $status
}

peers() {
    local unit path
    for unit in copy scan_int32 scan_int64 scan_float scan_double \
        tuple_int32 tuple_int64 applications sort next_int32 next_int64 next_float next_double \
        next_tuple_int32 next_tuple_int64; do
        # The newest: the folder may hold those of an earlier build.
        # shellcheck disable=SC2012
        path=$(ls -t "$pack"/bench/$unit-*.so 2>/dev/null | head -n 1)
        [ -n "$path" ] && echo "$path"
    done
    [ ! -s "$work/floors.so" ] || echo "$work/floors.so"
}

# Each by itself on a few cells: what hangs, fails or is wrong is left out.
trial() { # LIBRARY: prints it
    # shellcheck disable=SC2086 # ON is words
    timeout -k 2 60 ${ON:-} "$work/shapes" --once "$work/trial.txt" "$1" \
        >"$1.trial" 2>&1 && echo "$1" && return
    echo "shapes.sh: left out: $1: $(grep -v '^\[' "$1.trial" | tail -n 2)" >&2
}

run() {
    local out=$1 seconds=$2 lab name flags passed=() library
    printf 'int32 %s\n' '1 1 100001' '1 1 8000003' '5 1 8000003' '8 1 99999' \
        '1 3 8000003' '1 7 99999' >"$work/trial.txt"
    printf 'int64 %s\n' '1 1 4000001' '1 5 4000001' >>"$work/trial.txt"
    for name in select_half partition_half run_length reduce_by_key sort_keys \
        sort_pairs; do
        printf '%s\n' "$name 1003" "$name 8000003"
    done >>"$work/trial.txt"
    for lab in lookback sam applications; do
        while read -r name flags; do
            library=$work/$name/$lab.so
            [ -s "$library" ] || continue
            while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
            trial "$library" >>"$work/passed.$lab" &
        done < <(wanted $lab)
    done
    wait
    mapfile -t passed < <(cat "$work"/passed.* 2>/dev/null | sort)
    rm -f "$work"/passed.*
    # shellcheck disable=SC2206 # paths are words
    passed+=(${MORE:-})
    mapfile -t -O "${#passed[@]}" passed < <(peers)
    {
        for lab in sam lookback applications; do
            wanted $lab | awk -v lab=$lab '{ name = $1; $1 = ""
                print "# note: " name "/" lab ":" ($0 == "" ? " as committed" : $0) }'
        done
        command -v nvidia-smi >/dev/null && nvidia-smi --format=csv,noheader \
            --query-gpu=driver_version,clocks.max.sm,clocks.max.mem |
            sed 's/\(.*\), \(.*\), \(.*\)/# driver: \1\n# most_clocks: SM \2, memory \3/'
        [ -r "$pack/describe" ] && echo "# scanlab: commit $(cat "$pack/describe")"
        # shellcheck disable=SC2086 # ON is words
        timeout -k 5 $((seconds + 120)) ${ON:-} "$work/shapes" --seconds "$seconds" \
            "$cells" "${passed[@]}" 2>"$work/shapes.log"
        echo "$?" >"$work/status"
    } >"$out"
    tail -n 3 "$work/shapes.log"
    return "$(cat "$work/status")"
}

case $step in
build) build ;;
run) run "${3:?}" "${4:-120}" ;;
peers) peers ;;
*) echo "shapes.sh: build, run or peers" >&2 && exit 2 ;;
esac
