#!/bin/sh
# SPDX-License-Identifier: MIT
#
# install_test.sh ROOT BUILD: what `cmake --install` makes grades a lab after it was
# moved, in a folder that is read-only, as another user, and with nothing of the
# repository in sight; what it makes for itself goes into the user's cache.
set -u
root=$1 build=$2
work=$(mktemp -d)
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
chmod 755 "$work"
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

umask 022 # as make install does
cmake --install "$build" --strip --prefix "$work/first" >"$work/words" 2>&1 ||
    { cat "$work/words" && exit 1; }
mkdir "$work/then" "$work/home" "$work/submission"
mv "$work/first" "$work/then/moved"
prefix=$work/then/moved
if grep -rlF -e "$build" -e "$work/first" "$prefix" --exclude-dir=cuda \
    --exclude=scanlab --exclude=vgpu --exclude='scanlab-*' --exclude='libcudart*'; then
    fail "these files name the folder that was built in, or the first place"
fi
chmod -R a-w "$prefix"
{ echo "#define SOLUTION" && cat "$root/reference/naive.cu"; } >"$work/submission/naive.cu"
(cd "$prefix" && find . -type f -exec cksum {} + | sort) >"$work/before"

# As another user where we may, and where the repository cannot be seen.
user="" hide=""
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    user="setpriv --reuid 65534 --regid 65534 --clear-groups"
    chown 65534 "$work/home"
else
    echo "note: not root, so not tried as another user"
fi
if unshare -m true 2>/dev/null; then
    hide="unshare -m sh -c 'mount -t tmpfs -o mode=755 none \"\$0\" && exec \"\$@\"' $root"
else
    echo "note: no mount namespace here, so the repository stays in sight"
fi
unset SCANLAB_ROOT SCANLAB_CACHE SCANLAB_NVCC XDG_CACHE_HOME
eval "cd / && $hide $user env HOME=\"$work/home\" \"$prefix/bin/scanlab\" grade naive \
    --submission \"$work/submission\" --seed 20 --require-walls" >"$work/grade" 2>&1
status=$?
[ $status = 0 ] && grep -q '^Total .* 100/100$' "$work/grade" ||
    { fail "the references have not all points, exit status $status:" && cat "$work/grade"; }
[ -n "$(ls "$work/home/.cache/scanlab/submissions" 2>/dev/null)" ] ||
    fail "nothing is kept in the user's cache"
[ -n "$(ls "$work/home/.cache/scanlab/progress" 2>/dev/null)" ] ||
    fail "no progress is remembered in the user's cache"
(cd "$prefix" && find . -type f -exec cksum {} + | sort) | cmp - "$work/before" ||
    fail "something was written into the prefix"
"$prefix/bin/vgpu" --list-devices | grep -q teach || fail "vgpu does not run"

# A class and its statistics.
mkdir -p "$work/class/ann" "$work/class/bo" && cp "$work/submission/naive.cu" "$work/class/ann"
cp "$root/student/naive.cu" "$work/class/bo"
eval "cd / && $hide $user env HOME=\"$work/home\" sh -c 'cd \"\$HOME\" && \"\$0\" class \"\$1\" naive -o out &&
    \"\$0\" stats out; [ \$? -lt 2 ]' \"$prefix/bin/scanlab\" \"$work/class\"" >"$work/words" 2>&1 &&
    grep -q 'Nothing: all checks' "$work/home/out/stats/lecture.html" ||
    { fail "no class, or no statistics of it:" && cat "$work/words"; }

grep -q '^ *hint  *build/bin/scanlab hint naive' "$work/home/out/feedback/bo/report.txt" ||
    fail "feedback does not name the program of a student's hand-out"

# Below DESTDIR, for packages.
(cd "$work" && DESTDIR=package cmake --install "$build" --component scanlab --prefix opt/scan) \
    >"$work/words" 2>&1 || { cat "$work/words" && failed=1; }
package=$work/package$work/opt/scan
[ "$(readlink "$package/bin/scanlab")" = ../lib/scanlab/bin/scanlab ] || fail "no link in DESTDIR"
[ ! -e "$package/lib/scanlab/nvcc-path" ] ||
    fail "the component scanlab has what is the compiler's"
exit $failed
