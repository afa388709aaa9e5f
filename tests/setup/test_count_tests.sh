#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tools/count-tests.awk on reports as ctest writes them.
set -u
# shellcheck source=expect.sh
. "$(dirname "$0")/expect.sh"

count() {
    run awk -f "$root/tools/count-tests.awk" "$scratch/tests.xml"
}
testcase() { # name status lines
    printf '<testcase name="%s" classname="x" time="0" status="%s">\n' "$1" "$2"
    printf '%s\n</testcase>\n' "$3"
}

{
    testcase plain run '<system-out></system-out>'
    testcase unit run '<system-out>[==========] Running 3 test(s).
[ RUN      ] one
[       OK ] one
[ RUN      ] two
[       OK ] two
[ RUN      ] three
SKIP: no GPU
[  SKIPPED ] three
[==========] 3 test(s) run.
[  PASSED  ] 2 test(s).
[  SKIPPED ] 1 test(s), listed below:
[  SKIPPED ] three
</system-out>'
    testcase absent notrun '<skipped message="SKIP_RETURN_CODE=77"/>
<system-out>SKIP: no shellcheck
</system-out>'
} >"$scratch/tests.xml"
count
expect_status 0
expect "  skipped: unit: three: no GPU"
expect "  skipped: absent: no shellcheck"
expect "ScanLab: 3 tests passed, 0 failed, 2 skipped"

{
    testcase unit fail '<failure message=""/>
<system-out>[       OK ] one
[  ERROR   ] --- 0x1 != 0x2
[  FAILED  ] two
[==========] 2 test(s) run.
[  FAILED  ] 1 test(s), listed below:
[  FAILED  ] two
</system-out>'
    testcase crash fail '<failure message="SEGFAULT"/>'
    testcase gone notrun '<skipped message="Unable to find executable"/>'
} >"$scratch/tests.xml"
count
expect_status 1
expect "ScanLab: 1 tests passed, 3 failed, 0 skipped"

# Nothing passed is no success.
: >"$scratch/tests.xml"
count
expect_status 1
finish
