#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_cli.sh SCANLAB COMMON: the command line on a course of one tiny C lab, made
# in a temporary folder: exit status and message of what goes right and wrong.
# COMMON is the folder of headers that labs share.
set -u
scanlab=$(realpath "$1")
common=$(realpath "$2")
unset SCANLAB_ROOT NO_COLOR
export LC_ALL=C
world=$(mktemp -d)
trap 'rm -rf "$world"' EXIT
cd "$world" || exit 1
export SCANLAB_ROOT="$world"
n=0
failures=0

# expect STATUS TEXT ARGUMENT...: scanlab ends with STATUS and says TEXT.
expect() {
    status=$1 text=$2
    shift 2
    "$scanlab" "$@" >out 2>err </dev/null
    got=$?
    n=$((n + 1))
    if [ "$got" != "$status" ] ||
        { [ -n "$text" ] && ! cat out err | grep -qF -e "$text"; }; then
        failures=$((failures + 1))
        echo "FAILED: scanlab $*: status $got, not $status, or no '$text' in:"
        cat out err
    fi
}

# that COMMAND...: a condition holds.
that() {
    n=$((n + 1))
    "$@" || {
        failures=$((failures + 1))
        echo "FAILED: $*"
    }
}

lab() { # PATH: writes a lab.ini
    mkdir -p "$(dirname "$1")"
    cat >"$1" <<EOF
[lab]
id = tiny
title = A tiny lab
source = tiny.c
header = tiny.h

[function sum]
symbol = tiny_scan
signature = scan
oracle = inclusive_sum

[check small]
kind = correct
title = Small
points = 4
sizes = 0 1 5
cause = Add before you store.
hint = The first hint.
hint = The second hint.

[check large]
kind = correct
title = Large
points = 6
parent = small
sizes = 1000
EOF
    cat >"$(dirname "$1")/tiny.h" <<EOF
#include <stddef.h>
#include <stdint.h>
int tiny_scan(const int32_t *in, int32_t *out, size_t n);
EOF
}

source_file() { # PATH EXPRESSION: a scan that stores EXPRESSION
    mkdir -p "$(dirname "$1")"
    cat >"$1" <<EOF
#include "tiny.h"
int tiny_scan(const int32_t *in, int32_t *out, size_t n) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)in[i];
        out[i] = (int32_t)($2);
    }
    return 0;
}
EOF
}

lab labs/05-tiny/lab.ini
cp -r "$common" labs/common
source_file student/tiny.c sum
source_file wrong/tiny.c 'sum - (uint32_t)in[i]'
source_file broken/tiny.c 'sum +'
source_file late/tiny.c 'i < 600 ? sum : 0'
mkdir empty

# ---- words ----
expect 2 'usage: scanlab COMMAND'
expect 0 'usage: scanlab COMMAND' --help
expect 0 'scanlab ' --version
expect 2 "unknown command 'grad' (did you mean 'grade'?)" grad
expect 0 'usage: scanlab grade' grade --help
expect 2 "--arch: '91' is none of 75, 80, 86, 89, 90, 100, 120" grade --arch 91
expect 2 "--arch: '9x' is none of 75, 80, 86, 89, 90, 100, 120" run tiny --arch 9x
expect 0 'usage: scanlab hint' hint --help
expect 0 'usage: scanlab list' list --help
expect 2 '--frob is no option' grade --frob
expect 2 '--sub is no option of '"'scanlab grade' (did you mean --submission?)" \
    grade --sub wrong
expect 2 '-x is no option' grade -x
expect 2 '--seed needs an argument' grade --seed
expect 2 "--seed: 'x' is not a number" grade --seed x
expect 2 "--seed: '-1' is not a number" grade --seed -1
expect 2 "-n: '67108865' is not a number from 0 to 67108864" grade -n 67108865
expect 2 "--device: 'cpu' is none of auto, vgpu, gpu" grade --device cpu
expect 2 "--format: 'xml' is not available; there are: text, html, json" \
    grade --format xml
expect 2 "--schedule: 'up' is none of" grade --schedule up
expect 2 "--check: 'large' is a second one after 'small'; run it by itself" \
    grade tiny -c small --check large
expect 2 "--check: it is empty" grade tiny -c ''

