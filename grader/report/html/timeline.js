// SPDX-License-Identifier: MIT
//
// timeline.js: what the blocks of a launch did when, in model time: a row for
// each block, what one of its warps waits for, messages between blocks as
// arrows. A wait that is chosen, by mouse or keys, shows its line and what that
// line counted.

const TIMELINE = {left: 84, width: 1000, row: 16, head: 22, most: 1000};

// Classes of what a warp waits for; all others are one.
const timelineClass = (name) => ({issue: "runs", message: "message",
    barrier: "barrier", dram: "memory", l2: "memory", l1: "memory",
    bandwidth: "memory", atomic: "memory"})[name] ?? "else";
const timelineLegend = [["runs", "runs"], ["message", "waits for another block"],
    ["barrier", "waits at a barrier"], ["memory", "waits for memory"],
    ["else", "waits for something else"]];

const timelineTime = (ns) => ns >= 10000 ? `${(ns / 1000).toFixed(1)} us` : `${ns} ns`;

// A number that a scale may have: 1, 2 or 5 times a power of ten.
const timelineStep = (span) => {
    const rough = span / 6, power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 5, 10].find((k) => k * power >= rough);
};

class Timeline {
    constructor(t, lineOf) {
        this.t = t;
        this.lineOf = lineOf;
        this.end = Math.max(1, ...t.blocks.map(([, , , , to]) => to));
        this.from = 0;
        this.to = this.end;
        this.waits = t.phases.map((p, i) => [i, p]).filter(
            ([, [, , , cause]]) => t.causes[cause][0] !== "issue");
        this.chosen = null;
        this.atLine = new Map();
        for (const [i, [, , , , file, line]] of this.waits)
            this.atLine.set(`${t.files[file]}:${line}`,
                [...this.atLine.get(`${t.files[file]}:${line}`) ?? [], i]);
    }

    // From a line to what waits there; again: to the next one.
    wayBack(file, line) {
        const list = this.atLine.get(`${file}:${line}`);
        if (!list) return null;
        const link = el("a", {class: "way-back", href: "#timeline"},
            list.length === 1 ? "1 wait in the timeline"
                              : `${list.length} waits in the timeline`);
        link.addEventListener("click", (event) => {
            event.preventDefault();
            this.choose(list[(list.indexOf(this.chosen) + 1) % list.length]);
            this.board.focus();
            this.board.scrollIntoView({block: "nearest"});
        });
        return link;
    }

    x(ns) {
        return TIMELINE.left + (ns - this.from) / (this.to - this.from) *
            TIMELINE.width;
    }

    // What lies outside the picture is cut off.
    span(from, to) {
        const a = Math.max(this.x(from), TIMELINE.left);
        const b = Math.min(this.x(to), TIMELINE.left + TIMELINE.width);
        return b > a ? {x: a.toFixed(1), width: Math.max(b - a, .8).toFixed(1)}
                     : null;
    }

    y(row) {
        return TIMELINE.head + row * TIMELINE.row;
    }

    scale() {
        const step = timelineStep(this.to - this.from), marks = [];
        for (let at = Math.ceil(this.from / step) * step; at <= this.to; at += step)
            marks.push(svg("text", {class: "scale", x: this.x(at), y: 12},
                           step < 1000 ? `${Math.round(at)} ns` : `${at / 1000} us`),
                       svg("line", {class: "scale", x1: this.x(at), x2: this.x(at),
                                    y1: 16, y2: this.y(this.t.blocks.length)}));
        return marks;
    }

    rows() {
        return this.t.blocks.map(([block, , , from, to], row) => {
            const place = this.span(from, to);
            return [svg("text", {class: "name", x: 4, y: this.y(row) + 12},
                        `block ${block}`),
                    place && svg("rect", {class: "block", ...place,
                                          y: this.y(row) + 1,
                                          height: TIMELINE.row - 2})];
        });
    }

    phases() {
        const {causes, phases} = this.t;
        return phases.map(([row, from, to, cause], i) => {
            const place = this.span(from, to);
            return place && svg("rect", {
                class: `phase ${timelineClass(causes[cause][0])}` +
                    (i === this.chosen ? " chosen" : ""),
                "data-phase": i, ...place, y: this.y(row) + 3,
                height: TIMELINE.row - 6});
        });
    }

    arrows() {
        return this.t.arrows.map(([a, from, b, to]) => {
            if (to < this.from || from > this.to) return null;
            const [x1, x2] = [this.x(from), this.x(to)];
            const y1 = this.y(a) + TIMELINE.row / 2, y2 = this.y(b) + TIMELINE.row / 2;
            const up = y2 < y1 ? 4 : -4;
            return svg("g", {class: "arrow"},
                svg("line", {x1, y1, x2, y2}),
                svg("polygon", {points: `${x2},${y2} ${x2 - 3},${y2 + up} ` +
                                        `${x2 + 3},${y2 + up}`}));
        });
    }

