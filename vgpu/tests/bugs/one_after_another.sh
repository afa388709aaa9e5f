#!/bin/sh
# SPDX-License-Identifier: MIT
# one_after_another.sh VGPU PROGRAM: a program of a shell after one that had a fault begins with a context of its own;
# the fault's finding stays.
set -u
said=$("$1" sh -c "'$2' after_a_fault; '$2' never_written; '$2' partly_written" 2>&1)
status=$?
fail() { echo "$1:"; echo "$said"; exit 1; }
[ $status -eq 86 ] || fail "exit status $status"
echo "$said" | grep -q '^cudaErrorIllegalAddress$' || fail "no fault"
echo "$said" | grep -q '^vgpu: 2 findings$' || fail "other findings"
echo "$said" | grep -q '^2. uninitialised-read' || fail "the second program was not looked at"
echo "$said" | grep -q '^right$' || fail "the third program has another result"
