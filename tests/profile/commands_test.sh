#!/bin/sh
# SPDX-License-Identifier: MIT
# commands_test.sh SCANLAB ROOT host|nvcc: scanlab run and scanlab profile on the labs of the course: what goes right, what
# goes wrong and with which exit status. host: what needs no CUDA compiler.
set -u
scanlab=$1 root=$2 part=$3
unset NO_COLOR
export SCANLAB_ROOT="$root" LC_ALL=C
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world" || exit 1
n=0
failures=0
# expect STATUS TEXT ARGUMENT...: scanlab ends with STATUS and says TEXT.
expect() {
    status=$1 text=$2
    shift 2
    "$scanlab" "$@" >out 2>err </dev/null
    got=$?
    n=$((n + 1))
    if [ "$got" != "$status" ] || ! cat out err | grep -qF -e "$text"; then
        failures=$((failures + 1))
        echo "FAILED: scanlab $*: status $got, not $status, or no '$text' in:"
        cat out err
    fi
}
# The reference's file, changed by sed. Only the reference itself is compiled
# with SOLUTION defined.
changed() {
    sed "$1" "$root/reference/$2" | sed '1i #define SOLUTION 1\n#line 1'
}
if [ "$part" = host ]; then
    for command in run profile; do
        expect 0 "usage: scanlab $command LAB" $command --help
        expect 0 "$command LAB" --help
        expect 2 "usage: scanlab $command LAB" $command
        expect 2 "usage: scanlab $command LAB" $command naive cpu-scan
        expect 2 "unknown lab 'naiv' (did you mean 'naive'?)" $command naiv
        expect 2 '--frob is no option' $command naive --frob
        expect 2 "-n: 'x' is not a number" $command naive -n x
        expect 2 "-n: '67108865' is not a number from 0 to 67108864" $command naive -n 67108865
        expect 2 "--seed: '-1' is not a number" $command naive --seed -1
        expect 2 "--schedule: 'up' is none of" $command naive --schedule up
        expect 2 "--profile: 'h20' is no device profile (vgpu --list-devices) (did you mean 'h200'" $command naive --profile h20
        expect 2 "--clock: 'h20' is no profile of the clock (vgpu --list-clocks) (did you mean 'h200'" $command naive --clock=h20
        expect 2 'timeline: there is no --clock' $command naive --timeline x
        expect 2 "unknown function of lab naive 'x'" $command naive --function x
        expect 2 'known: inclusive exclusive' $command naive --function x
        expect 2 "--trace: 'bock' is none of kernel=" $command naive --trace=bock=1
        expect 2 'cannot read the folder of labs' $command naive --labs nowhere
        expect 2 "cannot open the submission's folder nowhere: No such file" $command naive -s nowhere
        expect 2 'there is no naive.cu in .' $command naive -s .
    done
    expect 2 "--top: '0' is not a number from 1" profile naive --top 0
    expect 2 '--top is no option' run naive --top 3
    expect 2 '-o is no option' run naive -o page.html
    expect 2 '-o writes a page: FILE.html' profile naive -o page.txt
    expect 2 'without --format json' profile naive -o page.html --format json
    expect 2 '--threads is no option' profile naive --threads 3
    expect 2 'runs on the host, where nothing is counted; see: scanlab run cpu-scan' profile cpu-scan
    expect 2 'runs on the host: only what runs on the virtual GPU has a trace' run cpu-scan --trace
    expect 0 'cpu_inclusive_scan, n = 65536, seed 7: right' run cpu-scan -s "$root/reference" --seed 7
    expect 0 'n = 0, seed 7: right' run 0 -s "$root/reference" --seed 7 -n 0
    expect 0 'cpu_threaded_scan' run 0 -s "$root/reference" --function threaded --threads 3
    expect 1 'not implemented yet' run 0 -s "$root/student"
    mkdir broken
    changed 's/^#include "cpu_scan.h"/&\n#error on purpose/' cpu_scan.c >broken/cpu_scan.c
    expect 1 'cpu_scan.c does not compile' run 0 -s broken
else
    expect 0 'bank_index, n = 4096, in-order, seed 7: right' run 3 -s "$root/reference" --seed 7
    expect 0 'naive_inclusive_scan, n = 5000, in-order, seed 7: right' run naive -s "$root/reference" -n 5000 --seed 7
    # ceil(log2 5000) = 13 steps; n*13 - 8192 + 1 additions (labs/01-naive/README.md)
    grep -qE '^  launches +13 ' out || expect 0 'launches is 13' list
    grep -qE '^  data_ops +56809 ' out || expect 0 'data_ops is 56809' list
    expect 0 'naive,inclusive,100,titanx,' run naive -s "$root/reference" -n 100 --profile titanx --format csv
    expect 0 'The path of launch 1, scan_chain (' profile chained --function inclusive -s "$root/reference" \
        --seed 1 -n 16385 --clock=h200 --timeline scan.json
    # JSON has what the text has: the path's causes, launches' and lines' add up to it.
    expect 0 '"result": "right"' profile lookback --function i32 -s "$root/reference" -n 65536 \
        --seed 1 --clock=h200 --format json
    python3 - out <<'END' || failures=$((failures + 1))
