#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The README's two commands, `make grade` and then `make test`, each on a machine
# that has what it asks for and no more. Here as far as CMake's configuring, on a
# copy of the repository; .ci/run runs them whole.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

command -v cmake >/dev/null && command -v ninja >/dev/null || {
    echo "SKIP: no cmake or no ninja"
    exit 77
}
here=$root/tests/setup
mkdir "$scratch/repo"
cd "$root" || exit 1
for name in *; do
    [ "$name" = build ] || cp -r "$name" "$scratch/repo/"
done
cd "$scratch/repo" || exit 1
configure="cmake --preset default"
count() { # the tests that ctest sees, in $tests
    run ctest --test-dir build -N
    tests=$(printf '%s\n' "$out" | sed -n 's/^Total Tests: //p')
    out="$tests tests" # of a list that fills many screens
}

# As `make grade` finds it: without cmocka. `make test` has its tests all the same.
# Where dpkg did not install it, it cannot be taken away either.
run "$here/without.sh" test sh -c "! pkg-config --exists cmocka || exit 77
    $configure"
taken_away=$status
if [ "$taken_away" != 77 ]; then
    expect_status 0
    count
    without=$tests
    run $configure
    expect_status 0
    count
    [ "$without" = "$tests" ] || object "without cmocka there were $without tests"
else # nothing in what CMake reads may ask for it
    run grep -rniE --include=CMakeLists.txt --include='*.cmake' \
        '(find_|pkg_|check_)[a-z_]*[( ].*cmocka' CMakeLists.txt cmake tests
    expect_status 1
    run $configure
    expect_status 0
    count
fi
[ "$tests" -gt 400 ] || object "there are $tests tests"

# What is handed out (README.md): no solutions, no tests, nothing that takes times.
# And when they are put back.
mkdir ../kept
mv tests reference timing research ../kept
mv vgpu/tests ../kept/vgpu-tests
rm -r build
run $configure
expect_status 0
run ninja -C build -t query programs
expect_status 0
count
[ "$tests" = 0 ] || object "there are $tests tests without tests/"
run tools/setup.sh test
expect_status 2
expect 'this copy of ScanLab has no tests/'
mv ../kept/vgpu-tests vgpu/tests
mv ../kept/* .
run ninja -C build build.ninja
expect_status 0
count
[ "$tests" -gt 400 ] || object "tests/ was put back, and there are $tests tests"
[ "$taken_away" != 77 ] ||
    echo "not seen: a machine without cmocka (packages cannot be taken away here)"
finish
