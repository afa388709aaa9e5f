#!/bin/sh
# SPDX-License-Identifier: MIT
# dictionary.sh PTX: words of PTX for libFuzzer, from the tables of the room ptx.
{
    grep -oh 'X("[^"]*"' "$1/keywords.def" | cut -d'"' -f2
    grep -oh 'X([A-Z0-9_]*, "[^"]*"' "$1/modifiers.def" "$1/types.def" | sed 's/.*"\(.*\)"/.\1/'
    grep -oh 'X([A-Z0-9_]*, "[^"]*"' "$1/specials.def" | sed 's/.*"\(.*\)"/%\1/'
    grep -oh 'X([a-z0-9]*' "$1/opcodes.def" | sed 's/X(//'
    printf '%s\n' '$L__BB0_1:' '%f1' '%fd1' '%p1' '%r1' '%rd1' '.ptx:5:' '.idx:' \
        '.file' '.section' '.debug_abbrev' '.debug_str' '.inlined_at' '.b0' '.h1' '.number' \
        0d3FF0000000000000 0f3F800000 0xffffffffffffffff '@!%p1' '[%rd1+8]' \
        vprintf malloc free __assertfail '{' '{%r1,%r2,%r3,%r4}' '}'
} | sort -u | sed 's/.*/"&"/'
