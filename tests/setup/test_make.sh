#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The root Makefile and ./scanlab, with stand-ins for what they call: options
# arrive, and both exit as the program scanlab does.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

cp "$root/Makefile" "$root/scanlab" "$scratch/"
mkdir -p "$scratch/tools" "$scratch/build/bin"
cp "$root/tools/meant.sh" "$scratch/tools/"
# Flags of the make that runs the tests are not for the make under test.
unset MAKEFLAGS MAKELEVEL MFLAGS WERROR

stand_in() { # name text
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1"
    chmod +x "$scratch/$1"
}
stand_in tools/setup.sh "echo \"setup \$*\" >>$scratch/calls"
# Says what it is to build, and runs the command.
build="echo \"build \$*\" >>$scratch/calls
while [ \"\$1\" != default ]; do shift; done; shift 2
cd \"\${SCANLAB_FROM:-$scratch}\" && { [ \$# = 0 ] || $scratch/\"\$@\"; }"
stand_in tools/build.sh "$build"

for n in 0 1 2; do
    stand_in build/bin/scanlab "echo \"scanlab \$*\"; exit $n"
    for options in "" -j2 -k -s; do
        # shellcheck disable=SC2086 # none or one
        run make -C "$scratch" $options grade
        expect_status $n
        expect "scanlab grade"
    done
done
stand_in build/bin/scanlab 'kill -9 $$'
run make -C "$scratch" grade
expect_status 2

# ./scanlab itself: words as they are, in the folder where it is called, also by a
# link; the build's options; what the live report needs.
: >"$scratch/calls"
mkdir -p "$scratch/else where"
ln -s ../scanlab "$scratch/else where/link"
for n in 0 1 2; do
    stand_in build/bin/scanlab "echo \"it is in \$PWD\"; printf '[%s]\n' \"\$@\"; exit $n"
    ran="./scanlab, $n" status=0
    out=$(cd "$scratch/else where" && ./link run naive "a 'b" '$(c)') || status=$?
    expect_status $n
    expect "it is in $scratch/else where
[run]
[naive]
[a 'b]
[\$(c)]"
done
run env SCANLAB_BUILD_OPTIONS=-DVGPU_WERROR=ON "$scratch/scanlab" watch naive --serve=80
run cat "$scratch/calls"
expect "setup grade
build default programs build/bin/scanlab run naive"
expect "setup serve
build -DVGPU_WERROR=ON default programs build/bin/scanlab watch naive --serve=80"
rm -r "$scratch/else where"

# Points missing is no mistake of make's: it adds no message of its own.
stand_in build/bin/scanlab 'echo "scanlab $*"; exit 1'
run make -C "$scratch" grade
expect_not "***"

stand_in build/bin/scanlab 'for word; do printf "[%s]\n" "$word"; done'
run make -C "$scratch" grade LAB="naive cpu-scan" SUBMISSION="a b" SEED=7 \
    CHECK=small DEVICE=vgpu FORMAT=json OUT=g.json V=1
expect_status 0
expect "[grade]
[naive]
[cpu-scan]
[--submission]
[a b]
[--seed]
[7]
[--check]
[small]
[--device]
[vgpu]
[--format]
[json]
[-o]
[g.json]
[-v]
[--report]
[html=build/report.html]"
expect_not "in a browser"
run env OUT=elsewhere N=3 V=1 make -C "$scratch" grade
expect_not "[-o]"
expect_not "[-n]"
expect_not "[-v]"

# A live report: its library is seen to; a port of one's own.
: >"$scratch/calls"
run make -C "$scratch" watch LAB=naive
expect_not "[--serve"
run make -C "$scratch" watch LAB=naive SERVE=1
expect "[naive]
[--serve]"
run make -C "$scratch" watch SERVE="8000; x"
expect "[watch]
[--serve=8000; x]"
[ "$(grep -c '^setup serve$' "$scratch/calls")" = 2 ] || object "setup serve"
[ "$(grep -c '^setup grade$' "$scratch/calls")" = 1 ] || object "setup grade"

# Says where the page is, and not on standard output, where a report may be.
stand_in build/bin/scanlab 'echo page >build/report.html; exit 1'
run make -C "$scratch" grade
expect_status 1
expect "make grade: build/report.html shows it in a browser"
make -C "$scratch" grade 2>/dev/null | grep -q browser &&
    object "it stands on standard output"
rm "$scratch/build/report.html"
stand_in build/bin/scanlab 'for word; do printf "[%s]\n" "$word"; done'

# Hostile names reach scanlab as they are, and nothing else happens.
touched=$scratch/touched
for name in "\$(shell touch $touched)" "a';touch $touched;echo '" \
    "\`touch $touched\`" "\$\$(touch $touched)" '$(HOME)' 'a"b\c#d;e|f>g<h&' \
    "-x y" "\${error no}" "a,b)c(d" "$(printf '\342\200\256gnp\033[2J')"; do
    run make -C "$scratch" grade SUBMISSION="$name" LAB="naive" OUT="$name"
    expect_status 0
    expect "[--submission]
[$name]"
    expect "[-o]
[$name]"
    [ "$(cat "$scratch/build/graded")" = "$name" ] ||
        object "build/graded is not the name"
    [ ! -e "$touched" ] || object "it was executed"
    SUBMISSION=$name run make -C "$scratch" grade CHECK="$name"
    expect_status 0
    expect "[--submission]
[$name]"
    [ ! -e "$touched" ] || object "it was executed from the environment"
done
run make -C "$scratch" grade SUBMISSION="a
touch $touched"
expect_status 2
expect "SUBMISSION has a line break"
[ ! -e "$touched" ] || object "a line break was executed"

# What is built is installed, by names that are words.
stand_in cmake 'for word; do printf "[%s]\n" "$word"; done; echo "below $DESTDIR."; umask'
umask 077 # others are to read what is installed all the same
run make -C "$scratch" install
expect "[--install]
[$scratch/build]
[--strip]
[--prefix]
[/usr/local]
below .
0022"
umask 022
run make -C "$scratch" install PREFIX="a b';x" DESTDIR="c d"
expect "[a b';x]
below c d."

# A kit: which, where to, of which labs, with a course; paths are of here.
# shellcheck disable=SC2016 # for the stand-in
stand_in tools/kit.py 'printf "[%s]\n" "$@" "$COURSE" "$IMAGE" "$PWD"'
mkdir -p "$scratch/student"
cp "$root/student/Makefile" "$scratch/student/"
run make -C "$scratch/student" kit KIT=gradescope OUT="a b" LABS="naive 7" COURSE="c d"
expect "[gradescope]
[a b]
[naive]
[7]
[c d]
[]
[$scratch/student]"
run env OUT=elsewhere IMAGE=of-a-disk make -C "$scratch" kit KIT=autolab
expect_status 2
expect "make kit: which, and where to?"

# Slips are answered; nothing is graded.
mkdir -p "$scratch/labs/01-naive" "$scratch/labs/02-work-efficient"
stand_in build/bin/scanlab 'echo "it graded $PWD"; exit 1'
slip() { # "words of make" what it says
    # shellcheck disable=SC2086 # several words
    run make -C "$scratch" $1
    expect_status 2
    expect "$2"
    expect_not "it graded"
}
slip 'grade naive' 'make grade LAB=naive'
slip 'grade 1' 'make grade LAB=1'
slip 'grade 02-work-efficient' 'LAB=02-work-efficient'
slip 'graed' "no goal 'graed'; did you mean grade?"
slip 'grade zebra' "no goal 'zebra'."
slip 'grade lab=naive' "no variable 'lab'; did you mean LAB?"
slip 'grade LABS=naive' 'did you mean LAB?'
slip 'release OUT=x LAB=naive' 'did you mean LABS?'
slip 'grade CHEK=tiny' 'did you mean CHECK?'
slip 'grade SUBMISION=x' 'did you mean SUBMISSION?'
slip 'grade QQQQQQ=x' "no variable 'QQQQQQ'."
slip "grade \$(touch,$touched)" "no goal"
[ ! -e "$touched" ] || object "a slip was executed"
run make -C "$scratch" grade LAB=naive V=1 SCANLAB_APT=0
expect_status 1

# From the students' folder: the same, and paths are of there.
mkdir -p "$scratch/student"
cp "$root/student/Makefile" "$scratch/student/"
run make -C "$scratch/student" grade
expect_status 1
expect "it graded $scratch/student"
[ "$(cat "$scratch/build/graded")" = student ] || object "build/graded"
run make -C "$scratch/student" grade SUBMISSION=a
[ "$(cat "$scratch/build/graded")" = "$scratch/student/a" ] ||
    object "build/graded is no folder"
run make -C "$scratch/student" help
expect "make grade"

# Two at once: each has its own exit status, and nothing is left behind.
stand_in build/bin/scanlab 'sleep 0.3; [ "$3" = right ]'
make -C "$scratch" grade SUBMISSION=right >"$scratch/words" 2>&1 &
run make -C "$scratch" grade SUBMISSION=wrong
expect_status 1
ran="make grade, the other" status=0
wait $! || status=$?
expect_status 0
run ls "$scratch/build"
[ "$out" = "bin
graded" ] || object "files are left behind"

# Warnings as errors: both commands build with the same options.
rm "$scratch/calls"
stand_in build/bin/scanlab :
stand_in tools/test.sh :
run env WERROR=1 make -C "$scratch" grade test
run cat "$scratch/calls"
expect 'build -DVGPU_WERROR=ON default programs build/bin/scanlab grade'
expect 'build -DVGPU_WERROR=ON default all tools/test.sh build'

# Those that only the night builds are not in a push, whatever they are called.
rm "$scratch/calls"
run make -C "$scratch" test T='^ptx'
run cat "$scratch/calls"
expect "all tools/test.sh build -j 2 -R ^ptx -LE ^nightly"

# A part of all tests, in the same build.
rm "$scratch/calls"
run make -C "$scratch" test-all J=16 PART=2/3 WERROR=1
run cat "$scratch/calls"
expect "build -DVGPU_WERROR=ON default nightly tools/test.sh build --part 2/3 -j 16"
for part in 0/3 4/3 3 1/ a/b; do
    run "$root/tools/test.sh" build --part "$part"
    expect_status 2
    expect "PART is K/N, such as 1/3, not $part"
done

# Seeds are the tests', 200 unless told, under the build's lock.
run make -C "$scratch" -n test-seeds
expect 'SCANLAB_TEST=seeds=200 tools/build.sh'
run make -C "$scratch" -n test-seeds SEEDS=101-200
expect "SCANLAB_TEST=seeds='101-200' tools/build.sh"

# Set-up or build fails: 2, and nothing is graded.
stand_in tools/build.sh 'exit 2'
stand_in build/bin/scanlab 'echo "it graded $PWD"'
run make -C "$scratch" grade
expect_status 2
expect_not "it graded"
stand_in tools/build.sh "$build"
stand_in tools/setup.sh 'exit 2'
for grade in "make -C $scratch grade" "$scratch/scanlab grade"; do
    run $grade
    expect_status 2
    expect_not "it graded"
done

# A dry run runs nothing; the bare word shows the help.
rm -f "$scratch/calls"
run make -C "$scratch" -n grade
[ ! -e "$scratch/calls" ] || object "a dry run ran something"
run make -C "$scratch"
expect_status 0
expect "make grade"
expect "make test"
finish
