#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_page.py FOLDER: the pages that test_html.c left there are HTML5, load
nothing, have a policy that fits what stands in them, have the same markup
whatever words are in them, the text report where scripts are stripped, grades as
the schema says, and colours that can be told apart."""
import base64
import hashlib
import json
import pathlib
import re
import sys

# Debian's, also for another Python (tools/packages.txt, "pure").
sys.path.append("/usr/lib/python3/dist-packages")
try:
    import html5lib
except ImportError as why:
    print(f"SKIP: {why} (Debian: python3-html5lib)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/tools"), str(ROOT / "tools")]
import grade_schema  # noqa: E402
import page_data  # noqa: E402

ASSETS = ROOT / "grader/report/html"
PICTURE = "data:image/svg+xml;base64,"  # the policy says where there may be some
SAFE = re.compile(r"#[\w-]+$")


def require(holds, what):
    if not holds:
        sys.exit(what)


def parsed(page):
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    return parser.parse(page.read_bytes())


def policy_fits(name, tree, **more):
    """more: img_src="data:", what a page is allowed besides."""
    metas = [m.get("content") for m in tree.iter("meta")
             if m.get("http-equiv") == "Content-Security-Policy"]
    require(len(metas) == 1, f"{name}: {len(metas)} policies")
    rules = dict(rule.strip().split(" ", 1) for rule in metas[0].split(";"))
    wanted = {"default-src": {"'none'"}, "base-uri": {"'none'"},
              "form-action": {"'none'"}, "style-src": set(),
              "script-src": set()} | {
                  rule.replace("_", "-"): {of} for rule, of in more.items()}
    for element in ("style", "script"):
        for one in tree.iter(element):
            if one.get("type") == "application/json":
                continue
            digest = hashlib.sha256(one.text.encode()).digest()
            wanted[f"{element}-src"].add(
                f"'sha256-{base64.b64encode(digest).decode()}'")
    if any("fetch(" in (e.text or "") for e in tree.iter("script")):
        wanted["connect-src"] = {"'self'"}  # the server that shows it
    have = {rule: set(value.split()) for rule, value in rules.items()}
    require(have == wanted, f"{name}: policy {have}, expected {wanted}")


def loads_nothing(name, tree):
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    require(len(ids) == len(set(ids)), f"{name}: an id stands twice")
    for e in tree.iter():
        for key, value in e.items():
            require(key != "style" and not key.startswith("on"),
                    f"{name}: {e.tag} has the attribute {key}")
            if e.tag == "img" and value.startswith(PICTURE):
                continue
            if key in ("href", "src", "action", "data", "srcset", "poster"):
                require(SAFE.match(value) and value[1:] in ids,
                        f"{name}: {e.tag} {key}={value}")
        require(e.tag not in ("link", "iframe", "object", "embed",
                              "base", "form"), f"{name}: <{e.tag}>")


def shape(tree):
    """Elements and attributes, without words."""
    return [(e.tag, tuple(sorted(e.keys()))) for e in tree.iter()]


# ---- what stands in a page ----

def same_in_words(name, text):
    """Where scripts are stripped, the text report says what failed and how many
    points there are."""
    words, grade = page_data.without_scripts(text), page_data.data(text)
    labs = grade["labs"]
    wanted = [lab["id"] for lab in labs] + ([str(grade["score"])] if labs else [])
    wanted += [check["id"] for lab in labs for check in lab["checks"]
               if check["view"]["verdict"] == "fail" and not lab["build_error"]]
    for word in wanted:
        require(word in words, f"{name}: {word} is not in the text")


def follows_the_schema(folder):
    grades = []
    for page in sorted(folder.glob("*.html")):
        grade = page_data.data(page.read_text())
        if "labs" in grade and grade["labs"]:
            grades.append(page.with_suffix(".json"))
            grades[-1].write_text(json.dumps(grade))
    require(len(grades) >= 5, f"{len(grades)} grades in pages")
    require(grade_schema.validate(grades), "grades in pages are not as the schema says")


# ---- colours ----

def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= .04045 else ((p + .055) / 1.055) ** 2.4
              for p in parts]
    return .2126 * linear[0] + .7152 * linear[1] + .0722 * linear[2]


def contrast(a, b):
    """WCAG 2.2, "contrast ratio"."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + .05) / (low + .05)