# ---- grades ----
expect 0 'Lab 5  tiny' grade
expect 0 '10/10' grade tiny
expect 0 '4/4' grade tiny -c small -c small
expect 0 '10/10' grade 5
expect 0 '10/10' grade 05 05-tiny labs/05-tiny/
expect 0 '10/10' grade tiny.c student/tiny.c
expect 2 'unknown lab' grade tiny.cu
expect 1 'FAIL  small' grade --submission wrong
expect 1 'out[0] is 0, as in an exclusive scan' grade -s wrong
expect 1 'waiting    1 check, 6 points: large' grade -s wrong
expect 1 'needs small first' grade -v -s wrong
expect 1 'hint tiny small' grade -s wrong
expect 1 'tiny.c does not compile' grade -s broken
expect 1 '4/10' grade -s late
expect 1 'the last is out[999]' grade -s late
expect 0 'pass  large' grade --check large
that test "$(grep -c small out)" = 0
expect 0 'seed 77' grade --seed 77
expect 0 'pass  small' grade -c small -n 5

# ---- any size, but where a check says nothing of it ----
for n in 0 7 1001; do
    expect 0 'Total  2 passed' grade -n $n
    expect 1 "n = $n" grade -s wrong -n $n -c small -v
done
sed 's/signature = scan/&\nonly_listed = yes/' labs/05-tiny/lab.ini >only.ini
mkdir -p only/05-tiny && mv only.ini only/05-tiny/lab.ini
cp labs/05-tiny/tiny.h only/05-tiny
expect 0 'pass  small' grade --labs only -n 5 -c small
expect 1 'n = 7 is none of its sizes: 0, 1, 5' grade --labs only -n 7
# What is skipped for that holds up no other check.
expect 1 'n = 1000 is none of its sizes: 0, 1, 5' grade --labs only -n 1000
that grep -q 'pass  large' out

# ---- from any folder; commands work where they are printed ----
cd student || exit 1
expect 0 'ScanLab  ../student' grade
expect 1 '--submission ../wrong' grade -s ../wrong
cd .. || exit 1

# ---- what it prints is shown, of a check that failed first ----
source_file prints/tiny.c 'sum + 0 * (unsigned)printf("sum %u\n", sum)'
sed -i '1i #include <stdio.h>' prints/tiny.c
expect 0 'tiny.c printed:' grade -s prints
that test "$(grep -c '^  | ' out)" = 1 # the first case that printed
expect 0 'more lines (-v shows them)' grade -s prints -c large

# ---- progress: as last graded, of all of a lab ----
source_file climbs/tiny.c 'i < 600 ? sum : 0'
expect 0 'not graded yet' progress -s climbs
expect 0 'pass  small' grade -s climbs -c small
expect 0 'pass  small' grade -s climbs -n 5
expect 0 'not graded yet' progress -s climbs
expect 1 '4/10' grade -s climbs
expect 0 ' 5  tiny                  4/10   ########............  next: large' \
    progress -s "$PWD/climbs/"
expect 0 'Total                     4/10  as last graded' progress -s climbs
source_file climbs/tiny.c sum
expect 0 'next: large, saved since' progress -s climbs
expect 0 '10/10' grade -s climbs
expect 0 '10/10   ####################' progress -s climbs
that test "$(grep -c 'next\|since' out)" = 0
expect 0 'not graded yet' progress -s broken/..
# A file that holds no points is none of a grade.
for file in "$(dirname "$scanlab")"/../progress/tiny-*; do
    echo '2147483647 0 1 1 1 -' >"$file"
done
expect 0 'not graded yet' progress -s climbs

# ---- a bonus stands beside the points, and makes up for none ----
mkdir -p extra/05-tiny
awk '{ print } /^.check large/ { print "bonus = yes" }' labs/05-tiny/lab.ini \
    >extra/05-tiny/lab.ini
cp labs/05-tiny/tiny.h extra/05-tiny
expect 0 'A tiny lab                                            4/4 + 6 bonus' \
    grade --labs extra -s climbs
that grep -q '^Total  2 passed.*  4/4 + 6 bonus$' out
expect 0 '4/4    ####################  + 6 bonus' progress --labs extra -s climbs
that grep -q '^Total                     4/4 + 6 bonus  as last graded' out
expect 0 '"bonus":6' grade --labs extra -s climbs -f html
that grep -q '^Total  2 passed.*  4/4 + 6 bonus$' out

