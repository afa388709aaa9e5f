#!/bin/bash
# SPDX-License-Identifier: MIT
#
# test_programs.sh VGPU FOLDER: programs.sh with the virtual GPU in the place of
# a GPU; FOLDER has the executables.
set -u
vgpu=$1 folder=$2
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$root/research/tests/on-gpu/objects.sh"
mkdir -p "$scratch/pack/programs"
for name in groups dynamic libcu; do
    cp "$folder/$name.program" "$scratch/pack/programs/$name"
done
programs() {
    SCANLAB_PACK=$scratch/pack ON="$vgpu --check none -o /dev/null" \
        PROGRAMS="groups dynamic libcu" bash "$root/research/on-gpu/programs.sh" \
        "$scratch/out" >"$scratch/words" 2>&1
}
programs || object "right programs fail"
[ "$(grep -c '^groups,groups-[a-z]*,right,' "$scratch/out")" = 4 ] ||
    object "not four right cases of groups"
says '^dynamic,dynamic-reads-itself,left out,' "$scratch/out"
says '^libcu,libcu-semaphores,right,' "$scratch/out"
says '^libcu,libcu-semaphores-lanes,left out,lanes of one' "$scratch/out"
printf '#!/bin/sh\necho right\nexit 3\n' >"$scratch/bad"
cp "$scratch/bad" "$scratch/pack/programs/groups"
chmod +x "$scratch/pack/programs/groups"
programs && object "programs that fail pass"
says '^groups,groups-grid,wrong,' "$scratch/out"
verdict
