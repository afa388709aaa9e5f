#!/bin/sh
# SPDX-License-Identifier: MIT
# tool_test.sh VGPU: the command line of the tool where no GPU code is needed: usage, programs that cannot run, exit codes.
set -u
vgpu=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
# check NAME CODE WORDS COMMAND...: the exit code, and words somewhere in the output.
check() {
    name=$1 wanted=$2 words=$3
    shift 3
    "$@" >"$folder/out" 2>&1
    code=$?
    if [ "$code" -ne "$wanted" ] || ! grep -qF -- "$words" "$folder/out"; then
        echo "FAIL $name: exit code $code (wanted $wanted), wanted the words '$words' in:"
        cat "$folder/out"
        failures=$((failures + 1))
    else
        echo "ok $name"
    fi
}
printf 'text' >"$folder/plain"
printf '#!/bin/sh\nexit 7\n' >"$folder/seven"
printf '#!/bin/sh\nkill -TERM $$\n' >"$folder/dies"
printf '#!/bin/sh\necho fd=$VGPU_CHANNEL_FD; echo args="$*"\n' >"$folder/shows"
printf '#!/bin/sh\necho "score: 100" >&$VGPU_CHANNEL_FD\n' >"$folder/writes"
chmod +x "$folder/seven" "$folder/dies" "$folder/shows" "$folder/writes"

check help 0 "--memory-model M" "$vgpu" --help
check version 0 "vgpu 1." "$vgpu" --version
check devices 0 "gtx275" "$vgpu" --list-devices
check no-program 2 "an argument is missing" "$vgpu"
check unknown-option 2 "see: vgpu --help" "$vgpu" --nonsense ./x
check bad-device 2 "--device: 'gtx9' is none of teach" "$vgpu" --device gtx9 ./x
check bad-schedule 2 "--schedule: 'sideways' is none of in-order, reverse, random:SEED" "$vgpu" --schedule sideways ./x
check bad-check 2 "--check: 'rubbish' is neither a check, nor all or none" "$vgpu" --check memcheck,rubbish ./x
check bad-budget 2 "--budget: '-3' is not a number from 1 to 2^64 - 1" "$vgpu" --budget -3 ./x
check trace-key 2 "'wrap' is none of kernel=, launch=, block=, warp=, lanes=, file=, lines=, limit= (did you mean 'warp'?)" \
    "$vgpu" --trace=wrap=3 ./x
check trace-value 2 "--trace: block= wants its number, or its index X:Y:Z, not '1:2'" "$vgpu" --trace=block=1:2 ./x
check trace-range 2 "lines= wants FIRST-LAST or one, of the source, not '9-3'" "$vgpu" --trace=warp=1,lines=9-3 ./x
check trace-lanes 2 "not '0-32'" "$vgpu" --trace=lanes=0-32 ./x
check trace-no-value 2 "warp= wants its number in the block, 0 to 31" "$vgpu" --trace=warp ./x
check trace-of-nothing 7 "no instruction that was executed is selected" \
    "$vgpu" --trace=launch=1,block=1:0:0,lanes=3,file=a.cu,limit=9 "$folder/seven"
check missing 2 "No such file" "$vgpu" "$folder/absent"
check missing-on-path 2 "no such program on PATH" "$vgpu" surely-not-a-program
check not-executable 2 "is not executable" "$vgpu" "$folder/plain"
check a-folder 2 "is not a file" "$vgpu" "$folder"
check own-code 7 "no findings" "$vgpu" "$folder/seven"
check no-cuda 0 "made no CUDA call" "$vgpu" true
cc=${CC:-cc}
if echo 'int cublasCreate_v2(void) { return 1; }' >"$folder/a.c" &&
    "$cc" -shared -fPIC -Wl,-soname,libcublas.so.13 -o "$folder/libcublas.so.13" "$folder/a.c" &&
    "$cc" -shared -fPIC -Wl,-soname,libcurand.so.10 -o "$folder/libcurand.so.10" "$folder/a.c" &&
    echo 'int main(void) { return 5; }' >"$folder/b.c" &&
    "$cc" -Wl,--no-as-needed -o "$folder/uses" "$folder/b.c" "$folder/libcurand.so.10" "$folder/libcublas.so.13"; then
    check libraries 86 "not looked at: what the program does with libcublas.so.13, libcurand.so.10, which the virtual GPU does not have" \
        env LD_LIBRARY_PATH="$folder" "$vgpu" "$folder/uses"
    check libraries-rest 86 "no findings in the rest" \
        env LD_LIBRARY_PATH="$folder" "$vgpu" "$folder/uses"
    check libraries-json 86 '"other_libraries": "libcublas.so.13, libcurand.so.10"' \
        env LD_LIBRARY_PATH="$folder" "$vgpu" --format json "$folder/uses"
