#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The stubs are what reference/ makes; and the check that says so can fail.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

run "$root/tools/make_student.sh" --check
expect_status 0

mkdir -p "$scratch/tools" "$scratch/reference" "$scratch/student" \
    "$scratch/labs/01-a"
cp "$root/tools/make_student.sh" "$root/tools/given.py" "$scratch/tools/"
echo "source = a.c" >"$scratch/labs/01-a/lab.ini"
cat >"$scratch/reference/a.c" <<'TEXT'
/* what a is for */
int a(void) {
#ifdef SOLUTION
    return 42;
#else
    return 0; /* your turn */
#endif
}
#ifdef SOLUTION
static int secret;
#endif
TEXT
run "$scratch/tools/make_student.sh"
expect_status 0
run cat "$scratch/student/a.c"
[ "$out" = "/* what a is for */
int a(void) {
    return 0; /* your turn */
}" ] || object "the stub is not the reference without its solution"

run cat "$scratch/labs/01-a/given.txt"
[ "$out" = "int a(void) {" ] || object "what the stub gives is not known"

check() {
    run "$scratch/tools/make_student.sh" --check
}
check
expect_status 0

echo "int extra;" >>"$scratch/student/a.c"
check
expect_status 1
expect "-int extra;"
"$scratch/tools/make_student.sh"

echo "int more;" >>"$scratch/labs/01-a/given.txt"
check
expect_status 1
expect "given.txt"
"$scratch/tools/make_student.sh"

cp "$scratch/student/a.c" "$scratch/student/b.c"
check
expect_status 1
expect "Only in student: b.c"
rm "$scratch/student/b.c"

sed s/secret/other/ "$scratch/reference/a.c" >"$scratch/reference/c.c"
check
expect_status 1
expect "c.c"

echo "int whole;" >"$scratch/reference/c.c"
check
expect_status 1
expect "has no SOLUTION block"

printf '#ifdef SOLUTION\n#endif\n/* SOLUTION: 42 */\n' >"$scratch/reference/c.c"
check
expect_status 1
expect "SOLUTION is still in its stub"
finish
