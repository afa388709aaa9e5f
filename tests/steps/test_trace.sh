#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_trace.sh SCANLAB ROOT: scanlab trace: each cell of a right scan after
# each step, the first wrong step of wrong ones, what a limit leaves out, and
# names that want to be more than names. `test_trace.sh SCANLAB ROOT --fix`
# writes what is printed to expected/.
set -u
scanlab=$(realpath "$1") root=$2 fix=${3:-}
here=$(dirname "$(realpath "$0")")
unset NO_COLOR
export SCANLAB_ROOT="$root" LC_ALL=C
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world" || exit 1
failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*"
}

# submit LAB: a folder with the lab's reference, changed by sed from stdin.
submit() {
    file=$(echo "$1" | tr - _).cu
    mkdir -p sub
    { echo '#define SOLUTION 1'; echo '#line 1'; sed -f - "$root/reference/$file"; } >new
    mv new "sub/$file"
}
# same NAME STATUS ARGUMENT...: what is printed is expected/NAME.txt, in at most
# 80 columns.
same() {
    name=$1 status=$2
    shift 2
    "$scanlab" trace "$@" >out 2>err </dev/null
    got=$?
    [ "$got" = "$status" ] || fail "$name: status $got, not $status: $(cat err)"
    [ "$fix" != --fix ] || cp out "$here/expected/$name.txt"
    diff "$here/expected/$name.txt" out || fail "$name differs"
    tail -n +3 out | awk 'length > 80 { exit 1 }' || fail "$name: over 80 columns"
}
# says STATUS TEXT ARGUMENT...: it ends with STATUS and says TEXT.
says() {
    status=$1 text=$2
    shift 2
    "$scanlab" trace "$@" >out 2>err </dev/null
    got=$?
    if [ "$got" != "$status" ] || ! cat out err | tr '\n' ' ' | grep -qF -e "$text"; then
        fail "trace $*: status $got, not $status, or no '$text' in:"
        head -50 out err
    fi
}

same naive 0 naive --submission "$root/reference" -n 8
same blelloch 0 work-efficient --submission "$root/reference" --function exclusive -n 8
same shuffles 0 chained --submission "$root/reference" --function rows -n 8
same messages 0 lookback --submission "$root/reference" --function tickets -n 8

# The neighbour is always the next one: from the second step on, inputs count
# twice.
echo 's/scan_add(src\[i - offset\]/scan_add(src[i - 1]/' | submit naive
same counts-twice 1 naive --submission sub -n 8
# The root is not cleared.
echo 's/return cudaMemsetAsync(tree + leaves - 1.*/return cudaSuccess;/' | submit work-efficient
says 1 'The first wrong step is 5: scratch[7] becomes 36, the sum of in[0..7] with in[0] twice' \
    work-efficient --submission sub --function exclusive -n 8
# The way down ends before the leaves: what brought the input in is right.
echo 's/stride > 0 \&\& status/stride > 1 \&\& status/' | submit work-efficient
says 1 'd_out[0] becomes 3, the sum of in[0], which step 1 brought into scratch[0] and no step has changed since; out[0] is to be the sum of no input' \
    work-efficient --submission sub --function exclusive -n 2
# To the right in place of to the left: no value is no sum of neighbours.
echo 's/i < offset ? src\[i\] : scan_add(src\[i - offset\]/i + offset >= n ? src[i] : scan_add(src[i + offset]/' |
    submit naive
says 1 'The first wrong step is 1: d_out[0] becomes 4, the sum of in[0..1], which goes into out[0]' \
    naive --submission sub -n 8
# One step too few: right for powers of two, so that the size is looked for.
echo 's/while ((size_t)1 << steps < n) steps++/while ((size_t)2 << steps <= n) steps++/' | submit naive
says 1 'n = 3: wrong' naive --submission sub
says 1 'd_out[2] becomes 8, the sum of in[1..2], and nothing is added to it later; out[2] is to be the sum of in[0..2]' \
    naive --submission sub
# Finished elements do not come along: what nobody has written is read.
echo 's/dst\[i\] = i < offset ? src\[i\] : /if (i >= offset) dst[i] = /' | submit naive
says 1 'made of a cell that nobody has written' naive --submission sub -n 8
# Nobody writes the last element.
echo 's/if (i >= n) return;/if (i + 1 >= n) return;/' | submit naive
says 1 'No thread ever writes out[7].' naive --submission sub -n 8
# After an odd number of steps the result is in the other buffer.
echo 's/steps % 2 == 1 ? d_out : scratch/scratch/' | submit naive
says 1 'All of the answer stands in scratch in the end, but not in out.' naive --submission sub -n 8
says 1 'No thread ever writes out[0]; all of the answer stands in scratch' naive --submission sub -n 2

