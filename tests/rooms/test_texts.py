#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""test_texts.py ROOT: no program searches the words of a compiler, a submission or
a tool for what they could mean, but where ALLOWED says why that decides nothing.

In C each search of a text counts in the rooms that judge, whatever it searches;
in Python each that reads a name that holds what a process or an exception said.
At last the lines that once did it are put in, and have to be found."""
import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
C_ROOMS = ("grader/judge", "grader/runner", "grader/cli", "grader/walls")
PYTHON_ROOMS = ("tools/class", "tools/gradebook", "tools/stats", "kits")
SEARCH = re.compile(r"\b(strstr|strcasestr|memmem|regexec|fnmatch|strpbrk)\s*\(")
FUNCTION = re.compile(r"^(?!static const|struct|enum|typedef)[a-z][\w *]*?\b(\w+)\(", re.M)
# Names that hold what somebody else has said.
SAID = re.compile(r"said|stderr|stdout|output|errors?|why|last|done|message|fault")
SEARCHES = {"search", "match", "fullmatch", "findall", "finditer", "find", "index",
            "startswith", "endswith", "count", "rfind", "partition", "split"}

# file: {function: why the words that it searches decide nothing}
ALLOWED = {
    "grader/judge/changed.c": {
        "bar_lines": "which small changes are left out of a build that is made to try them; "
                     "the verdict stands",
        "find_places": "the bytes of a library that was built here"},
    "grader/judge/changes_signs.c": {
        "asks_for_error": "the source: which small changes are tried, behind the verdict"},
    "grader/judge/compile_job.c": {
        "has_function": "the source: which other file may be meant; it has no points either way",
        "misses_unit": "the source, not what a compiler says: may it include another lab's?"},
    "grader/judge/compile_words.c": {
        "cuda_words": "the source: is a header left out at first, and put back if need be?",
        "has_device_lambda": "the source: an option of nvcc's; one too many costs time"},
    "grader/judge/compiler_says.c": {
        "remove_part": "takes our folders' names out of a message that is shown",
        "without_repeats": "shows a warning once",
        "lacks_intrinsic": "adds a true line about --arch to a message that is shown anyway",
        "met_a_limit": "adds a true line about bounds to a message that is shown anyway"},
    "grader/judge/explain.c": {
        "heap_words": "quotes glibc beside a crash that the signal has decided",
        "explain_signal": "chooses the words beside that quotation",
        "stop_failed": "puts a source's name in the place of our path in what is shown"},
    "grader/judge/place.c": {
        "first_in_source": "which line of the source is shown beside a failure"},
    "grader/judge/c_tokens.c": {
        "c_behind_words": "the source: where a comment ends, for lines that are shown"},
    "tools/class/gradebook.py": {
        "write_feedback": "a dictionary of ours: which reports are written"},
    "tools/class/slurm.py": {
        "jobs": "squeue's states, one word a job, of Slurm and not of a submission"},
    "tools/class/unpack.py": {
        "yaml_list": "the first line of a reason that is shown"},
}

# The lines that once decided: room, a function around them.
ONCE = (
    ("c", '} else if (c->output.bytes && strstr(c->output.bytes, strerror(ENOSPC))) {'),
    ("c", 'if (output && strstr(output, "cub/") && strstr(output, "No such file")) {'),
    ("c", 'if (!records[i].kernel || !strstr(records[i].kernel, marks[k]))'),
    ("c", 'for (const char *at = source; !found && (at = strstr(at, "include"));) {'),
    ("c", 'strstr(said, text_base(own->files[i].name)))'),
    ("py", 'if any(sentence in said for sentence in FULL): pass'),
    ("py", 'if any(sentence in why for sentence in FULL): pass'),
    ("py", 'if b"No space left" in errors or b"Disk quota" in errors: pass'),
    ("py", 'if "No space left" in str(why): pass'),
    ("py", 'if "disk is full" in str(why) or "disk I/O" in str(why): pass'),
    ("py", 'if done.returncode or done.stderr.strip(): pass'),
    ("py", 'if re.search("No space", done.stderr): pass'),
)


def bare(text):
    """Without comments and strings; as long as it was."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"',
                  lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)


def in_c(text):
    """(line, function) of each search."""
    text = bare(text)
    for found in SEARCH.finditer(text):
        before = [m[1] for m in FUNCTION.finditer(text, 0, found.start())]
        yield text.count("\n", 0, found.start()) + 1, before[-1] if before else ""


def holds_said(node):
    return any(isinstance(n, ast.Name) and SAID.fullmatch(n.id) or
               isinstance(n, ast.Attribute) and SAID.fullmatch(n.attr)
               and n.attr in ("stderr", "stdout", "output") for n in ast.walk(node))


def decides(test):
    """A truth that depends on words: done.stderr.strip() in an if."""
    return any(isinstance(n, ast.Attribute) and n.attr in ("stderr", "stdout")
               for n in ast.walk(test))


def searches(node):
    if isinstance(node, ast.Compare):
        return any(isinstance(op, (ast.In, ast.NotIn)) and holds_said(right) and
                   not (isinstance(node.left, ast.Constant) and isinstance(right, ast.Name)
                        and right.id == "answer")
                   for op, right in zip(node.ops, node.comparators))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and \
            node.func.attr in SEARCHES:
        is_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        return any(holds_said(n) for n in (node.args if is_re else [node.func.value]))
    return isinstance(node, (ast.If, ast.IfExp)) and decides(node.test)


def in_python(text):
    def walk(node, function):
        for child in ast.iter_child_nodes(node):
            name = child.name if isinstance(child, ast.FunctionDef) else function
            if searches(child):
                yield child.lineno, name
            yield from walk(child, name)
    yield from walk(ast.parse(text), "")


def files():
    for room in C_ROOMS:
        yield from sorted((ROOT / room).glob("*.c"))
    for room in PYTHON_ROOMS:
        yield from sorted((ROOT / room).glob("*.py"))


def main():
    complaints, used = [], set()
    for path in files():
        name = str(path.relative_to(ROOT))
        find = in_c if path.suffix == ".c" else in_python
        for line, function in find(path.read_text(encoding="utf-8")):
            if function in ALLOWED.get(name, {}):
                used.add((name, function))
            else:
                complaints.append(f"{name}:{line}: {function or 'the file'} searches what "
                                  "somebody has said; decide by errno, a status or a list, or "
                                  "say in ALLOWED why it decides nothing")
    for name, functions in ALLOWED.items():
        complaints += [f"ALLOWED: {name}: {function} searches nothing any more"
                       for function in functions if (name, function) not in used]
    for kind, line in ONCE:
        text = f"static void f(void)\n{{\n{line}\n}}\n" if kind == "c" else \
            f"def f():\n    {line}\n"
        if not list((in_c if kind == "c" else in_python)(text)):
            complaints.append(f"not found: {line}")
    print("\n".join(complaints) or f"{len(used)} searches, each with its reason")
    return bool(complaints)


sys.exit(main())
