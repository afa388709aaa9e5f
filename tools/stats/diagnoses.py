# SPDX-License-Identifier: MIT
"""What went wrong, in the sentences of the grader's tables (*.def), without the
values that a report puts in."""
import os
import re

STRING = r'"((?:[^"\\]|\\.)*)"'
NAMED = {"symbol": "the function", "source": "the source"}
OTHERS = {  # kinds that no table has
    "difference": "The output is wrong, in no way that has a name.",
    "ratio": "Slower than asked.",
    "refused": "It asked the system for what a submission may not have."}


def blanked(sentence):
    """Parts that a value may leave out go, values become dots."""
    sentence = re.sub(r"<[^<>]*>", "", sentence)
    for how, one in re.findall(r"({\w+\?([^|{}]*)\|[^{}]*})", sentence):
        sentence = sentence.replace(how, one)
    sentence = re.sub(r"{\w+:-}", "", sentence)  # a value that no sentence has
    sentence = re.sub(r"{(\w+)[^{}]*}", lambda m: NAMED.get(m[1], "\u2026"), sentence)
    return sentence.lstrip(":; ").replace("\u2026..\u2026", "\u2026").replace(" (\u2026)", "")


def ended(sentence):
    return sentence[:1].upper() + sentence[1:] + "." * (sentence[-1:] not in ".?!\u2026")


class Sentences:
    def __init__(self, root):
        def table(name, pattern):
            with open(os.path.join(root, name), encoding="utf-8") as file:
                return re.findall(pattern, file.read(), re.M)
        include = "vgpu/include/"
        self.findings = {id: said for id, said in table(
            include + "vgpu_findings.def", rf"^KIND\(\w+, {STRING}, \w+, \w+, {STRING},")}
        self.counters = {id: said for id, said in table(
            include + "vgpu_counters.def", rf"^X\(\w+, {STRING}, \w+, {STRING}\)")}
        self.facts = {}
        facts = "grader/contract/facts.def"
        causes = dict(table(facts, rf"^#define (\w+) {STRING}"))
        for id, said, cause in table(facts, rf"^X\(\w+, {STRING}, {STRING}, (.*)\)$"):
            cause = causes.get(cause, cause.strip('"'))
            if said and id not in self.facts:
                self.facts[id] = blanked(said), "" if "{" in cause else cause

    def of(self, diagnosis):
        """(what happened, why as a rule or ""). Ids that no table has say nothing:
        somebody else may have written the ledger."""
        kind, name = diagnosis
        if kind == "finding" and name in self.findings:
            return ended(self.findings[name]), ""
        if kind == "bound" and name in self.counters:
            return f"Too many or too few {name}: {self.counters[name]}.", ""
        fact = self.facts.get(name if kind == "difference" else kind)
        if fact:
            return ended(fact[0]), fact[1]
        return OTHERS.get(kind, "Something else."), ""
