#!/bin/sh
# SPDX-License-Identifier: MIT
# all.sh SECONDS OUT [BIN]: every fuzz target at the same time, on all cores.
#   BIN  folder of the targets with libFuzzer; else build/fuzz/bin
#   OUT  gets new inputs, logs and what was found
# Ends with a line for each target; exit status 1 when something was found.
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=$1 out=$2 bin=${3:-build/fuzz/bin}
set -- "$bin"/fuzz_*
[ -x "$1" ] || { echo "no targets in $bin: see docs/robustness.md" >&2; exit 2; }
each=$(($(nproc) / $#))
[ "$each" -ge 1 ] || each=1
mkdir -p "$out"
tests/fuzz/dictionary.sh grader/vgpu/ptx >"$out/ptx.dict"

for target; do
  name=${target##*fuzz_}
  mkdir -p "$out/new/$name"
  dictionary=
  [ "$name" != ptx ] || dictionary=-dict=$out/ptx.dict
  k=0
  while [ $((k += 1)) -le "$each" ]; do
    nice -n 19 "$target" -max_total_time="$seconds" -rss_limit_mb=1500 \
      -timeout=60 -print_final_stats=1 -artifact_prefix="$out/$name-" \
      $dictionary "$out/new/$name" "tests/fuzz/corpus/$name" \
      >"$out/$name.$k.log" 2>&1 &
  done
done
wait

found=0
for target; do
  name=${target##*fuzz_}
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name".*.log |
    awk '{ all += $1 } END { print all + 0 }')
  ended=$(grep -l '^Done ' "$out/$name".*.log | wc -l)
  bad=$(cd "$out" && for kind in crash leak oom timeout; do
    find . -maxdepth 1 -name "$name-$kind-*" -printf '%f '
  done)
  verdict=clean
  if [ -n "$bad" ] || [ "$ended" -ne "$each" ] || [ "$runs" -eq 0 ]; then
    verdict="FOUND: ${bad:-a process ended early, see $name.*.log}" found=1
  fi
  echo "fuzz_$name: $each processes, $seconds s, $runs inputs, $(ls "$out/new/$name" | wc -l) new ones kept: $verdict"
done
exit $found
