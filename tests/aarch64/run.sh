#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh COMPILER: the clock's tests on AArch64, emulated: the virtual GPU and
# tests/clock, compiled by COMPILER, run by qemu-aarch64. same.txt has the
# picoseconds of x86-64: they are the same. 77: something is not here.
set -u
compiler=$1
for program in "$compiler" qemu-aarch64; do
    if ! command -v "$program" >/dev/null 2>&1; then
        echo "SKIP: no $program (tools/setup.sh aarch64 installs it)"
        exit 77
    fi
done
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! echo 'int main(void) { return 0; }' |
    "$compiler" -static -x c -o "$work/nothing" - 2>/dev/null ||
    ! qemu-aarch64 "$work/nothing"; then
    echo "SKIP: $compiler links nothing that qemu-aarch64 runs"
    exit 77
fi
command -v ccache >/dev/null 2>&1 && compiler="ccache $compiler"
for header in lz4.h zstd.h zstd_errors.h; do
    found=$(echo "#include <$header>" | gcc -E - |
        sed -n "s|^# [0-9]* \"\(.*/$header\)\".*|\1|p" | head -n 1)
    [ -z "$found" ] || cp "$found" "$work"
done

# One line for each object: its name, its room's source, its options.
list() {
    for room in base vgpu/ptx vgpu/fatbin vgpu/memory vgpu/alu vgpu/decode \
        vgpu/machine vgpu/watch vgpu/clock vgpu/access vgpu/async \
        vgpu/control vgpu/exec vgpu/device vgpu/names; do
        includes=$(tools/rooms.py --folders "grader/$room" |
            sed 's/[^ ][^ ]*/-I&/g')
        for source in grader/"$room"/*.c; do
            options="-O1 -ffp-contract=off $includes"
            case $source in
            */alu_forms_*) options="-O0 -ffp-contract=off $includes -DVGPU_ISA=baseline" ;;
            esac
            echo "$(echo "$source" | tr / _).o $source $options"
        done
    done
    # shellcheck disable=SC2086
    for name in clock/kernels $(printf 'clock/test_%s ' $tests) \
        aarch64/run/codecs; do
        echo "tests_$(echo "$name" | tr / _).c.o tests/$name.c -O1" \
            "-include $work/same.h -Itests/aarch64/run -Itests" \
            "-Igrader/base -Igrader/vgpu/include"
    done
}
tests="same kernels copies steps"
echo "#define SAME \"$PWD/tests/clock/same.txt\"" >"$work/same.h"
list | while read -r object rest; do
    echo "$compiler -std=gnu17 -w -I$work -c -o $work/$object $rest"
done | xargs -P 2 -I LINE sh -c LINE || { echo "it does not compile"; exit 1; }

link() { # TEST, whose object is tests_clock_TEST
    # shellcheck disable=SC2086
    $compiler -static -o "$work/$1" "$work/tests_clock_$1.c.o" \
        "$work/tests_clock_kernels.c.o" "$work/tests_aarch64_run_codecs.c.o" \
        "$work"/grader_*.o -lm -lpthread
}
status=0
for test in $tests; do
    link "test_$test" || exit 1
    timeout 900 qemu-aarch64 "$work/test_$test" || {
        echo "$test fails"
        status=1
    }
done

# It notices a picosecond.
sed 's/h200 chain: \([0-9]*\)\([0-9]\) /h200 chain: \11\2 /' \
    tests/clock/same.txt >"$work/other.txt"
echo "#define SAME \"$work/other.txt\"" >"$work/same.h"
list | grep '^tests_clock_test_same' | while read -r object rest; do
    # shellcheck disable=SC2086
    $compiler -std=gnu17 -w -I"$work" -c -o "$work/$object" $rest
done
link test_same || exit 1
if qemu-aarch64 "$work/test_same" >/dev/null 2>&1; then
    echo "other times pass, too"
    status=1
fi
exit $status
