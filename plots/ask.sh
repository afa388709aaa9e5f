#!/bin/sh
# SPDX-License-Identifier: MIT
#
# ask.sh PYTHON ANSWERS WANT FILE...: rows.py's answer. The formats of a figure
# ask the same again, so answers are kept in the folder ANSWERS; draw.sh makes it
# and removes it.
here=$(dirname "$0")
python=$1 answers=$2
shift 2
key=$(printf '%s\n' "$@" | md5sum)
answer=$answers/${key%% *}
if [ ! -e "$answer" ]; then
    "$python" -IS "$here/rows.py" "$@" >"$answer.new" && mv "$answer.new" "$answer" ||
        exit 1
fi
exec cat "$answer"