# ---- watch: saved, graded; up to the first failure; what was and is ----
says() { # TEXT: watch will have said it
    n=$((n + 1))
    for _ in $(seq 600); do
        ! grep -qF -e "$1" said || return 0
        sleep 0.05
    done
    failures=$((failures + 1))
    echo "FAILED: watch does not say '$1':"
    cat said
}
saves() { # EXPRESSION: as editors do: another file that gets the name
    : >said
    source_file written/tiny.c "$1"
    mv written/tiny.c watched/tiny.c
}
source_file watched/tiny.c 'i < 600 ? sum : 0'
"$scanlab" watch tiny -s watched >said 2>&1 &
watcher=$!
says '4/10'
that grep -q 'pass  small' said
that grep -q 'FAIL  large' said
that grep -q 'reproduce' said
saves 'sum'
says 'tiny 10/10, was 4; large: FAIL, now pass'
saves 'sum - (uint32_t)in[i]'
says 'tiny 0/10, was 10; small: pass, now FAIL'
that test "$(grep -c large said)" = 0 # not reached
saves 'sum +'
says "error: expected expression before"
says 'tiny 0/10, as before'
: >said
source_file watched/tiny.c sum # in place
says 'tiny 10/10, was 0; small: FAIL, now pass'
: >said
echo '/* nothing of it is used */' >watched/more.h
says 'tiny 10/10, as before'
: >said
echo other >watched/notes.txt
sleep 0.3
that test ! -s said
# Where others save without end, what was saved is graded all the same.
flood() {
    while :; do : >watched/noise; done
}
flood &
flooder=$!
: >said
source_file watched/tiny.c sum
says 'tiny 10/10, as before'
kill $flooder
wait $flooder 2>/dev/null
kill $watcher
wait $watcher 2>/dev/null
source_file watched/tiny.c sum
expect 2 'cannot watch' watch -s nowhere
expect 2 'unknown lab' watch tinny -s watched
# All labs, none at once; the folder goes away.
"$scanlab" watch -s watched >said 2>&1 &
watcher=$!
says 'watching watched'
source_file watched/tiny.c sum
says 'tiny 10/10'
rm -r watched
wait $watcher
that test $? = 2
says 'is gone'

# ---- a grade is made again by its seed, and by no other ----
for i in 1 2; do
    expect 1 '' grade -s late --seed 5 --format json -o "grade$i.json"
    sed '/"seconds"/d' "grade$i.json" >"plain$i"
done
that cmp plain1 plain2
expect 1 '' grade -s late --seed 6 --format json -o grade3.json
sed '/"seconds"/d' grade3.json >plain3
that test "$(cmp -s plain1 plain3; echo $?)" = 1
expect 0 '' grade
seed=$(sed -n 's/.*seed //p' out)
expect 0 '' grade
that test "$seed" != "$(sed -n 's/.*seed //p' out)"

# ---- what is not a grade ----
expect 2 "unknown lab 'tinny' (did you mean 'tiny'?)" grade tinny
expect 2 'known: tiny' grade 6
expect 2 "unknown check of lab tiny 'smal' (did you mean 'small'?)" \
    grade tiny --check smal
expect 2 "no lab has a check 'smal'" grade --check smal
expect 2 "cannot open the submission's folder nowhere: No such file" \
    grade -s nowhere
expect 2 'there is nothing to grade in empty: no tiny.c' grade -s empty
mkdir linked
ln -s /nowhere linked/tiny.c
expect 1 'tiny.c cannot be graded as it is: a link' grade -s linked
expect 2 'cannot write nowhere/grade.json: No such file' \
    grade -o nowhere/grade.json
if [ -w /dev/full ]; then
    expect 2 'cannot write /dev/full: No space left' grade -o /dev/full
    "$scanlab" grade >/dev/full 2>err
    that test $? = 2
    that grep -q 'cannot write standard output: No space left' err
    "$scanlab" list >/dev/full 2>err
    that test $? = 2
fi
expect 2 'cannot read the folder of labs' grade --labs nowhere
echo kept >grade.json
expect 2 '' grade tiny -s empty -o grade.json
that grep -q kept grade.json
that test -z "$(find . -name 'grade*.json.*')"
expect 0 '' grade -o grade.txt
that grep -q '10/10' grade.txt
that test ! -s out

# ---- several reports of one grade ----
expect 1 'FAIL  small' grade -s wrong --report json=one.json
that grep -q '"schema": "scanlab/grade/v2"' one.json
that grep -q '"id": "exclusive-for-inclusive"' one.json
expect 1 'FAIL  small' grade -s wrong -o /dev/null --report json=one.json \
    --report text=-
expect 1 '"score": 0' grade -s wrong --report json=- --report text=two.txt
that test "$(head -c 1 out)" = '{'
that grep -q 'FAIL  small' two.txt
expect 1 '' grade -s wrong --report json=/dev/null --report text=/dev/null \
    -o three.txt
that grep -q 'FAIL  small' three.txt
expect 2 "--report: 'xml' is not available; there are: text, html, json" \
    grade --report xml=one.xml
expect 2 "--report: 'json' is not FORMAT=FILE" grade --report json
expect 2 "--report: 'json=' is not FORMAT=FILE" grade --report json=
expect 2 'two reports for ./one.json' \
    grade --report text=one.json --report json=./one.json
