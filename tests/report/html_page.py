#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""html_page.py FOLDER: the pages that test_html.c left there are HTML5, load
nothing, have a policy that fits what stands in them, have the same markup
whatever words are in them, and colours that can be told apart."""
import base64
import hashlib
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
    if any(e.get("id") == "live" for e in tree.iter()):
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
    """Elements and attributes, without words; what words may change are the
    lines of a source and the titles' own values."""
    return [(e.tag, tuple(sorted(e.keys()))) for e in tree.iter()
            if not (e.get("class") or "").startswith("line")]


def words_of(tree, element, cls):
    return ["".join(e.itertext()) for e in tree.iter(element)
            if e.get("class") == cls]


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
                     "import(", "http:", "https:"):
            text = path.read_text()
            if path.name == "live.js":  # asks its own address
                text = text.replace("fetch(location.pathname,", "", 1)
            require(word not in text, f"{path}: {word}")


def main():
    folder = pathlib.Path(sys.argv[1])
    trees = {p.stem: parsed(p) for p in folder.glob("*.html")}
    require(len(trees) >= 5, f"{len(trees)} pages in {folder}")
    for name, tree in trees.items():
        policy_fits(name, tree)
        loads_nothing(name, tree)
        text = (folder / f"{name}.html").read_text()
        require(not re.search("https?:", text), f"{name}: names an address")
        require(("fetch(" in text) == (name in ("live", "waiting")),
                f"{name}: asks for pages")
    for kind in "", "source-":
        plain, hostile = trees[f"{kind}plain"], trees[f"{kind}hostile"]
        require(shape(plain) == shape(hostile), "words have changed the markup")
        shown = "".join(hostile.itertext())
        require("</script><script>alert(1)</script>" in shown,
                "hostile words are not shown as they are")
    colours_differ()
    scripts_make_no_markup()


if __name__ == "__main__":
    main()
