#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_bench.sh SCANLAB ROOT WORK: `scanlab bench --cpu` writes rows for all that
# is right, says so when an output is wrong, and outlives a submission that
# crashes. No time is looked at.
set -u
scanlab=$1
root=$2
work=$3
failed=0
rm -rf "$work"
mkdir -p "$work/wrong" "$work/crash" || exit 1

expect() { # what, command...
    what=$1
    shift
    "$@" >/dev/null 2>&1 || {
        echo "FAILED: $what"
        failed=1
    }
}

run() { # expected status, name, arguments...
    wanted=$1
    name=$2
    shift 2
    "$scanlab" bench --cpu --threads 2 -n 1000 -n 1048577 \
        -o "$work/$name.csv" "$@" >"$work/$name.txt" 2>&1
    got=$?
    [ $got = "$wanted" ] || {
        echo "FAILED: $name: exit status $got, expected $wanted"
        cat "$work/$name.txt"
        failed=1
    }
}

# Only the reference itself is compiled with SOLUTION defined.
{
    echo '#define SOLUTION 1'
    sed 's/^int cpu_single_pass_scan/int cpu_right/' \
        "$root/reference/cpu_scan.c"
} >"$work/wrong/cpu_scan.c"
cp "$work/wrong/cpu_scan.c" "$work/crash/cpu_scan.c"
cat >>"$work/wrong/cpu_scan.c" <<'END'
int cpu_right(const int32_t *, int32_t *, size_t, int);
int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n, int t) {
    int error = cpu_right(in, out, n, t);
    out[n / 2]++;
    return error;
}
END
cat >>"$work/crash/cpu_scan.c" <<'END'
int cpu_single_pass_scan(const int32_t *in, int32_t *out, size_t n, int t) {
    (void)n, (void)t;
    out[0] = in[0];
    *(volatile int *)16 = 1;
    return 0;
}
END

run 0 right --submission "$root/student"
for who in serial threads memcpy memcpy-1 reference/cpu-scan \
    fast/cpu-scan; do
    expect "a row for $who" grep -Eq "^$who,.*,1048577,.*,8388616,1$" \
        "$work/right.csv"
done
expect "a stub is named, not timed" \
    grep -q '^# student/cpu-scan, n = 1000: not written yet$' "$work/right.csv"
expect "one line per row, 13 fields" awk -F, \
    '/^#/ { next } NF != 13 { bad = 1 } END { exit bad }' "$work/right.csv"

run 1 wrong --submission "$work/wrong" --operation inclusive_sum
expect "a wrong output is marked" \
    grep -q '^wrong/cpu-scan,.*,0$' "$work/wrong.csv"
expect "only what was asked for" \
    sh -c "! grep -q ',copy,' '$work/wrong.csv'"

run 1 crash --submission "$work/crash"
expect "a crash is told" \
    grep -q '^# crash/cpu-scan, n = 1000: Segmentation fault$' "$work/crash.csv"
expect "and the others are measured" \
    grep -q '^fast/cpu-scan,.*,1000,.*,1$' "$work/crash.csv"

run 2 type --type double
exit $failed