import json, sys
d = json.load(open(sys.argv[1]))
c, longest = d["clock"], d["clock"]["longest_launch"]
whole = sum(c["path_ps"].values())
assert whole == c["launches_ps"] == sum(l["model_ps"] for l in d["launches"])
assert whole == sum(sum(l["path_ps"].values()) for l in d["launches"])
assert sum(sum(l["warps_ps"].values()) for l in d["lines"]) == sum(c["warps_ps"].values())
assert longest["pieces"][-1]["to_ps"] == longest["model_ps"] and not longest["left_out"]
assert any(l["where"]["file"] == "lookback.cu" for l in d["lines"])
assert d["counts"]["longest_chain"] == d["launches"][0]["counts"]["longest_chain"] > 0
END
    expect 0 '"lines": ' profile naive -s "$root/reference" -n 100 --format json
    ! grep -q '"clock"' out || expect 0 'no clock, no times' list
    expect 2 'this clock counts steps' run naive -s "$root/reference" -n 100 --clock=pram --timeline x
    expect 2 'has a timeline' run cpu-scan --timeline x
    python3 "$root/vgpu/tests/clock/trace_events.py" scan.json || failures=$((failures + 1))
    expect 0 'naive,inclusive,100,k40,' run naive -s "$root/reference" -n 100 --clock=teach --profile k40 --format csv
    expect 0 'launch 2, hillis_steele_step, block (0,0,0), warp 1' run naive -s "$root/reference" -n 100 \
        --trace=launch=2,warp=1,limit=3
    [ "$(grep -c '^  naive.cu:[0-9]* .* lanes 0x' err)" = 3 ] || expect 0 '3 instructions' list
    expect 0 'right' run naive -s "$root/reference" -n 100
    [ ! -s err ] || expect 0 'no trace that nobody asked for' list
    expect 0 'random:4, seed' run naive -s "$root/reference" -n 5000 --schedule random:4
    expect 0 'right' run naive -s "$root/reference" -n 0
    expect 0 'Hottest lines' profile naive -s "$root/reference" -n 5000
    grep -qF -e "dst[i] = i < offset ? src[i]" out || expect 0 'the source line' list
    expect 0 'no kernel' profile naive -s "$root/reference" -n 5000 --kernel nothing
    expect 0 'down_sweep' profile 2 -s "$root/reference" --kernel down_sweep
    ! grep -q '^  up_sweep' out || expect 0 'up_sweep left out' list
    expect 1 'not implemented yet' profile naive -s "$root/student"
    mkdir wrong far
    changed 's/i < offset/i <= offset/' naive.cu >wrong/naive.cu
    expect 1 ': wrong' profile naive -s wrong -n 100
    grep -qF 'Hottest lines' out || expect 0 'a profile of a wrong scan' list
    # Only the call: launches 1 to 7, none of those that look for the cause.
    expect 1 'launch 7, ' run naive -s wrong -n 100 --trace=block=0,warp=0,lanes=0
    [ "$(grep -c '^launch ' err)" = 7 ] || expect 0 '7 launches' list
    changed 's/dst\[i\] =/dst[i + 100000] =/' naive.cu >far/naive.cu
    expect 1 'past the end of' run naive -s far -n 100
    # What only other checks see, or weak memory.
    mkdir leaky
    changed 's/cudaError_t freed = cudaFree(scratch);/cudaError_t freed = cudaSuccess;/' \
        naive.cu >leaky/naive.cu
    expect 0 ': right' run naive -s leaky -n 100
    expect 1 'never freed' run naive -s leaky -n 100 --check memcheck,leakcheck
    expect 1 'never freed' profile naive -s leaky -n 100 --check all
    expect 0 ': right' run naive -s "$root/reference" -n 100 --check all
    mkdir weak
    patch -s -o weak/chained.cu "$root/reference/chained.cu" \
        "$root/tests/mutants/chained/no-fence-for-the-reader.patch"
    sed -i '1i #define SOLUTION 1' weak/chained.cu
    call='run chained --function inclusive -n 20000 --seed 1'
    # shellcheck disable=SC2086 # several words
    expect 0 ': right' $call -s weak
    # shellcheck disable=SC2086
    expect 1 'memory model weak:1' $call -s weak --memory-model weak:1
    # Debug information may name any file; only the submission's are shown.
    mkdir sly
    changed 's|^__global__ void hillis|#line 1 "/etc/passwd"\n&|' naive.cu >sly/naive.cu
    expect 0 'sly/passwd is not shown' profile naive -s sly -n 100
    ! grep -q 'root:' out || expect 0 'a file outside the submission was shown' list
    ln -s /etc/passwd sly/passwd
    expect 0 'sly/passwd is not shown' profile naive -s sly -n 100
    ! grep -q 'root:' out || expect 0 'a linked file was shown' list
fi
echo "$n expectations, $failures failed"
[ "$failures" = 0 ]
