# SPDX-License-Identifier: MIT
"""canvas.py: a picture as a list of cells, lines and words, in millimetres from
the upper left corner, and what LaTeX (for slides, built step by step) and SVG
(for handouts, all steps at once) make of it."""
import html

PX = 3.9  # of an SVG, for a millimetre: cells are as large as the text wants
# Of cells: fill, border, text. The names are styles of slides/style.tex.
CELLS = {"old": ("#FFFFFF", "#BBBBBB", "#5F5F5F"),
         "new": ("#FFD9B8", "#B34700", "#000000"),
         "half": ("#DCEBF7", "#6C9CC0", "#000000"),
         "zero": ("#F4F4F4", "#DDDDDD", "#999999"),
         "busy": ("#FFFFFF", "#767676", "#000000")}
# Of lines: colour, width in mm, with an arrow?
LINES = {"join": ("#B34700", 0.35, False), "move": ("#999999", 0.25, False),
         "word": ("#B34700", 0.3, True), "axis": ("#BBBBBB", 0.2, False)}
ANCHORS = {"left": ("start", "west"), "right": ("end", "east"),
           "middle": ("middle", "center")}


def number(x):
    """Tenths, as short as can be."""
    text = ("%.1f" % x).removesuffix(".0")
    return "0" if text == "-0" else text


def latex(words):
    for plain, code in (("\\", r"\textbackslash "), ("_", r"\_"), ("#", r"\#"),
                        ("&", r"\&"), ("%", r"\%"), ("µ", r"\textmu "),
                        ("$", r"\$"), ("{", r"\{"), ("}", r"\}")):
        words = words.replace(plain, code)
    return words


class Picture:
    """Items appear at a step, from 1 on, and stay. With `film`, all but words
    and axes are there from the beginning, and each step uncovers them as far
    to the right as it says."""

    def __init__(self, title):
        self.title, self.items, self.film = title, [], []

    def cell(self, step, x, y, w, h, words="", style="old"):
        self.items.append((step, "cell", x, y, w, h, words, style))

    def line(self, step, x0, y0, x1, y1, style):
        self.items.append((step, "line", x0, y0, x1, y1, style))

    def text(self, step, x, y, words, anchor="middle", faint=False):
        self.items.append((step, "text", x, y, words, anchor, faint))

    def size(self):
        xs, ys = [0], [0]
        for _, kind, x, y, *more in self.items:
            w, h = more[:2] if kind == "cell" else (0, 2)
            if kind == "text":
                w = 1.9 * len(more[0]) * {"left": 1, "middle": .5,
                                          "right": 0}[more[1]]
            if kind == "line":
                w, h = more[0] - x, more[1] - y
            xs += [x, x + w]
            ys += [y, y + h]
        return max(xs) + 1, max(ys) + 1

    # ---- LaTeX ----

    @staticmethod
    def tikz(item):
        kind, x, y, *more = item
        at = "(%s,%s)" % (number(x), number(y))
        if kind == "cell":
            w, h, words, style = more
            box = "\\path[pic %s] %s rectangle (%s,%s);" % (
                style, at, number(x + w), number(y + h))
            return box + ("\\node[pic in] at (%s,%s) {%s};" % (
                number(x + w / 2), number(y + h / 2), latex(words))
                if words else "")
        if kind == "line":
            return "\\draw[pic %s] %s -- (%s,%s);" % (
                more[2], at, number(more[0]), number(more[1]))
        words, anchor, faint = more
        return "\\node[pic text,anchor=%s%s] at %s {%s};" % (
            ANCHORS[anchor][1], ",pic faint" if faint else "", at, latex(words))

    def write_tikz(self, to):
        w, h = self.size()
        to.write("\\begin{tikzpicture}[x=1mm,y=-1mm]\n"
                 "\\useasboundingbox (0,0) rectangle (%s,%s);\n"
                 % (number(w), number(h)))
        still = [i for i in self.items if self.film and
                 (i[1] == "text" or i[-1] == "axis")]
        for item in still:
            to.write(self.tikz(item[1:]) + "\n")
        for k, until in enumerate(self.film, 1):
            to.write("\\only<%d>{\\clip (0,-4) rectangle (%s,%s);}\n"
                     % (k, number(until), number(h)))
        step = 1
        for item in sorted((i for i in self.items if i not in still),
                           key=lambda i: i[0]):
            if item[0] != step:
                to.write("%s\\only<%d->{%%\n" % ("}" if step > 1 else "",
                                                 item[0]))
            step = item[0]
            to.write(self.tikz(item[1:]) + "\n")
        to.write("%s\\end{tikzpicture}\n" % ("}" if step > 1 else ""))

    # ---- SVG ----

    @staticmethod
    def svg(item):
        kind, x, y, *more = item
        at = (number(PX * x), number(PX * y))
        if kind == "cell":
            w, h, words, style = more
            box = '<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>' % (
                style, *at, number(PX * w), number(PX * h))
            return box + ('<text class="in %s" x="%s" y="%s">%s</text>' % (
                style, number(PX * (x + w / 2)), number(PX * (y + h / 2) + 4),
                html.escape(words)) if words else "")
        if kind == "line":
            return '<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>' % (
                more[2], *at, number(PX * more[0]), number(PX * more[1]))
        words, anchor, faint = more
        return '<text%s text-anchor="%s" x="%s" y="%s">%s</text>' % (
            ' class="faint"' if faint else "", ANCHORS[anchor][0], at[0],
            number(PX * y + 4), html.escape(words))

    def write_svg(self, to, made_by):
        w, h = self.size()
        w, h = number(PX * w), number(PX * h + 8)
        to.write('<svg xmlns="http://www.w3.org/2000/svg" width="%s" '
                 'height="%s" viewBox="0 -4 %s %s" role="img">\n'
                 "<!-- SPDX-License-Identifier: MIT; %s -->\n"
                 "<title>%s</title>\n<style>\n"
                 "text { font: 13px sans-serif; fill: #000 }\n"
                 ".in { text-anchor: middle } .faint { fill: #5F5F5F }\n"
                 % (w, h, w, h, made_by, html.escape(self.title)))
        for name, (fill, border, ink) in CELLS.items():
            to.write("rect.%s { fill: %s; stroke: %s } text.%s { fill: %s }\n"
                     % (name, fill, border, name, ink))
        for name, (colour, width, arrow) in LINES.items():
            to.write(".%s { stroke: %s; stroke-width: %s%s }\n" % (
                name, colour, number(PX * width),
                "; marker-end: url(#head)" if arrow else ""))
        to.write('</style>\n<defs><marker id="head" viewBox="0 0 6 6" refX="6" '
                 'refY="3" markerWidth="6" markerHeight="6" orient="auto">'
                 '<path d="M0 0L6 3L0 6z" fill="#B34700"/></marker></defs>\n'
                 '<rect y="-4" width="100%" height="100%" fill="#FFF"/>\n')
        for item in self.items:
            to.write(self.svg(item[1:]) + "\n")
        to.write("</svg>\n")
