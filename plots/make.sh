#!/bin/sh
# SPDX-License-Identifier: MIT
#
# make.sh BUILD [DATA]: what `make plots` runs: counts what was last graded, if
# anything was (BUILD/graded names the folder), takes its model times, and draws
# every figure into BUILD/plots.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && build=$(cd "$1" && pwd) || exit 1
submission=$(cat "$build/graded" 2>/dev/null)
SCANLAB=${SCANLAB:-$here/../build/bin/scanlab}
STUDENT="" STUDENT_MODEL="" SWEEP=$build/sweep.csv
export SCANLAB STUDENT STUDENT_MODEL SWEEP
if [ -n "$submission" ] && [ -x "$SCANLAB" ]; then
    if "$here/student.sh" "$submission" >"$build/student.csv"; then
        STUDENT=$build/student.csv
    fi
    if "$here/student_model.sh" "$submission" >"$build/student-model.csv"; then
        STUDENT_MODEL=$build/student-model.csv
    fi
fi
exec "$here/draw.sh" "$build/plots" ${2:+"$2"}