# A report of a failure has the steps, and a command for all of them that works.
echo 's/scan_add(src\[i - offset\]/scan_add(src[i - 1]/' | submit naive
"$scanlab" grade naive --submission sub --seed 7 --report html=report.html >out 2>&1
grep -qF 'The first wrong step is 2: d_out[2] becomes 12, the sum of in[0..2] with in[1] twice' report.html ||
    fail "no steps in the report"
grep -qF 'the first wrong step: naive.cu:22' report.html || fail "no lines of it"
all=$(grep -o '"command":"[^"]* -o steps.html"' report.html | head -1 | cut -d'"' -f4)
tr -s ' \n' ' ' <out | grep -qF 'steps Called on 3 small numbers, the first wrong step is 2: d_out[2] becomes 12' ||
    fail "no steps on the terminal: $(cat out)"
trace=$(sed -n 's/^ *trace *//p' out)
[ "$trace -o steps.html" = "$all" ] || fail "another command: $trace"
"$scanlab" grade naive --submission sub --seed 7 --check tiny --format json |
    tr -s ' \n' ' ' | grep -q '"first_wrong_step": { "kind": "broken", "text": "The first wrong step is 2' ||
    fail "no steps in JSON"
rm -f steps.html
eval "$all"
[ "$?" = 1 ] || fail "status of $all"
grep -qF 'The first wrong step is 2' steps.html || fail "$all"

# A limit is named, and then no step is called the first wrong one.
says 0 'The recording ended after 65536 values' naive --submission "$root/reference" -n 65536
says 0 '64 of 100 elements are shown, from [0] on' naive --submission "$root/reference" -n 100

# A name is a name: what a file is called is no sequence for a terminal and no
# markup.
printf 's/^__global__ void hillis/#line 7 "\\\\033]0;owned\\\\007<script>x.cu"\\n&/\n' | submit naive
"$scanlab" trace naive --submission sub -n 8 >out 2>err
grep -q 'script' out || fail "the hostile name is not shown: $(cat out err)"
for file in steps.json steps.svg steps.html; do
    "$scanlab" trace naive --submission sub -n 8 -o $file || fail "$file of hostile names"
    grep -q 'script.*x[.]cu' $file || fail "the hostile name is not in $file"
done
grep -q "$(printf '\033')" out steps.* && fail "an escape sequence came through"
grep -qF '<script>x' steps.svg steps.html && fail "a name became markup"
python3 -m json.tool steps.json >json || fail "no JSON"

# Pictures: one element for each cell, a line from each source; no address.
"$scanlab" trace work-efficient --submission "$root/reference" --function exclusive -n 8 -o steps.svg ||
    fail "steps.svg"
"$scanlab" trace work-efficient --submission "$root/reference" --function exclusive -n 8 -o steps.html ||
    fail "steps.html"
TOOLS=$root/tests/tools python3 - <<'END' || fail "steps.svg, steps.html"
import os, re, sys, xml.etree.ElementTree as tree
root = tree.parse("steps.svg").getroot()
of = lambda name: [e for e in root.iter("{http://www.w3.org/2000/svg}line") if e.get("class") == name]
assert len(of("flow")) == 2 * (7 + 7), len(of("flow"))  # an addition for each node, up and down
assert len(of("flow alone")) == 8 + 7 + 8  # two copies, a left child each
width, height = int(root.get("width")), int(root.get("height"))
for e in root.iter():
    if "y" in e.attrib:
        assert 0 <= int(e.get("y")) <= height and 0 <= int(e.get("x")) <= width
page = open("steps.html").read()
assert "default-src 'none'" in page
assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page) and " style=" not in page
sys.path.insert(0, os.environ["TOOLS"])
import page_data
steps = page_data.data(page)["steps"]
assert len(steps["frames"]) == 9 and steps["open"] in range(1, 10), steps
def shapes(list, kind):
    for s in list:
        yield from [s[1]] if s[0] == kind else shapes(s[3], kind) if s[0] == "g" else []
flows = [c for f in steps["frames"] for c in shapes(f["picture"]["shapes"], "line")]
assert flows.count("flow") == 2 * (7 + 7) and flows.count("flow alone") == 8 + 7 + 8, flows
assert "down_sweep" in page_data.without_scripts(page)
END

