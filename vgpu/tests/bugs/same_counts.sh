#!/bin/sh
# SPDX-License-Identifier: MIT
# same_counts.sh VGPU PROGRAM [ARGUMENTS]: what is counted per thread or in bytes does not depend on who runs when, also
# where threads wait: rounds of waiting are in spin_instructions and in no other count.
set -u
vgpu=$1
shift
of() { # SCHEDULE PROGRAM ARGUMENTS
    schedule=$1
    shift
    "$vgpu" --device teach90 --schedule "$schedule" "$@" 2>&1 >/dev/null |
        tr -s ' ' '\n' | awk '/^(thread_instructions|global_(read|write)_bytes)$/ { name = $1; getline; print name, $1 }'
}
want=$(of in-order "$@")
[ "$(echo "$want" | wc -l)" -eq 3 ] || { echo "no counts: $want"; exit 1; }
for schedule in reverse random:1 random:2 random:3 random:4 random:5 random:6 random:7 random:8; do
    got=$(of $schedule "$@")
    [ "$got" = "$want" ] || { echo "$schedule: $got"; echo "in-order: $want"; exit 1; }
done
