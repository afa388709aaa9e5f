# SPDX-License-Identifier: MIT
"""start.py FOLDER/main.py NAME=VALUE...: runs main() of a command of scanlab's that is
written in Python, and ends with SAID and its exit status.

Python ends with 0, 1 or 2 of itself as well, where a module cannot be read or there is
no memory; of a grade these say something else. So grader/cli/script.c, which starts
this, takes no status for the command's that is not told this way. What no command
expects ends here, too, in a sentence."""
import os
import sys

SAID = 64
TROUBLE = 2
OLDEST = 3, 9  # of Python


def sentence(why):
    """In one line, with the place where it was."""
    at = why.__traceback__
    while at.tb_next:
        at = at.tb_next
    place = f"{os.path.basename(at.tb_frame.f_code.co_filename)}:{at.tb_lineno}"
    text = f"{type(why).__name__}: {why}".replace("\n", " ")[:400]
    return "".join(c if c.isprintable() else "?" for c in text) + f" ({place})"


def run(path):
    """The exit status of one command."""
    folder = os.path.dirname(path)
    called = os.path.basename(folder)
    try:
        if sys.version_info < OLDEST:
            sys.exit("Python %d.%d is too old: 3.9 or newer is needed" % sys.version_info[:2])
        sys.path.insert(0, folder)
        try:
            __import__("main").main()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        why = str(end.code)
    except KeyboardInterrupt:
        return 130
    except BaseException as trouble:
        why = sentence(trouble)
    print(f"scanlab {called}: {why}", file=sys.stderr, flush=True)
    return TROUBLE


if __name__ == "__main__":
    name = sys.argv.pop(1)
    status = run(name)
    sys.exit(status if status > 127 else SAID + status)
