#!/bin/sh
# SPDX-License-Identifier: MIT
# ptxas.sh PTXAS FILE...: each file is PTX for the target that it names.
ptxas=$1
shift
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
bad=0
for file in "$@"; do
    arch=$(sed -n 's/^\.target \(sm_[0-9]*\).*/\1/p' "$file")
    "$ptxas" -arch="$arch" "$file" -o "$out" || bad=1
done
exit $bad
