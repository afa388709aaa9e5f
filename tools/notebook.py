# SPDX-License-Identifier: MIT
"""A lab as an assignment of nbgrader: a notebook (nbformat 4.4) whose cells have nbgrader's
metadata of schema 3. For kit.py.

The handout is text; the stub a cell that writes the file (`%%writefile`), which is the
student's and has no metadata, so that nbgrader leaves it alone; then, for each check with
points, a locked cell that is graded: its last value is the points, which nbgrader takes as
partial credit. A question of the handout is a cell that is marked by hand."""
import json
import re

QUESTION_POINTS = 2


def cell(kind, text, **nbgrader):
    made = {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
    if kind == "code":
        made |= {"execution_count": None, "outputs": []}
    if nbgrader:
        made["metadata"]["nbgrader"] = {
            "schema_version": 3, "grade": False, "solution": False, "locked": False,
            "task": False, **nbgrader}
    return made


def parts_of(page):
    """The handout up to its questions, and these, each as text."""
    before, _, rest = page.partition("\n## Questions\n")
    asked = re.split(r"(?m)^\d+\. ", rest.split("\n## ", 1)[0])[1:]
    return before.strip() + "\n", [" ".join(text.split()) for text in asked]


def notebook(lab, source, stub, page, program, checks):
    """checks: [(id, title, points)]; program: the code that grades."""
    before, asked = parts_of(page)
    cells = [cell("markdown", before),
             cell("code", program, locked=True, grade_id=f"{lab}-grader"),
             cell("code", f"%%writefile {source}\n{stub}")]
    for id, title, points in checks:
        if points:
            cells.append(cell("code", f"# {title}\npoints(\"{id}\")", grade=True, locked=True,
                              grade_id=f"{lab}-{id}", points=points))
    for number, text in enumerate(asked, 1):
        cells.append(cell("markdown", f"Question {number}. {text}"))
        cells.append(cell("markdown", "*Your answer*", grade=True, solution=True,
                          grade_id=f"{lab}-question-{number}", points=QUESTION_POINTS))
    return json.dumps({"cells": cells, "metadata": {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 4},
        indent=1, ensure_ascii=False) + "\n"
