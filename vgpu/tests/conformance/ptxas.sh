#!/bin/sh
# SPDX-License-Identifier: MIT
# ptxas.sh PTXAS CONFORM FILE...: each file is PTX for the target that it names.
ptxas=$1 conform=$2
shift 2
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
bad=0
for file in "$@"; do
    "$conform" --ptx "$file" >"$out/ptx" || bad=1
    arch=$(sed -n 's/^\.target \(sm_[0-9]*a*\).*/\1/p' "$out/ptx")
    "$ptxas" -arch="$arch" "$out/ptx" -o "$out/cubin" || bad=1
done
exit $bad