expect 2 'two reports for new.json' \
    grade --report json=../"${PWD##*/}"/new.json -o new.json
expect 2 'two reports for standard output' grade -f json --report text=-
echo kept >one.json
expect 2 'cannot write nowhere/two.json: No such file' \
    grade --report json=one.json --report json=nowhere/two.json
that grep -q kept one.json
that test -z "$(find . -name '*.json.*')"
if [ -w /dev/full ]; then
    expect 2 'cannot write /dev/full: No space left' \
        grade --report json=one.json --report text=/dev/full
    that grep -q '"score": 10' one.json
    that grep -q '10/10' out
fi

# ---- hints and lists ----
expect 0 'The first hint.' hint tiny
expect 0 'hint tiny 2' hint tiny
expect 0 'The second hint.' hint 5 2
expect 0 'The second hint.' hint tiny small 2
expect 2 'there is no hint 3; there are 2' hint tiny 3
expect 2 'there is no hint 0; there are 2' hint tiny 0
expect 0 'there are no hints for this' hint tiny large
expect 2 'usage: scanlab hint' hint
expect 2 "unknown lab 'x'" hint x
expect 2 'unknown check of lab tiny' hint tiny x
expect 0 '10  tiny' list
expect 0 'Large' list -v
expect 2 "'tiny' is one argument too many" list tiny

# ---- one call ----
expect 0 'tiny_scan, n = 5, seed 3: right' run tiny -n 5 --seed 3
expect 0 'tiny,sum,5,none,in-order,3,right,0,' \
    run tiny -n 5 --seed 3 --format csv
that grep -q '^lab,function,n,device,schedule,seed,result,.*,launches,' out
that test "$(wc -l <out)" = 2
that test "$(sed 's/[^,]//g' out | uniq | wc -l)" = 1
expect 2 "'racecheque' is no check of the virtual GPU (did you mean 'racecheck'?)" \
    run tiny --check memcheck,racecheque
expect 2 "--check: '' is no check" run tiny --check ''
expect 2 "--memory-model: 'strong' is none of sc, weak:SEED" \
    run tiny --memory-model strong
expect 2 'runs on the host: --check and' run tiny --check all
expect 1 ',wrong,' run tiny -n 5 -s wrong --format csv
expect 2 "--format: 'xml' is none of text, csv" run tiny --format xml
expect 2 "--format: 'csv' is none of text, json" profile tiny --format csv

# ---- a command whose program is not there ----
mkdir bin
cp "$scanlab" bin/scanlab
bin/scanlab bench --cpu 2>err
that test $? = 2
that test "$(cat err)" = "scanlab: there is no $(realpath bin)/scanlab-bench: this copy of ScanLab was built without the folder that has it (docs/architecture.md, rooms); \`scanlab bench --clock\` needs neither it nor a GPU"

# ---- timed checks, where there is no GPU ----
mkdir -p none timed
touch timed/tiny.c timed/cudy.cu
printf '#!/bin/sh\nexit 1\n' >none/nvidia-smi
chmod +x none/nvidia-smi
with_path=$PATH
PATH="$world/none:$PATH"
expect 2 '--fast times on a real GPU, but there is none here' \
    grade --fast -s timed
expect 2 '--fast times on a real GPU, but --device vgpu leaves it out' \
    grade --fast --device vgpu -s timed
# A check that is timed on a GPU: named, but no part of any sum or grade.
cp -r labs labs3
lab labs3/06-cuda/lab.ini
sed -i "s/^id = tiny/id = cudy/; s/tiny\\.c/cudy.cu/; s/= scan$/= scan_cuda/" \
    labs3/06-cuda/lab.ini
cat >>labs3/06-cuda/lab.ini <<EOF

[check speed]
kind = fast
title = Speed
points = 5
sizes = 268435456
ratio = cub >= 0.5
full = 1
EOF
expect 0 'on a real GPU, with grade --fast only' list -v --labs labs3
expect 0 '10  cudy' list --labs labs3
expect 2 'check speed of lab cudy is timed on a real GPU and part of a grade' \
    grade cudy --check speed -s timed --labs labs3
PATH=$with_path

# ---- ScanLab's folder ----
mkdir -p labs2
lab labs2/01-other/lab.ini
echo 'pionts = 3' >>labs2/01-other/lab.ini
expect 2 "labs2/01-other/lab.ini:27: unknown key 'pionts'" list --labs labs2
SCANLAB_ROOT="$world/empty" expect 2 'there is no folder labs in it' list

echo "$n expectations, $failures failed"
[ "$failures" = 0 ]
