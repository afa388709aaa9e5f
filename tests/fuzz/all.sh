#!/bin/sh
# SPDX-License-Identifier: MIT
# all.sh SECONDS OUT [BIN [NAME...]]: fuzz targets at the same time, on all cores.
#   BIN   folder of the targets with libFuzzer; else build/fuzz/bin. Their inputs
#         lie in BIN/../corpus, where the build unpacked them
#   NAME  of a target, without fuzz_; else every one
#   OUT   gets new inputs, logs and what was found
# Ends with a line for each target; exit status 1 when something was found.
set -u
cd "$(dirname "$0")/../.." || exit 2
seconds=$1 out=$2 bin=${3:-build/fuzz/bin}
if [ $# -gt 3 ]; then
  shift 3
  for name; do
    shift
    set -- "$@" "$bin/fuzz_${name#fuzz_}"
  done
else
  set -- "$bin"/fuzz_*
fi
for target; do
  [ -x "$target" ] || { echo "no $target: see docs/robustness.md" >&2; exit 2; }
done
each=$(($(nproc) / $#))
[ "$each" -ge 1 ] || each=1
mkdir -p "$out"
vgpu/tests/fuzz/dictionary.sh vgpu/core/ptx >"$out/ptx.dict"

for target; do
  name=${target##*fuzz_}
  mkdir -p "$out/new/$name"
  dictionary=
  [ "$name" != ptx ] || dictionary=-dict=$out/ptx.dict
  k=0
  while [ $((k += 1)) -le "$each" ]; do
    { nice -n 19 "$target" -max_total_time="$seconds" -rss_limit_mb=1500 \
      -timeout=60 -print_final_stats=1 -artifact_prefix="$out/$name-" \
      $dictionary "$out/new/$name" "$bin/../corpus/$name" \
      >"$out/$name.$k.log" 2>&1; times >"$out/$name.$k.times"; } &
  done
done
wait

found=0
for target; do
  name=${target##*fuzz_}
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$out/$name".*.log |
    awk '{ all += $1 } END { print all + 0 }')
  minutes=$(tail -qn 1 "$out/$name".*.times | tr ms '  ' |
    awk '{ all += $1 + $2 / 60 + $3 + $4 / 60 } END { printf "%.1f", all }')
  ended=$(grep -l '^Done ' "$out/$name".*.log | wc -l)
  bad=$(cd "$out" && for kind in crash leak oom timeout; do
    find . -maxdepth 1 -name "$name-$kind-*" -printf '%f '
  done)
  verdict=clean
  if [ -n "$bad" ] || [ "$ended" -ne "$each" ] || [ "$runs" -eq 0 ]; then
    verdict="FOUND: ${bad:-a process ended early, see $name.*.log}" found=1
  fi
  echo "fuzz_$name: $each processes, $seconds s, $minutes minutes of CPU, $runs inputs, $(ls "$out/new/$name" | wc -l) new ones kept: $verdict"
done
exit $found