def colours_differ():
    sheets = "".join(p.read_text() for p in sorted(ASSETS.glob("*.css")))
    pairs = re.findall(r"--(\w+)-(\w+): light-dark\((#\w{6}), (#\w{6})\);",
                       sheets)
    rest = re.sub(r"--\w+-\w+: light-dark\([^)]*\);|/\*.*?\*/", "", sheets,
                  flags=re.S)
    found = re.findall(r"#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(|:\s*(?:white|"
                       r"black|red|green|blue|gr[ae]y)\b", rest)
    require(not found, f"colours outside of the first rule: {found}")
    used = set(re.findall(r"var\(--([\w-]+)\)", sheets))
    known = {f"{kind}-{name}" for kind, name, *_ in pairs}
    require(used == known, f"colours used and given: {used ^ known}")
    least = {"text": 4.5, "shape": 3}
    surfaces = [p for p in pairs if p[0] == "surface"]
    worst = {}
    for kind, name, *both in pairs:
        for _, surface, *behind in surfaces if kind in least else []:
            for theme, a, b in zip(("light", "dark"), both, behind):
                ratio = contrast(a, b)
                worst[kind] = min(ratio, worst.get(kind, 99))
                require(ratio >= least[kind],
                        f"{theme}: {kind}-{name} on {surface}: {ratio:.2f}")
    print("least contrast:", {k: round(v, 2) for k, v in worst.items()})


def scripts_make_no_markup():
    for path in ASSETS.glob("*.js"):
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "eval(",
                     "document.write", "Function(", "fetch(", "XMLHttp",
                     "import(", "http:", "https:", "DOMParser", "Fragment(",
                     ".style", "srcdoc="):
            text = path.read_text().replace('"http://www.w3.org/2000/svg"', "")
            if path.name == "live.js":  # asks its own address
                text = text.replace("fetch(location.pathname,", "", 1)
            require(word not in text, f"{path}: {word}")


def words_are_listed():
    """What scripts say is what page_words.def lists, so that it is translated."""
    listed = re.findall(r'^X\("(.*)"\)$', (ROOT / "grader/report/page_words.def")
                        .read_text(), re.M)
    said = set()
    for path in [*ASSETS.glob("*.js"), ROOT / "web/page/recorded.js"]:
        text = path.read_text()
        found = re.findall(r'\b_\("((?:[^"\\]|\\.)*)"\)', text)
        require(len(found) == len(re.findall(r"\b_\(", text)),
                f"{path}: an argument of _() is no literal")
        said.update(found)
    require(sorted(said) == sorted(listed),
            f"page_words.def and html/: {said ^ set(listed)}")


def main():
    folder = pathlib.Path(sys.argv[1])
    trees = {p.stem: parsed(p) for p in folder.glob("*.html")}
    require(len(trees) >= 5, f"{len(trees)} pages in {folder}")
    for name, tree in trees.items():
        policy_fits(name, tree)
        loads_nothing(name, tree)
        text = (folder / f"{name}.html").read_text()
        require(not re.search("https?:", text.replace("http://www.w3.org/2000/svg", "")),
                f"{name}: names an address")
        require(("fetch(" in text) == (name in ("live", "waiting")),
                f"{name}: asks for pages")
        if not name.startswith("source-"):
            same_in_words(name, text)
    for kind in "", "source-", "pictures-":
        plain, hostile = trees[f"{kind}plain"], trees[f"{kind}hostile"]
        require(shape(plain) == shape(hostile), "words have changed the markup")
        text = (folder / f"{kind}hostile.html").read_text()
        for shown in "".join(page_data.texts(page_data.data(text))), page_data.without_scripts(text):
            require("</script><script>alert(1)</script>" in shown,
                    f"{kind}hostile words are not shown as they are")
    follows_the_schema(folder)
    colours_differ()
    scripts_make_no_markup()
    words_are_listed()


if __name__ == "__main__":
    main()
