#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/build.sh with a stand-in for cmake: when it configures, and who waits for
# whom. A wait that should end and does not is ended by the test's time limit.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

mkdir -p "$scratch/bin" "$scratch/repo/tools" "$scratch/repo/grader"
cp "$root/tools/build.sh" "$scratch/repo/tools/"
cd "$scratch/repo" || exit 1
: >CMakeLists.txt
echo 1 >grader/source
# Builds for as long as there is a file slow; two at once are an error.
cat >../bin/cmake <<'SH'
#!/bin/sh
echo "$*" >>calls
[ "$1" != --preset ] || { : >build/build.ninja; exit; }
mkdir busy || { echo "two builds at once" >>calls; exit 1; }
while [ -e slow ]; do sleep 0.05; done
rmdir busy
cat says 2>/dev/null
[ ! -e says ]
SH
chmod +x ../bin/cmake
PATH=$scratch/bin:$PATH

build() { run tools/build.sh "$@"; }
calls() { # what cmake was told since the last time
    ran="cat calls" status='' out=$(cat calls 2>/dev/null)
    rm -f calls
}
until_is() { # command...: it will be so
    while ! "$@" >/dev/null 2>&1; do sleep 0.05; done
}
says_waiting() { grep -q 'waiting for another build' "$1"; }

# ---- when it configures, and exit statuses ----
build default programs
expect_status 0
expect 'building build (the first time takes a minute or two)'
calls
expect '--preset default -DVGPU_WERROR=OFF
--build build --target programs'
mkdir -p elsewhere/build
printf '#!/bin/sh\necho "$PWD $*"\n' >build/says_where
chmod +x build/says_where
run env SCANLAB_FROM="$scratch/repo/elsewhere" tools/build.sh default programs \
    build/says_where a "b c"
expect "$scratch/repo/elsewhere a b c"
for wanted in 0 1 7; do
    build default programs sh -c "echo said; exit $wanted"
    expect_status $wanted
    [ "$out" = said ] || object "it does not only run the command"
done
calls
expect_not --preset
# A package that set-up has brought; a goal without a new one; an option, and back.
echo 'header cmocka.h|libcmocka-dev' >build/setup-test
build default all
calls
expect --preset
build default all
calls
expect_not --preset
cp build/setup-test build/setup-serve
build default all
calls
expect_not --preset
build -DVGPU_WERROR=ON default all
calls
expect '--preset default -DVGPU_WERROR=OFF -DVGPU_WERROR=ON'
build default all
calls
expect '--preset default -DVGPU_WERROR=OFF'
# A build that fails: its words, and nothing is run.
echo "error: no semicolon" >says
build default programs echo ran
expect_status 2
expect 'error: no semicolon'
expect_not ran
rm says
calls

# So does the first one, without the steps that worked.
rm -r build
printf '[1/2] Building C object a.o\n[2/2] Building b.o\nb.c: error: no b\n' >says
build default programs echo ran
expect_status 2
expect 'error: no b'
expect 'all of its words are in build/build-default.log'
expect_not 'Building C'
expect_not ran
rm says
calls

# ---- two first builds at once: one after the other, each ends ----
rm -r build
: >slow
tools/build.sh default programs >first 2>&1 &
until_is [ -d busy ]
tools/build.sh default all >second 2>&1 &
until_is says_waiting second
rm slow
wait
calls
expect '--target programs'
expect '--target all'
expect_not 'two builds'

# ---- while a command runs ----
holds='echo $$ >holder; while [ -e hold ]; do sleep 0.05; done'
: >hold
tools/build.sh default all sh -c "$holds" &
until_is [ -s holder ]
# Nothing is to be built: nobody waits, whatever students or documents say.
mkdir -p student docs
: >student/naive.cu
: >grade.json
for target in all programs; do
    build default $target echo ran
    [ "$out" = ran ] || object "it does not just run"
done
# A file was changed, another removed, an option was given: who builds waits.
calls
for change in 'echo 2 >grader/source' 'rm grader/source' 'option=-DX=1'; do
    sleep 0.05
    option=
    eval "$change"
    rm -f waits
    # shellcheck disable=SC2086 # none or one
    tools/build.sh $option default programs >waits 2>&1 &
    waiter=$!
    until_is says_waiting waits
    calls
    [ -z "$out" ] || object "$change: it builds while a command runs"
    rm hold
    wait $waiter || object "$change: it did not build"
    : >hold
    calls
    expect '--target programs'
    rm holder
    tools/build.sh default programs sh -c "$holds" &
    until_is [ -s holder ]
    calls
done

# ---- a command that builds and runs one itself does not wait for itself ----
rm hold
wait $!
build default all sh -c 'echo 4 >grader/source; touch grader
    tools/build.sh default programs echo ran'
expect_status 0
expect "what runs this command keeps build as it is"
expect "ran"
build default programs sh -c 'rm build/built-all; touch grader/source
    tools/build.sh default all echo ran'
expect_status 2
expect "all is not built, and what runs this command keeps build as it is"
: >hold
rm -f holder
tools/build.sh default programs sh -c "$holds" &
until_is [ -s holder ]

# ---- who holds the lock is killed: nobody waits for it ----
kill -9 $!
echo 3 >grader/source
build default programs
expect_status 0
expect_not waiting
rm hold
: >slow
tools/build.sh default all &
until_is [ -d busy ]
kill -9 $! # alone: what it started builds on, and is waited for
tools/build.sh default all >waits 2>&1 &
until_is says_waiting waits
rm slow
wait $! || object "it did not build"
calls
expect_not 'two builds'
finish
