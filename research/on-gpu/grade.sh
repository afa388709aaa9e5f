#!/bin/bash
# SPDX-License-Identifier: MIT
# Grades reference, stubs and mutants on the virtual GPU and on the real one.
#
#   research/on-gpu/grade.sh vgpu WORK       verdicts of the virtual GPU
#   research/on-gpu/grade.sh gpu WORK        those of the GPU, and transcripts
#   research/on-gpu/grade.sh table WORK      all of it, side by side
#
# SCANLAB_PACK: a folder made by pack.sh (build/on-gpu), else build/ itself.
# JOBS_VGPU, JOBS_GPU: how many mutants at a time; MUTANTS: one lab's only. Mutants of labs that run on
# the host alone are left out.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
step=$1 work=$2
pack=${SCANLAB_PACK:-$root/build/on-gpu}
[ -x "$pack/bin/scanlab" ] || pack=$root/build
mkdir -p "$work/vgpu" "$work/gpu" "$work/submissions"
export SCANLAB_ROOT=$root
[ -d "$pack/lib/needed" ] && echo "${LD_LIBRARY_PATH:-}" >"$pack/library-path"

scanlab() {
    LD_LIBRARY_PATH=$pack/lib/needed:${LD_LIBRARY_PATH:-} \
        "$pack/bin/scanlab" "$@"
}

# A copy of the reference with one patch: prints folder and lab.
submission() {
    local patch=$1 lab name folder source
    lab=$(basename "$(dirname "$patch")")
    name=$(basename "$patch" .patch)
    folder=$work/submissions/$lab.$name
    source=$(sed -n 's/^source *= *\([^ ;]*\).*/\1/p' \
        "$root"/labs/*-"$lab"/lab.ini)
    if ! [ -d "$folder" ]; then
        cp -r "$root/reference" "$folder.new"
        patch --silent --no-backup-if-mismatch "$folder.new/$source" "$patch" \
            >&2 || return 1
        # Only the reference itself is compiled with SOLUTION defined.
        sed -i '1i #define SOLUTION 1\n#line 1' "$folder.new"/*.c "$folder.new"/*.cu
        mv "$folder.new" "$folder"
    fi
    echo "$folder $lab"
}

one_mutant() {
    local device=$1 patch=$2 folder lab
    read -r folder lab < <(submission "$patch") || return
    scanlab grade "$lab" --submission "$folder" --device "$device" --seed 1 \
        --format json -o "$work/$device/$(basename "$folder").json" \
        >/dev/null 2>"$work/$device/$(basename "$folder").err" </dev/null
}

mutants() {
    local device=$1 jobs=$2 patch others
    others=$(jobs -rp | wc -l)
    for patch in "$root"/tests/mutants/${MUTANTS:-*}/*.patch; do
        case $patch in */cpu-scan/*) continue ;; esac
        while [ "$(jobs -rp | wc -l)" -ge "$((jobs + others))" ]; do
            wait -n
        done
        one_mutant "$device" "$patch" &
    done
    wait
}

whole() { # DEVICE FOLDER NAME
    scanlab grade --submission "$root/$2" --device "$1" --seed 1 \
        --format json -o "$work/$1/$3.json" >/dev/null 2>"$work/$1/$3.err"
}

transcript() {
    echo "\$ scanlab grade $*"
    (cd "$root" && scanlab grade "$@" 2>&1)
    echo "exit status $?"
    echo
}

case $step in
vgpu)
    whole vgpu reference reference
    whole vgpu student stubs
    mutants vgpu "${JOBS_VGPU:-$(nproc)}"
    ;;
gpu)
    {
        transcript --submission reference --device gpu --seed 1
        transcript --submission reference --device auto --seed 1
        transcript --submission reference --device vgpu --seed 1
        transcript --submission student --device gpu --seed 1
    } >"$work/transcript.txt" 2>&1 &
    whole gpu reference reference &
    whole gpu student stubs &
    mutants gpu "${JOBS_GPU:-4}"
    ;;
table)
    python3 "$root/research/on-gpu/verdicts.py" "$work/vgpu" "$work/gpu"
    echo
    cat "$work/transcript.txt" 2>/dev/null
    ;;
*) echo "grade.sh: vgpu, gpu or table" >&2 && exit 2 ;;
esac
