#!/bin/sh
# SPDX-License-Identifier: MIT
# run_program.sh NVCC VGPU PROGRAM.cu FOLDER: compiles the program, runs it under the tool, and holds it to the comments
# at its top:
#   // options: for vgpu        // exit: code (0 when not given)
#   // nvcc: more flags; -arch=compute_75 is added when they name no architecture
#   // interrupt: signal that the tool gets once the program says something on stdout
#   // expect: a line that stdout must have, in order and no other line
#   // report: words that stderr must have
set -u
nvcc=$1 vgpu=$2 source=$3 folder=$4
name=$(basename "$source" .cu)
program=$folder/$name.program
says() { sed -n "s|^// $1: *||p" "$source"; }
fail() {
    echo "$source: $1"
    echo "--- stdout"; cat "$program.out"; echo "--- stderr"; cat "$program.err"
    echo "--- again: $vgpu $(says options) $program"
    exit 1
}
case $(says nvcc) in
*arch*) arch= ;;
*) arch=-arch=compute_75 ;;
esac
# shellcheck disable=SC2046,SC2086 # options are words
"$nvcc" -cudart shared $arch -lineinfo $(says nvcc) -o "$program" "$source" || exit 1
# shellcheck disable=SC2046
timeout 60 "$vgpu" $(says options) "$program" >"$program.out" 2>"$program.err" &
pid=$! # of timeout, which passes the signal on
signal=$(says interrupt)
if [ -n "$signal" ]; then
    while [ ! -s "$program.out" ] && kill -0 "$pid"; do sleep 0.1; done
    sleep 0.5
    kill "-$signal" "$pid"
fi
wait "$pid"
code=$?
wanted=$(says exit)
[ "$code" -eq "${wanted:-0}" ] || fail "exit code $code, not ${wanted:-0}"
says expect >"$program.expected"
cmp -s "$program.expected" "$program.out" || fail "stdout is not what // expect: says"
says report | while read -r words; do
    grep -qF -- "$words" "$program.err" || { echo "missing in the report: $words"; exit 1; }
done || fail "the report is not what // report: says"
