# SPDX-License-Identifier: MIT
#
# Counts what a JUnit report of ctest holds: "ScanLab: N tests passed, N failed,
# N skipped", after a line for each skipped one. A program of cmocka counts as
# the cases it ran, any other test as one. Exit status 1: some failed, or none
# passed.

function attribute(name,    at) {
    at = match($0, name "=\"[^\"]*\"")
    return at ? substr($0, RSTART + length(name) + 2, \
                       RLENGTH - length(name) - 3) : ""
}

function close_test() {
    if (test == "") return
    if (status == "run") {
        passed += cases_passed || cases_skipped ? cases_passed : 1
    } else if (status == "skip") {
        skip(test, reason == "" ? "no reason given" : reason)
    } else { # failed, or could not be started
        failed += cases_failed ? cases_failed : 1
        passed += cases_passed
    }
    test = ""
}

function skip(name, why) {
    skipped++
    list = list "  skipped: " name ": " why "\n"
}

/<testcase / {
    close_test()
    test = attribute("name")
    status = attribute("status")
    reason = ""
    cases_passed = cases_failed = cases_skipped = in_summary = 0
}
/<skipped message="SKIP_/ || status == "disabled" { status = "skip" }
/SKIP: / { reason = $0; sub(/.*SKIP: /, "", reason); sub(/<.*/, "", reason) }
/\[==========\] [0-9]+ test\(s\) run/ { in_summary = 1 }
/\[       OK \] / { cases_passed++ }
/\[  SKIPPED \] / && !in_summary {
    cases_skipped++
    skip(test ": " $NF, reason == "" ? "no reason given" : reason)
}
/\[  FAILED  \] / && !in_summary { cases_failed++ }

END {
    close_test()
    printf "%s", list
    printf "ScanLab: %d tests passed, %d failed, %d skipped\n", \
        passed, failed, skipped
    exit failed > 0 || passed == 0
}
