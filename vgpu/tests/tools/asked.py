# SPDX-License-Identifier: MIT
"""What the environment asks of tests: SCANLAB_TEST, words with "," between them.

  all                      whole labs and all seeds, as at night
  seed=N                   this seed, in the place of the case's
  seeds=N, seeds=FROM-TO   no usual run of a submission, but these seeds (1 to N)
  only=WORD                of a test that grades many cases those whose names hold
                           the word
  group                    a test of control groups fails where it would be skipped

Another word ends the test: one that is misspelled must not pass as usual."""
import os
import sys

HAS_VALUE = {"all": False, "group": False, "seed": True, "seeds": True, "only": True}


def words():
    """{word: its value}"""
    found = {}
    for text in filter(None, os.environ.get("SCANLAB_TEST", "").split(",")):
        word, _, value = text.partition("=")
        if HAS_VALUE.get(word) is not bool(value):
            sys.exit(f"SCANLAB_TEST: {text!r} is none of its words, which are "
                     "all, group, seed=N, seeds=N, seeds=FROM-TO, only=WORD")
        found[word] = value
    return found


def everything():
    return "all" in words()


def value(word, default=None):
    return words().get(word, default)
