#!/bin/sh
# SPDX-License-Identifier: MIT
#
# test_command.sh SCANLAB WORK: the command line of `scanlab bench`, where there
# is no GPU.
set -u
scanlab=$1 work=$2
failures=0
rm -rf "$work" && mkdir -p "$work" || exit 1
printf '#!/bin/sh\nexit 1\n' >"$work/nvidia-smi"
chmod +x "$work/nvidia-smi"
export PATH="$work:$PATH"

# expect STATUS TEXT ARGUMENT...: it ends with STATUS and says TEXT.
expect() {
    status=$1 text=$2
    shift 2
    "$scanlab" bench "$@" >"$work/words" 2>&1 </dev/null
    got=$?
    [ "$got" = "$status" ] && grep -qF -e "$text" "$work/words" && return
    failures=$((failures + 1))
    echo "FAILED: bench $*: status $got, not $status, or no '$text' in:"
    cat "$work/words"
}
expect 2 'bench: no GPU here (nvidia-smi names none)'
expect 2 "double (did you mean 'int32'?)" --type int23
expect 2 "--operation: 'sort' is none of" --operation sort
expect 2 "-n: '0' is not a number from 1 to 2^36" -n 0
expect 2 '--threads is for --cpu' --threads 2
expect 2 'lab cpu-scan runs on the CPU: give --cpu' cpu-scan
expect 2 'lab naive runs on the GPU: leave out --cpu' --cpu naive
expect 0 'usage: scanlab bench' --help
[ "$failures" = 0 ] && echo "all as expected"
exit $((failures > 0))
