#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh COMPILER: on AArch64, emulated: the virtual GPU compiled by COMPILER and
# run by qemu-aarch64 has the same model times as on x86-64
# (vgpu/tests/clock/same.txt), keeps what every PTX program of conformance/ promises,
# and answers as the H200 did: each form of the ALU, random PTX programs.
# 77: something is not here.
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
    for room in base core/* observers/* device; do
        includes=$(awk -f tests/aarch64/folders.awk -v vgpu=. -v of="$room" rooms.txt)
        for source in "$room"/*.c; do
            options="-O1 -ffp-contract=off $includes"
            case $source in
            */alu_forms_*) options="-O0 -ffp-contract=off $includes -DVGPU_ISA=baseline" ;;
            esac
            echo "vgpu_$(echo "$source" | tr / _).o $source $options"
        done
    done
    # shellcheck disable=SC2086
    for name in clock/kernels $(printf 'clock/test_%s ' $tests) \
        $conform $alu $programs aarch64/run/codecs; do
        echo "tests_$(echo "$name" | tr / _).c.o tests/$name.c -O1" \
            "-include $work/same.h -Itests/aarch64/run -Itests" \
            "-Ibase -Iinclude -Icore/ptx -Icore/alu"
    done
}
conform=$(printf 'conformance/%s ' conform case begin element expr)
alu=$(printf 'alu/%s ' test_hardware vectors rows trial form_ptx approximate)
programs=$(printf 'semantics/%s ' virtual_main virtual coverage minimise replay \
    forms gen gen_alu gen_flow gen_kernel gen_memory gen_shared gen_video memory)
tests="same kernels copies steps"
cat >"$work/same.h" <<END
#define SAME "$PWD/tests/clock/same.txt"
#define ALU_ANSWERS "$PWD/tests/alu/h200.txt"
END
list | while read -r object rest; do
    echo "$compiler -std=gnu17 -w -I$work -c -o $work/$object $rest"
done | xargs -P 2 -I LINE sh -c LINE || { echo "it does not compile"; exit 1; }

link() { # PROGRAM SOURCE... of tests/
    program=$work/$1
    shift
    set -- "$@" aarch64/run/codecs
    # shellcheck disable=SC2046,SC2086
    $compiler -static -o "$program" \
        $(printf '%s\n' "$@" | sed "s|/|_|g; s|.*|$work/tests_&.c.o|") \
        "$work"/vgpu_*.o -lm -lpthread
}
status=0
run() { # PROGRAM ARGUMENT...
    program=$1
    shift
    timeout 1500 qemu-aarch64 "$work/$program" "$@" || {
        echo "$program fails"
        status=1
    }
}
for test in $tests; do
    link "test_$test" "clock/test_$test" clock/kernels || exit 1
    run "test_$test"
done
# shellcheck disable=SC2086
link conform $conform && link alu $alu && link programs $programs || exit 1
right=$(find tests/conformance -name '*.ptx' ! -path '*/wrong/*' | sort)
# shellcheck disable=SC2086
run conform $right
run alu
run programs replay tests/semantics/h200.txt
! qemu-aarch64 "$work/conform" tests/conformance/wrong/value.ptx >"$work/words" 2>&1 || {
    echo "conform passes what is wrong"
    status=1
}

# It notices a picosecond.
sed 's/h200 chain: \([0-9]*\)\([0-9]\) /h200 chain: \11\2 /' \
    tests/clock/same.txt >"$work/other.txt"
echo "#define SAME \"$work/other.txt\"" >"$work/same.h"
list | grep '^tests_clock_test_same' | while read -r object rest; do
    # shellcheck disable=SC2086
    $compiler -std=gnu17 -w -I"$work" -c -o "$work/$object" $rest
done
link test_same clock/test_same clock/kernels || exit 1
if qemu-aarch64 "$work/test_same" >/dev/null 2>&1; then
    echo "other times pass, too"
    status=1
fi
exit $status