# The bank map has every access: its wavefronts are the counter's.
for map in plain padding leftright; do
    "$scanlab" trace bank-conflicts --submission "$root/reference" --function up -n 64 --set map=$map --banks >out
    "$scanlab" run bank-conflicts --submission "$root/reference" --function up -n 64 --set map=$map \
        --format csv >csv
    "$scanlab" trace bank-conflicts --submission "$root/reference" --function up -n 64 --set map=$map --banks \
        -o banks.json || fail "banks.json"
    python3 - <<'END' || fail "bank map $map"
import csv, json, re
counts = next(csv.DictReader(open("csv")))
said = [int(n) for n in re.search(r"(\d+) accesses.* (\d+) wavefronts, (\d+) of", open("out").read()).groups()]
want = [int(counts["shared_" + c]) for c in ("requests", "wavefronts", "conflicts")]
assert said == want and want[0] > 0, (said, want)
rows = [l for l in open("out") if l.startswith(" line")]
total = sum(int(w) * int(n or 1) for w, n in re.findall(r" +(\d+)(?: for \d+)?(?:  x(\d+))?\n", "".join(l[49:] for l in rows)))
assert total == want[1], (total, want)
assert all(len(l) <= 81 for l in open("out")), "over 80 columns"
seen = json.load(open("banks.json"))
assert seen["banks"] == 32 and not seen["accesses_cut"]
assert [len(seen["accesses"]), sum(a["wavefronts"] for a in seen["accesses"])] == want[:2]
for a in seen["accesses"]:  # 4 bytes a lane here, so the fullest bank is the cost
    banks = [w % 32 for w in set(a["words"])]
    assert a["wavefronts"] == max(map(banks.count, banks)), a
END
    "$scanlab" trace bank-conflicts --submission "$root/reference" --function up -n 64 --set map=$map --banks \
        -o banks.svg || fail "banks.svg"
    python3 -c 'import xml.etree.ElementTree as t; t.parse("banks.svg")' || fail "banks.svg is no XML"
done

# The manual's pictures are what is drawn.
picture() {
    "$scanlab" trace "$@" --submission "$root/reference" -o "$name" || fail "$name"
    [ "$fix" != --fix ] || cp "$name" "$root/docs/$name"
    cmp "$name" "$root/docs/$name" || fail "docs/$name"
}
name=steps.svg
picture work-efficient --function exclusive -n 8
name=banks.svg
picture bank-conflicts --function up -n 64 --set map=plain --banks

# JSON holds what the text says.
"$scanlab" trace naive --submission "$root/reference" -n 8 -o steps.json ||
    fail "trace -o steps.json"
python3 - <<'END' || fail "steps.json"
import json
t = json.load(open("steps.json"))
assert t["schema"] == "scanlab/trace/v1" and t["n"] == 8 and t["n_wrong"] == 0
assert t["in"] == "3 1 7 0 4 1 6 3".split(), t["in"]
assert t["got"] == t["expected"] == "3 4 11 11 15 16 22 25".split()
assert t["first_wrong_step"] is None and not t["is_cut"]
writes = {w["id"]: w for s in t["steps"] for w in s["writes"]} | {w["id"]: w for w in t["before"]}
assert len(t["steps"]) == 3 and all(len(s["writes"]) == 8 for s in t["steps"])
last = t["steps"][2]["writes"][7]
assert last["value"] == "25" and last["contains"] == {"state": "range", "first": 0, "last": 7}, last
assert sorted(writes[f["id"]]["cell"] for f in last["from"]) == [3, 7]
for step in t["steps"]:
    for w in step["writes"]:
        assert int(w["value"]) == sum(f["times"] * int(writes[f["id"]]["value"]) for f in w["from"])
END

says 2 "cpu-scan runs on the host" cpu-scan --submission "$root/reference"
says 2 "unknown check" naive --check frob
says 2 "known: inclusive exclusive" naive --function frob
says 0 'right, as other sizes up to 1024' naive --submission "$root/reference"
# Twice a value is no sum of values that the trace knows of.
echo 's/scan_add(src\[i - offset\], src\[i\])/2 * src[i]/' | submit naive
says 1 '[1 2 4 5 6 7] made of d_in[i]' naive --submission sub -n 8
says 1 'not implemented yet' naive --submission "$root/student"
# Who reads only the beginning has enough: that is no trouble of the machine. The reader has ended before a word is
# written, since a short trace fits into the pipe.
{ sleep 1; "$scanlab" trace naive --submission "$root/reference" -n 1024 2>told; echo $? >status; } | true
[ ! -s told ] && [ "$(cat status)" = 0 ] || fail "a reader that ends: $(cat told status)"
[ "$failures" = 0 ] && echo "all right"
[ "$failures" = 0 ]
