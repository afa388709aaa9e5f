#!/bin/sh
# SPDX-License-Identifier: MIT
#
# timeline.sh: when the blocks of labs 5 and 6's references ran, and the words
# from block to block, of one call each at the same n, in model time on the
# profile h200 (scanlab run --timeline, vgpu/docs/clock.md). timeline.gp draws it.
#   plots/timeline.sh >plots/data/timeline.csv
#
#   SCANLAB=PATH   the program (build/bin/scanlab)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scanlab=${SCANLAB:-$here/../build/bin/scanlab}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "# SPDX-License-Identifier: MIT"
echo "# model: h200"
echo "# date: $(date +%F)"
echo "# made by plots/timeline.sh: one call of n = 2^18 each; us of model time since the"
echo "# kernel began; blocks in the order of their start, which is the order of tiles"
echo "series,kind,from_us,to_us,from_block,to_block"
for row in "chained inclusive" "lookback i32"; do
    # shellcheck disable=SC2086 # two words
    set -- $row
    "$scanlab" run "$1" --function "$2" -n 262144 --seed 1 --clock=h200 \
        --arch 90 -s "$here/../reference" --timeline "$work/$1.json" >/dev/null
    python3 -IS - "$1" "$work/$1.json" <<'PYTHON'
import json
import sys

series, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
kernel = next(e for e in events if e.get("cat") == "command" and "args" in e)
blocks = sorted((e for e in events if e.get("cat") == "block"),
                key=lambda e: (e["ts"], int(e["name"].split()[1])))
# A place's track has one block here: all are resident at once.
row = {e["tid"]: i for i, e in enumerate(blocks)}
assert len(row) == len(blocks), "more blocks than places"


def line(kind, start, end, first, last):
    print(series, kind, "%.3f" % (start - kernel["ts"]),
          "%.3f" % (end - kernel["ts"]), first, last, sep=",")


for e in blocks:
    line("block", e["ts"], e["ts"] + e["dur"], row[e["tid"]], row[e["tid"]])
sent = {e["id"]: e for e in events if e["ph"] == "s"}
for e in (e for e in events if e["ph"] == "f"):
    s = sent[e["id"]]
    line("message", s["ts"], e["ts"], row[s["tid"]], row[e["tid"]])
PYTHON
done