fi
# Opened while it runs: by the program, by its child, by a library of its own; one that is no library of CUDA's; one
# that cannot be opened; the descriptor closed before.
if printf '%s\n' '#include <dlfcn.h>' '#include <stdlib.h>' '#include <unistd.h>' '#include <sys/wait.h>' \
        'int main(int n, char **argv) {' \
        '    if (n > 2) { int k; for (k = 3; k < 64; k++) if (argv[2][0] == 99) close(k); }' \
        '    if (n > 2 && argv[2][0] == 102 && fork()) { int s; wait(&s); return 5; }' \
        '    void *h = dlopen(argv[1], RTLD_NOW);' \
        '    if (h) dlclose(h);' \
        '    return 5; }' >"$folder/c.c" && "$cc" -o "$folder/opens" "$folder/c.c" -ldl &&
    "$cc" -shared -fPIC -o "$folder/libcustomers.so" "$folder/a.c"; then
    check opened 86 "not looked at: what the program does with libcublas.so.13, which the virtual GPU does not have" \
        "$vgpu" "$folder/opens" "$folder/libcublas.so.13"
    check opened-by-child 86 "not looked at: what the program does with libcublas.so.13, which" \
        "$vgpu" "$folder/opens" "$folder/libcublas.so.13" fork
    check opened-json 86 '"other_libraries": "libcublas.so.13"' \
        "$vgpu" --format json "$folder/opens" "$folder/libcublas.so.13"
    check opened-other 5 "no findings" "$vgpu" "$folder/opens" "$folder/libcustomers.so"
    check opened-absent 5 "no findings" "$vgpu" "$folder/opens" "$folder/libcublas.so.12"
    check opened-ours 5 "no findings" "$vgpu" "$folder/opens" libcudart.so.13
    # Another runtime of a version that is here is given ours; one of another version is its own.
    cp "$folder/libcublas.so.13" "$folder/libcudart.so.13"
    cp "$folder/libcublas.so.13" "$folder/libcudart.so.11.0"
    check opened-by-path 5 "no findings" "$vgpu" "$folder/opens" "$folder/libcudart.so.13"
    check opened-not-ours 86 "not looked at: what the program does with libcudart.so.11.0, which" \
        "$vgpu" "$folder/opens" "$folder/libcudart.so.11.0"
    # Somebody else listens to the loader: that is left to them.
    check opened-audited 5 "no findings" env LD_AUDIT="$folder/libcustomers.so" "$vgpu" "$folder/opens" "$folder/libcublas.so.13"
fi
check signal 143 "signal 15" "$vgpu" "$folder/dies"
check arguments 0 "args=--help -o x" "$vgpu" "$folder/shows" --help -o x
check rubbish 86 "bytes on the device channel" "$vgpu" "$folder/writes"
check json 7 '"schema": "vgpu/report/v1"' "$vgpu" --format json "$folder/seven"
"$vgpu" --format json -o "$folder/report" "$folder/seven"
check report-in-file 0 '"exit_code": 7' cat "$folder/report"
check report-nowhere 2 "cannot write the report" "$vgpu" -o "$folder/no/such" "$folder/seven"
[ "$failures" -eq 0 ]
