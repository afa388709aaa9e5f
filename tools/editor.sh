#!/bin/sh
# SPDX-License-Identifier: MIT
#
# editor.sh NVCC: tells clangd, and editors that use it, how the labs' files are
# compiled: compile_commands.json in student/ and reference/, which git ignores.
# The words are clang's, close to those that scanlab gives to nvcc. What is
# there already and the same is left alone.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
toolkit=$(cd "$(dirname "$(readlink -f "$1")")/.." && pwd)

# JSON of some words; quotes and backslashes may be in a path.
words() {
    for word; do
        printf '"%s", ' "$(printf '%s' "$word" | sed 's/[\\"]/\\&/g')"
    done | sed 's/, $//'
}

value() { # lab.ini key
    sed -n "s/^$2 *= *//p" "$1" | head -n 1
}

entry() { # folder lab.ini [word]: of the lab's source there
    source=$(value "$2" source)
    [ -e "$1/$source" ] || return 0
    set -- "$1" "-I$root/$(dirname "$2")" "-I$root/labs/common" -I. ${3:+"$3"}
    folder=$1
    shift
    case $source in
    *.cu)
        set -- clang++ -xcuda -std=c++17 --cuda-gpu-arch=sm_75 \
            "--cuda-path=$toolkit" -Wno-unknown-cuda-version \
            -include "$root/tools/clangd.h" "$@" \
            -isystem "$toolkit/include/cccl" \
            -isystem "$toolkit/targets/x86_64-linux/include/cccl"
        ;;
    *) set -- clang -std=c17 -Wall -D_GNU_SOURCE -pthread "$@" ;;
    esac
    printf '%s{"directory": %s,\n "file": %s,\n "arguments": [%s]}' \
        "$between" "$(words "$root/$folder")" "$(words "$source")" \
        "$(words "$@" "$source")"
    between=',
'
}

commands() { # folder [word]
    echo "["
    between=
    for ini in labs/*/lab.ini; do
        [ -e "$ini" ] || continue
        entry "$1" "$ini" ${2:+"$2"}
    done
    printf '\n]\n'
}

for folder in student reference; do
    [ -w "$folder" ] || continue
    to=$folder/compile_commands.json
    solution=
    [ "$folder" = student ] || solution=-DSOLUTION
    commands "$folder" "$solution" >"$to.$$"
    if cmp -s "$to.$$" "$to"; then
        rm "$to.$$"
    else
        mv "$to.$$" "$to"
    fi
done
