#!/bin/sh
# SPDX-License-Identifier: MIT
#
# kit.sh ZIG CUDA OUT: makes the folder OUT, in which bin/nvcc is CUDA's nvcc with
# zig's clang in the place of gcc: SCANLAB_NVCC=OUT/bin/nvcc scanlab grade naive. ZIG
# is the folder `ziglang` that pip installs, CUDA one with bin/nvcc. What came of it:
# wheel/README.md. Of the host's libraries nothing is used: C's headers are zig's,
# C++'s those of include/, which has what CUDA's own headers ask for. Host code has
# no exceptions, and no library of C++. x86-64 only.
set -eu
[ $# = 3 ] || {
    sed -n 's/^# \{0,1\}//; 3,10p' "$0" >&2
    exit 2
}
here=$(cd "$(dirname "$0")" && pwd)
cuda=$(cd "$2" && pwd)
mkdir -p "$3/bin" "$3/host" "$3/nvvm" # nvvm: that the judge takes it for a toolkit
out=$(cd "$3" && pwd)
# Inside the walls a compiler sees its toolkit's folder and /usr/local/cuda.
cp -r "$1" "$out/zig"
cp -r "$here/include" "$out/include"
ln -sfn "$cuda/lib" "$out/lib"
for name in stdlib stddef stdint stdio string limits assert float time; do
    [ -e "$out/include/c$name" ] ||
        printf '#include <stddef.h>\n#include <%s.h>\n%s\n' "$name" \
            'namespace std { using ::size_t; }' >"$out/include/c$name"
done

cat >"$out/host/clang++" <<END
#!/bin/sh
zig=$out/zig headers=$out/zig/lib/libc/include
for word; do
    case \$word in -c | -E | -M*) compile=1 ;; esac
done
if [ "\${compile:-}" ]; then
    exec "\$zig/zig" clang --driver-mode=g++ -target x86_64-linux-gnu -nostdinc -nostdinc++ \\
        -isystem "$out/include" -isystem "\$zig/lib/include" \\
        -isystem "\$headers/x86-linux-gnu" -isystem "\$headers/generic-glibc" \\
        -isystem "\$headers/x86-linux-any" -isystem "\$headers/any-linux-any" \\
        -D__GLIBC_MINOR__=28 -U_GNU_SOURCE -D__NV_NO_HOST_COMPILER_CHECK=1 \\
        -fno-exceptions -fno-threadsafe-statics -Wno-everything "\$@"
fi
# A library that the runner loads needs no libc named: the runner has it.
n=\$#
while [ \$n -gt 0 ]; do
    word=\$1 n=\$((n - 1))
    shift
    case \$word in
    -Wl,*) set -- "\$@" \$(echo "\${word#-Wl,}" | tr , ' ') ;;
    -f* | -g* | -m64 | -O* | -pthread | -W* | -D* | -std*) ;;
    *) set -- "\$@" "\$word" ;;
    esac
done
exec "\$zig/zig" ld.lld "\$@" "$out/host/ends.o"
END
printf '#!/bin/sh\nexec "%s/bin/nvcc" -ccbin "%s/host/clang++" "$@"\n' "$cuda" "$out" \
    >"$out/bin/nvcc"
chmod +x "$out/bin/nvcc" "$out/host/clang++"
# What gcc links into each library from files of its own: how functions are
# registered that run when it is unloaded.
cat >"$out/host/ends.cpp" <<END
extern "C" {
void *__dso_handle = &__dso_handle;
int __cxa_atexit(void (*)(void *), void *, void *);
__attribute__((visibility("hidden"))) int atexit(void (*function)()) {
    return __cxa_atexit((void (*)(void *))function, nullptr, __dso_handle);
}
}
END
"$out/host/clang++" -fPIC -c "$out/host/ends.cpp" -o "$out/host/ends.o"