    draw() {
        const {left, width} = TIMELINE, height = this.y(this.t.blocks.length) + 2;
        this.board.replaceChildren(svg("svg", {
            viewBox: `0 0 ${left + width + 8} ${height}`, role: "img",
            "aria-label": `${this.t.blocks.length} blocks, ` +
                `${timelineTime(Math.round(this.from))} to ` +
                timelineTime(Math.round(this.to))},
            svg("clipPath", {id: "timeline-clip"}, svg("rect", {
                x: left, y: 0, width, height})),
            this.scale(), this.rows(), this.phases(),
            svg("g", {"clip-path": "url(#timeline-clip)"}, this.arrows())));
    }

    // The window stays within the launch.
    show(from, to) {
        const size = Math.min(Math.max(to - from, 20), this.end);
        this.from = Math.min(Math.max(from, 0), this.end - size);
        this.to = this.from + size;
        this.draw();
    }

    zoom(factor) {
        const at = this.chosen === null ? (this.from + this.to) / 2
            : (this.t.phases[this.chosen][1] + this.t.phases[this.chosen][2]) / 2;
        const size = (this.to - this.from) * factor;
        this.show(at - size / 2, at + size / 2);
    }

    move(part) {
        const by = (this.to - this.from) * part;
        this.show(this.from + by, this.to + by);
    }

    choose(i) {
        const [row, from, to, cause, file, line] = this.t.phases[i];
        const [block, sm, warp] = this.t.blocks[row];
        const [name, words] = this.t.causes[cause];
        const place = file >= 0 && line > 0 && `${this.t.files[file]}:${line}`;
        this.chosen = i;
        if (to < this.from || from > this.to)
            this.move((from - this.from) / (this.to - this.from) - .5);
        this.draw();
        this.said.replaceChildren(
            `Block ${block} on SM ${sm}, warp ${warp}: `,
            name === "issue" ? "runs" : `waits for: ${words}`,
            `, ${timelineTime(to - from)}, from ${timelineTime(from)} on`,
            place ? `, ${place}.` : ".");
        this.line.replaceChildren(...[place && this.lineOf(this.t.files[file], line)]
            .filter(Boolean));
    }

    // The next wait of the row, or the nearest one of another row.
    step(along, across) {
        if (!this.waits.length) return;
        if (this.chosen === null) return this.choose(this.waits[0][0]);
        const [row, from] = this.t.phases[this.chosen];
        const before = ([, [r, f]]) => across ? (r - row) * across > 0
            : r === row && (f - from) * along > 0;
        const far = ([, [r, f]]) => Math.abs(r - row) * 1e9 + Math.abs(f - from);
        const best = this.waits.filter(before).sort((a, b) => far(a) - far(b))[0];
        if (best) this.choose(best[0]);
    }

    key(event) {
        const does = {ArrowRight: () => this.step(1, 0), ArrowLeft: () => this.step(-1, 0),
            ArrowDown: () => this.step(0, 1), ArrowUp: () => this.step(0, -1),
            "+": () => this.zoom(.5), "-": () => this.zoom(2),
            Home: () => this.show(0, this.end)}[event.key];
        if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
        does();
        event.preventDefault();
    }

    elements() {
        const button = (words, name, does) => {
            const one = el("button", {type: "button", "aria-label": name}, words);
            one.addEventListener("click", does);
            return one;
        };
        const {blocks, left_out: [blocksOut, phasesOut, arrowsOut]} = this.t;
        this.board = el("div", {class: "timeline-board", tabindex: 0, role: "group",
            "aria-label": "Timeline: arrow keys choose a wait, plus and minus zoom"});
        this.said = el("p", {class: "timeline-said", role: "status"},
            "Choose a wait: its line and what that line counts stand here.");
        this.line = el("div", {});
        this.board.addEventListener("keydown", (event) => this.key(event));
        this.board.addEventListener("click", ({target}) => {
            const i = target.closest("[data-phase]")?.dataset.phase;
            if (i !== undefined) this.choose(Number(i));
        });
        this.draw();
        const out = [[blocksOut, "blocks"], [phasesOut, "phases"], [arrowsOut, "messages"]]
            .filter(([n]) => n).map(([n, words]) => `${n} ${words}`).join(", ");
        return el("section", {class: "timeline", id: "timeline"},
            el("h2", {}, "Timeline"),
            note(`Launch ${this.t.launch}, ${this.t.kernel}: ${blocks.length} blocks, ` +
                 `${timelineTime(this.end)} of model time; of each block the warp that ` +
                 "waits longest. Arrows are words that one block stores and another reads."),
            el("div", {class: "turn"}, button("+", "zoom in", () => this.zoom(.5)),
                button("−", "zoom out", () => this.zoom(2)),
                button("‹", "earlier", () => this.move(-.5)),
                button("›", "later", () => this.move(.5)),
                button("all", "show all", () => this.show(0, this.end))),
            el("ul", {class: "timeline-legend"}, timelineLegend.map(([cls, words]) =>
                el("li", {}, svg("svg", {viewBox: "0 0 16 10", "aria-hidden": "true"},
                    svg("rect", {class: `phase ${cls}`, width: 16, height: 10})),
                   ` ${words}`))),
            this.board, this.said, this.line, out && note(`Left out: ${out}.`));
    }
}
