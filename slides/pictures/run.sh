#!/bin/sh
# SPDX-License-Identifier: MIT
#
# run.sh: runs the references on the virtual GPU, traced, and draws what happened:
# OUT/NAME.tex for the decks, LABS/NN-name/NAME.svg for the handouts; and examples
# that are worked out without a run, for the handouts.
#   SCANLAB=PATH   build/bin/scanlab    OUT=FOLDER  this one    LABS=FOLDER  labs
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
scanlab=${SCANLAB:-$root/build/bin/scanlab}
out=${OUT:-$here}
labs=${LABS:-$root/labs}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

trace() { # name argument...
    name=$1
    shift
    "$scanlab" trace "$@" -o "$name.json" >words || {
        cat words >&2
        exit 1
    }
}
timeline() { # name lab argument...
    name=$1
    shift
    "$scanlab" run "$@" --seed 1 --clock=h200 --arch 90 -s "$root/reference" \
        --timeline "$name.json" >words || {
        cat words >&2
        exit 1
    }
}
draw() { # file format kind argument...
    file=$1 format=$2 kind=$3
    shift 3
    python3 "$here/draw.py" "$kind" "$format" "$@" >new
    mv new "$file"
}
slide() { name=$1 && shift && draw "$out/$name.tex" tex "$@"; }
handout() { name=$1 && shift && draw "$labs/$name.svg" svg "$@"; }

# ---- labs 0, 4 and 8: worked examples, with the handouts' numbers ----
worked() { # name argument...
    name=$1
    shift
    python3 "$here/worked.py" "$@" >new
    mv new "$labs/$name.svg"
}
worked 00-cpu-scan/two-passes two-passes 3 3 1 7 0 4 1 6 3 2 2 1 9
worked 04-shared-tiled/tiles tiles 8 3 1 7 0 4 1 6 3 2 2 5 1 0 3 3 0
worked 08-applications/select select 4 3 1 7 0 4 1 6 3

# ---- labs 1 and 2: eight elements, step by step ----
trace naive naive -n 8 -s "$root/reference"
slide naive steps naive.json from=0 to=3
handout 01-naive/naive-steps steps naive.json from=0 to=3
trace tree work-efficient --function exclusive -n 8 -s "$root/reference"
slide up-sweep steps tree.json from=1 to=4
slide down-sweep steps tree.json from=4 to=8
handout 02-work-efficient/up-sweep steps tree.json from=1 to=4
handout 02-work-efficient/down-sweep steps tree.json from=4 to=8

# ---- lab 3: the three maps, 64 leaves in 16 banks ----
for map in plain padding leftright; do
    trace $map bank-conflicts --function up -n 64 --set map=$map \
        --set banks=16 --profile gtx275 --banks -s "$root/reference"
done
for to in 'slide banks' 'handout 03-bank-conflicts/bank-maps'; do
    $to banks plain.json padding.json leftright.json \
        names=plain,Padding,LeftRight
done

# ---- labs 5 and 6: what tiles tell each other ----
# Tiles of 128 elements and blocks of one warp, so that a trace holds eight tiles.
smaller() { # file expression...
    file=$1
    shift
    for change; do
        sed "$change" "$file" >new
        ! cmp -s new "$file" || {
            echo "run.sh: '$change' changes nothing in $(basename "$file")" >&2
            exit 1
        }
        mv new "$file"
    done
}
mkdir small labs
cp -r "$root/labs/." labs
cp "$root/reference/chained.cu" "$root/reference/lookback.cu" small
smaller small/chained.cu '1i #define SOLUTION'
smaller small/lookback.cu '1i #define SOLUTION' 's/ WARPS = 8,/ WARPS = 1,/'
smaller labs/05-chained/chained.h 's/\(CHAINED_ROWS\) = [0-9]*/\1 = 4/' \
    's/\(CHAINED_WARPS\) = [0-9]*/\1 = 1/'
smaller labs/06-lookback/lookback.h 's/\(LOOKBACK_TILE\) = [0-9]*/\1 = 128/'
trace chain chained --function inclusive -n 1024 --schedule random:1 \
    --labs labs -s small
trace lookback lookback --function serially -n 1024 --schedule random:73 \
    --labs labs -s small
for to in 'slide chain' 'handout 05-chained/chain'; do
    $to words chain.json states=P gap=1.5
done
for to in 'slide lookback' 'handout 06-lookback/lookback'; do
    $to words lookback.json states=AP gap=4.6 tile=7
done

# ---- the same two and SAM over time, at one n, on one axis ----
timeline chain-time chained --function inclusive -n 65536
timeline lookback-time lookback --function i32 -n 65536
timeline sam-time sam --function scan -n 65536
note=$(python3 "$root/plots/rows.py" model "$root/plots/data/timeline.csv")
for which in '05-chained chain-time 2,3,4' '06-lookback lookback-time 1.5,2'; do
    # shellcheck disable=SC2086 # three words
    set -- $which
    lab=$1 name=$2 film=$3
    for to in "slide $name" "handout $lab/$name"; do
        $to chart "$name.json" until=6 film="$film" note="$note"
    done
done
handout 07-sam/sam-time chart sam-time.json until=6 film=2 note="$note"
