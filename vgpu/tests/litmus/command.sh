#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: command.sh VGPU CASES RUNS
# What `vgpu litmus` says and exits with: right and wrong claims, a memory
# without the weak outcomes, lists of expectations, files that are no tests.
set -u
vgpu=$1 cases=$2 runs=$3 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# status WANTED WORDS ARGUMENT...: exits so, and prints the words
status() {
    wanted=$1 words=$2
    shift 2
    "$vgpu" litmus -n 300 "$@" >"$work/out" 2>&1
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -e "$words" "$work/out"; then
        echo "FAIL: vgpu litmus $*: status $got, wanted $wanted and '$words':"
        cat "$work/out"
        failed=1
    fi
}

claim() { # a test whose condition is CLAIM about the outcome of MP
    sed "s|^exists.*|$2|; /^Allowed/d" "$cases/$1.litmus" >"$work/claim.litmus"
}

status 0 '0 with outcomes that are forbidden' "$cases/MP.litmus"
status 1 'not as the file says' --sc "$cases/MP.litmus"
claim MP '~exists (P1:r0 = 1 /\\ P1:r1 = 0)'
status 1 'FORBIDDEN, and seen' "$work/claim.litmus"
claim MP 'forall (P1:r0 = 0 \\/ P1:r1 = 1)'
status 1 'FORBIDDEN, and seen' "$work/claim.litmus"
status 0 'forall: 300 of 300 runs' --sc "$work/claim.litmus"
claim MP+fences '~exists (P1:r0 = 1 /\\ P1:r1 = 0)'
status 0 '~exists: 0 of 300 runs' "$work/claim.litmus"

# What a list expects of exists: 1 it may be so, 0 it may not.
claim MP 'exists (P1:r0 = 1 /\\ P1:r1 = 0)'
echo "claim.litmus,0" >"$work/list"
status 1 'FORBIDDEN, and seen' --expected "$work/list" "$work/claim.litmus"
echo "claim.litmus,1" >"$work/list"
status 0 'holds in the model' --expected "$work/list" "$work/claim.litmus"
status 0 'allowed, and not seen' --sc --expected "$work/list" "$work/claim.litmus"
status 1 'allowed, and not seen' --every --sc --expected "$work/list" "$work/claim.litmus"

# A table with an outcome that the file does not list.
sed 's/; P1:r0=1 P1:r1=1//' "$cases/MP+fences.litmus" >"$work/claim.litmus"
status 1 'not allowed' "$work/claim.litmus"

# A thread that waits for ever ends nothing, and says so.
claim MP 'exists (P1:r0 = 1)'
sed -i 's/^ st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x ;/ LC00: | ;\n goto LC00 | ;/' "$work/claim.litmus"
"$vgpu" litmus -n 3 "$work/claim.litmus" | grep -q '3   did not end' || {
    echo "FAIL: an endless thread"
    failed=1
}

status 2 'refused: line 1' "$0"
status 2 'no-such-file: refused' "$work/no-such-file"
status 2 'is no option' --no-such-option
sed 's/fence.acq_rel.gpu/fence.proxy.alias/' "$cases/MP+fences.litmus" >"$work/claim.litmus"
status 2 'line 8: proxies are not supported' "$work/claim.litmus"
status 0 'Runs litmus tests' --help

mkdir "$work/ptx"
status 0 '' --ptx "$work/ptx" "$cases/MP.litmus"
grep -q '^// observe P1:r1 1 33$' "$work/ptx/MP.ptx" || {
    echo "FAIL: MP.ptx: $(cat "$work/ptx/MP.ptx")"
    failed=1
}

# What a GPU has shown, against the lists and against what is shown here.
here=$(dirname "$0")
compared() { # WANTED WORDS LINE...
    wanted=$1 words=$2
    shift 2
    printf '%s\n' "$@" >"$work/table"
    python3 "$here/on_gpu.py" compare "$work/table" "$vgpu" "$cases" \
        "$runs" >"$work/out" 2>&1
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -e "$words" "$work/out"; then
        echo "FAIL: compare: status $got, wanted $wanted and '$words':"
        cat "$work/out"
        failed=1
    fi
}
compared 0 '2 tests, 0 differences' 'CoWW,9,x=2' 'MP,5,P1:r0=1 P1:r1=0' 'MP,7,P1:r0=0 P1:r1=0'
compared 1 'not allowed: x=1 (3 times)' 'CoWW,3,x=1'
compared 0 '1 tests, 0 differences' 'LB,1,P0:r0=1 P1:r0=1'
compared 1 'not shown here: P2:r0=7 (1 times)' 'CoRR-two-readers,1,P2:r0=7'
exit $failed
