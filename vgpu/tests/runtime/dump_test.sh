#!/bin/sh
# SPDX-License-Identifier: MIT
#
# dump_test.sh VGPU PTX [PROGRAM]: vgpu --dump-ptx prints the PTX of a file as it
# is, --dump-parsed what the parser understood, both of one kernel as well. With
# PROGRAM (made by nvcc) the same for what its fatbins hold.
set -u
vgpu=$1 ptx=$2 program=${3:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
that() { # NAME COMMAND...: the command succeeds.
    name=$1
    shift
    "$@" || {
        failures=$((failures + 1))
        echo "FAILED: $name"
    }
}
says() { # WORDS ARGUMENT...: vgpu refuses with these words
    words=$1
    shift
    "$vgpu" "$@" >"$folder/out" 2>"$folder/err"
    that "exit status 2 of vgpu $*" [ $? = 2 ]
    that "'$words' in: $(cat "$folder/err")" grep -qF -e "$words" "$folder/err"
}
# A module without the comments that head it.
body() { grep -v '^// module \|^//   kernel ' "$1"; }
# file FILE: raw text; understood; the understood text understood again; each kernel
file() {
    "$vgpu" --dump-ptx "$1" >"$folder/raw"
    that "--dump-ptx $1" [ $? = 0 ]
    "$vgpu" --dump-parsed "$1" >"$folder/parsed"
    that "--dump-parsed $1" [ $? = 0 ]
    body "$folder/raw" >"$folder/raw.ptx"
    body "$folder/parsed" >"$folder/parsed.ptx"
    "$vgpu" --dump-parsed "$folder/raw.ptx" >"$folder/again"
    body "$folder/again" >"$folder/again.ptx"
    that "what is printed raw is what was understood" cmp "$folder/parsed.ptx" "$folder/again.ptx"
    n=0
    for kernel in $(sed -n 's|^//   kernel ||p' "$folder/raw"); do
        n=$((n + 1))
        "$vgpu" --dump-ptx="$kernel" "$1" >"$folder/one"
        that "--dump-ptx=$kernel" grep -q '^\.visible .entry\|^\.entry\|^\.weak .entry' "$folder/one"
        that "it ends where the kernel does" [ "$(grep -c '^}' "$folder/one")" = 1 ]
        # All its lines are the module's, in order.
        grep -v '^// ' "$folder/one" | sed '/^$/d' >"$folder/lines"
        sed '/^$/d' "$folder/raw" | diff - "$folder/lines" | grep '^>' &&
            that "--dump-ptx=$kernel prints the module's lines" false
        "$vgpu" --dump-parsed="$kernel" "$1" | grep -v '^// ' | sed '/^$/d' >"$folder/lines"
        sed '/^$/d' "$folder/parsed" | diff - "$folder/lines" | grep '^>' &&
            that "--dump-parsed=$kernel prints the module's lines" false
    done
    that "$1 has kernels" [ "$n" -gt 0 ]
}

file "$ptx"
body "$folder/raw" >"$folder/text"
{ cat "$ptx" && printf '\n\n'; } >"$folder/wanted"
that "--dump-ptx of PTX is the text" cmp "$folder/text" "$folder/wanted"
that "comments are not understood" [ "$(grep -c '^//' "$folder/parsed.ptx")" = 0 ]
says "no module in it has a kernel 'none'" --dump-ptx=none "$ptx"
says 'cannot read' --dump-ptx "$folder/none"
says 'it is no ordinary file' --dump-ptx "$folder"
says 'holds no PTX' --dump-ptx /bin/sh
printf '.version 9.0\nrubbish\n' >"$folder/rubbish"
says 'PTX line 2: ' --dump-ptx "$folder/rubbish"
that "rubbish is printed nevertheless" grep -q '^rubbish' "$folder/out"
printf 'P\355U\272\001\000\020\000' >"$folder/short"
says 'ends inside the container header' --dump-ptx "$folder/short"
: >"$folder/empty"
says 'holds no PTX' --dump-ptx "$folder/empty"
[ -z "$program" ] || file "$program"
[ "$failures" = 0 ]
