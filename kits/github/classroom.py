# SPDX-License-Identifier: MIT
"""classroom.py GRADE.json: the points of a grade as a step's output `result`, for the
action classroom-resources/autograding-grading-reporter, which reads base64 of

    {"version": 1, "status": "pass" | "fail" | "error", "max_score": 100,
     "tests": [{"name", "status", "score", "message", "line_no",
                "test_code", "filename", "execution_time"}]}

and adds up the tests' scores (docs/running-a-course.md, GitHub)."""
import base64
import json
import os
import sys

VERDICTS = {"pass": "pass", "fail": "fail", "skip": "fail"}


def test(lab, check):
    return {"name": f"{lab['id']} {check['id']}: {check['title']}",
            "status": VERDICTS.get(check["status"], "error"), "score": check["score"],
            "message": None if check["status"] == "pass" else check["message"],
            "test_code": "", "filename": "", "line_no": 0, "execution_time": None}


def result(grade):
    tests = [test(lab, check) for lab in grade["labs"] for check in lab["checks"]]
    return {"version": 1, "status": "pass" if all(t["status"] == "pass" for t in tests)
            else "fail", "max_score": grade["max_score"], "tests": tests}


def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            found = result(json.load(file))
    except (OSError, ValueError, KeyError) as why:  # the grader's fault, and no 0 points
        found = {"version": 1, "status": "error", "tests": [{
            "name": "ScanLab", "status": "error", "score": 0, "test_code": "", "filename": "",
            "line_no": 0, "execution_time": None,
            "message": f"there is no grade: {type(why).__name__}"}]}
    text = base64.b64encode(json.dumps(found).encode()).decode()
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="ascii") as out:
        out.write(f"result={text}\n")


if __name__ == "__main__":
    main()
