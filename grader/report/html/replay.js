// SPDX-License-Identifier: MIT
//
// replay.js: a call, moment by moment: its code on the left, cells and threads
// on the right, below them a slider over the moments, and the numbers of the
// steps. Where the recording has the same call in another order, a switch
// chooses between the two. It opens at the guilty read. Arrow keys move, p plays.

const PLAY_MS = 450, MOST_WRONG = 4;

// ---- the board: cells above, the threads that act below ----

const HIGH = 34, GAP = 30, NAME = 18, LEAST = 3, MOST = 16;
// A cell is as wide as the longest number; long numbers are printed smaller.
const LEAST_CELL = 46, MOST_CELL = 92, SHORT = 6, SMALL_SIGN = 5.5, SIGN = 7.3;
const cellWidth = ({longest}) => longest <= SHORT ? LEAST_CELL
    : Math.min(MOST_CELL, Math.max(LEAST_CELL, 10 + longest * SMALL_SIGN));

// Names in lines: as many in each as fit.
const lineUp = (names, width) => names.reduce((lines, name) => {
    const last = lines.at(-1);
    if (last && (last.length + name.length + 2) * SIGN < width)
        lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(name);
    return lines;
}, []);

// Places of cells and threads, `columns` in a row. Of arrays that nobody touches
// in this step, or that hold nothing yet, the names alone are shown, so that
// threads stand near what they use.
const boardLayout = (run, at, columns) => {
    const cells = new Map(), names = [], moment = run.moments[at];
    const wide = cellWidth(run), width = columns * wide + 4;
    const used = new Set(run.usedIn.get(moment[0].frame));
    if (run.guilty?.at === at && run.guilty.seen)
        used.add(run.guilty.seen.array);
    const held = heldAfter(run, at);
    const hasAny = (array, list) => moment.some((e) => e.array === array) ||
        list.some((cell) => held.has(cellKey(array, cell)));
    const nameAt = (name, y) => names.push({name, y: y + 12});
    let y = 4, unused = [];
    const nameUnused = () => {
        for (const line of lineUp(unused, width)) {
            nameAt(`${line} \u2026`, y);
            y += NAME;
        }
        unused = [];
    };
    for (const {array, name, cells: list} of run.rows) {
        if (!used.has(array) || !hasAny(array, list)) {
            unused.push(name);
            continue;
        }
        nameUnused();
        nameAt(name, y);
        y += NAME;
        list.forEach((cell, i) => cells.set(cellKey(array, cell), {
            array, cell, wide, x: 2 + (i % columns) * wide,
            y: y + Math.floor(i / columns) * HIGH}));
        y += Math.ceil(list.length / columns) * HIGH + 8;
    }
    nameUnused();
    const threads = new Map();
    y += GAP;
    if (moment[0].what !== HOST)
        [...new Set(moment.map((e) => e.thread))].forEach((thread, i) =>
            threads.set(thread, {wide, x: 2 + (i % columns) * wide,
                                 y: y + Math.floor(i / columns) * (HIGH + 6)}));
    y += Math.max(1, Math.ceil(threads.size / columns)) * (HIGH + 6);
    names.push({name: moment[0].what === HOST ? _("the host")
                                              : _("threads"), y: y + 16});
    return {cells, names, threads, width, height: y + GAP};
};

const classes = (...names) => names.filter((name) => name).join(" ");

const box = (cls, {x, y, wide}, index, value, {isWrong, title} = {}) =>
    svg("g", {class: cls}, title && svg("title", {}, title),
        svg("rect", {x, y, width: wide, height: HIGH}),
        svg("text", {class: "index", x: x + 3, y: y + 9}, index),
        svg("text", {class: classes("value", value.length > SHORT && "long"),
                     x: x + wide / 2, y: y + 24}, value),
        isWrong && svg("text", {class: "unequal", x: x + wide - 8, y: y + 10},
                       "\u2260"));

// What should stand there, beside a cell, or what a thread should have found.
const drawGhost = ({guilty}, at, {cells, threads}) => {
    if (guilty?.at !== at) return null;
    const {read, kind, honest} = guilty;
    const place = kind === "old" ? threads.get(read.thread)
                                 : cells.get(cellKey(read.array, read.cell));
    const wide = place && place.wide - 12;
    return place && svg("g", {class: "ghost"},
        svg("rect", {x: place.x + 16, y: place.y + HIGH - 4, width: wide,
                     height: 20}),
        svg("text", {class: classes("value", honest.length > 4 && "long"),
                     x: place.x + 16 + wide / 2, y: place.y + HIGH + 10},
            honest));
};

// From a to b, with a head where it ends.
const arrow = (cls, a, b) => {
    const dx = b.x - a.x, dy = b.y - a.y, long = Math.hypot(dx, dy) || 1;
    const [ux, uy] = [dx / long, dy / long];
    const [px, py] = [b.x - 9 * ux, b.y - 9 * uy];
    return svg("g", {class: cls},
        svg("line", {x1: a.x, y1: a.y, x2: px, y2: py}),
        svg("polygon", {points: [[b.x, b.y], [px - 4 * uy, py + 4 * ux],
                                 [px + 4 * uy, py - 4 * ux]].join(" ")}));
};

// Of a cell a little left of its middle: there is room for a ghost beside it.
const middle = ({x, y, wide}, below) => below ? {x: x + 12, y: y + HIGH}
                                        : {x: x + wide / 2, y};

const drawFlows = (run, moment, layout) => {
    const isGuilty = (e) => run.guilty?.read === e;
    // Of many wrong writes the first ones: the others would cover the numbers.
    const wrong = moment.filter((e) => e.what === WRITE && e.isWrong)
                        .slice(0, MOST_WRONG);
    const flows = moment.map((e) => {
        const cell = layout.cells.get(cellKey(e.array, e.cell));
        const thread = layout.threads.get(e.thread);
        if (!cell || !thread) return null;
        const ends = [middle(cell, true), middle(thread, false)];
        if (e.what === WRITE) ends.reverse();
        const isBad = isGuilty(e) || wrong.includes(e);
        return [isBad, arrow(classes("arrow", isBad && "guilty"), ...ends)];
    });
    // The guilty one on top of all others.
    return flows.filter((f) => f).sort((a, b) => a[0] - b[0]).map((f) => f[1]);
};

const drawCells = (run, moment, at, layout) => {
    const held = heldAfter(run, at);
    const {guilty} = run, isHere = guilty?.at === at;
    return [...layout.cells.values()].map((place) => {
        const is = held.get(cellKey(place.array, place.cell));
        const named = isHere && guilty.read.array === place.array &&
                      guilty.read.cell === place.cell;
        const used = moment.some((e) => e.array === place.array &&
                                        e.cell === place.cell);
        const {seen} = isHere ? guilty : {};
        const isSeen = seen?.array === place.array && seen.cell === place.cell;
        const cls = classes("cell", is?.isNew ? "new" : used && "used",
                            isSeen && "seen",
                            (is?.isWrong || named) && "wrong");
        return box(cls, place, place.cell, is?.value ?? ".", {
            isWrong: is?.isWrong || named, title: is?.sums});
    });
};

const drawThreads = (run, moment, at, layout) => {
    const {guilty} = run, isHere = guilty?.at === at;
    return [...layout.threads].map(([thread, place]) => {
        const events = moment.filter((e) => e.thread === thread);
        const named = isHere && guilty.read.thread === thread;
        const all = events.map((e) => e.value).join(" ");
        const fits = all.length * SMALL_SIGN < place.wide;
        return box(classes("thread", named && "wrong"), place, `t${thread}`,
                   fits ? all : `${events[0].value} \u2026`, {
            isWrong: named, title: fits ? null : all});
    });
};

const board = (run, at, columns, words) => {
    const moment = run.moments[at];
    const layout = boardLayout(run, at, columns);
    const {width, height} = layout;
    return svg("svg", {class: run.guilty?.at === at && "at-guilty", viewBox: `0 0 ${width} ${height}`, width, height,
                       role: "img", "aria-label": words},
        layout.names.map(({name, y}) =>
            svg("text", {class: "name", x: 2, y}, name)),
        drawCells(run, moment, at, layout),
        drawThreads(run, moment, at, layout),
        drawFlows(run, moment, layout), drawGhost(run, at, layout));
};

// ---- the code ----

const replayCode = (code) => code && el("pre", {class: "source", tabindex: 0,
    "aria-label": code.file}, el("code", {}, code.lines.map((words, i) => {
        // A report's have numbers, and gaps; others are in a row from `first` on.
        const at = code.numbers?.[i] ?? code.first + i;
        const isGap = i > 0 && code.numbers && at > code.numbers[i - 1] + 1;
        return el("span", {class: classes("line", isGap && "gap"),
                           "data-line": at}, words, "\n");
    })));

const showLine = (pre, run, at) => {
    const {guilty} = run;
    const lineOf = (e) => run.places[e?.place]?.[1];
    const here = lineOf(run.moments[at][0]);
    const there = guilty?.at === at && guilty.other && lineOf(guilty.other);
    let marked = null;
    for (const line of pre.querySelectorAll(".line")) {
        const number = Number(line.dataset.line);
        line.classList.toggle("here", number === here);
        line.classList.toggle("there", number === there);
        if (number === here) marked = line;
    }
    if (marked && pre.clientHeight < pre.scrollHeight)
        pre.scrollTop = marked.offsetTop - pre.offsetTop - pre.clientHeight / 3;
};

// ---- the numbers of the steps ----

// The first moment of each step, in the order in which steps begin.
const stepsOf = ({moments, frames}) => {
    const first = new Map();
    moments.forEach(([e], at) => first.has(e.frame) || first.set(e.frame, at));
    const names = new Map(frames);
    return [...first].map(([number, at]) => (
        {number, at, name: names.get(number) ?? ""}));
};

const stepButtons = (run, go) => {
    const damaged = run.moments[run.damageAt]?.[0].frame;
    return el("ol", {class: "numbers-of-steps", "aria-label": _("Steps")},
        stepsOf(run).map(({number, at, name}) => {
            const isBad = number === damaged;
            const button = el("button", {type: "button", title: name,
                "data-step": number, class: isBad && "damaged"},
                number, isBad && el("span", {}, " \u2260"),
                el("span", {class: "sign"}, ` ${name}`,
                   isBad && ` (${_("damaged")})`));
            button.addEventListener("click", () =>
                go(isBad && run.guilty ? run.guilty.at : at));
            return el("li", {}, button);
        }));
};

// ---- all of it ----

const orderInWords = (run) => run.order === "" || run.order === "in-order"
    ? _("in order") : run.order === "reverse" ? _("in reverse order")
    : run.order;

const momentsOfWords = (run, at) => {
    const moment = run.moments[at], {frame} = moment[0];
    const name = run.frames.find(([number]) => number === frame)?.[1] ?? "";
    return [put(_("Moment %s of %s, step %s"), at + 1, run.moments.length,
                frame).join(""), name ? `, ${name}: ` : ": ",
            momentInWords(run, moment), "."].join("");
};

const replay = ({runs, code}, id) => {
    const list = runs.filter((r) => r?.events.length).map(playable);
    if (!list.length) return null;
    let run = list[0], at = openAt(run), timer = 0;
    const slider = el("input", {type: "range", min: 0, step: 1,
                                "aria-label": _("Moments")});
    const where = el("p", {class: "where"}), why = el("p", {class: "fault"});
    const stage = el("div", {class: "board"}), pre = replayCode(code);
    const numbers = el("div");

    const draw = () => {
        const words = momentsOfWords(run, at);
        const cell = cellWidth(run);
        const columns = Math.max(LEAST, Math.min(MOST, Math.floor(
            (stage.clientWidth || MOST * cell) / cell)));
        slider.max = run.moments.length - 1;
        slider.valueAsNumber = at;
        slider.setAttribute("aria-valuetext", words);
        where.textContent = words;
        why.textContent = run.guilty?.at === at ? guilt(run) : "";
        why.hidden = run.guilty?.at !== at;
        stage.replaceChildren(board(run, at, columns, words));
        if (pre) showLine(pre, run, at);
        const {frame} = run.moments[at][0];
        for (const button of numbers.querySelectorAll("button"))
            if (Number(button.dataset.step) === frame)
                button.setAttribute("aria-current", "step");
            else button.removeAttribute("aria-current");
    };
    const go = (to) => {
        at = Math.max(0, Math.min(run.moments.length - 1, to));
        draw();
    };
    const stepBy = (way) => {
        const frame = (k) => run.moments[k][0].frame;
        let k = at + way;
        while (k > 0 && k < run.moments.length - 1 && frame(k) === frame(at))
            k += way;
        return k;
    };

    // ---- play ----
    const play = el("button", {type: "button", class: "play"}, _("Play"));
    const setPlaying = (is) => {
        clearInterval(timer);
        timer = 0;
        play.textContent = is ? _("Pause") : _("Play");
        if (is) timer = setInterval(() => {
            if (!slider.isConnected || at >= run.moments.length - 1)
                setPlaying(false);
            else go(at + 1);
        }, PLAY_MS);
    };
    const toggle = () => {
        if (!timer && at >= run.moments.length - 1) go(0);
        setPlaying(!timer);
    };
    play.addEventListener("click", toggle);

    const button = (words, name, to) => {
        const is = el("button", {type: "button", title: name,
                                 "aria-label": name}, words);
        is.addEventListener("click", () => go(to()));
        return is;
    };

    // ---- the switch between orders ----
    const take = (other) => {
        setPlaying(false);
        const {frame} = run.moments[at][0];
        run = other;
        const same = run.guilty ? -1
            : run.moments.findIndex(([e]) => e.frame === frame);
        numbers.replaceChildren(stepButtons(run, go));
        go(same < 0 ? openAt(run) : same);
    };
    const orders = list.length > 1 && el("fieldset", {class: "orders"},
        el("legend", {}, _("Order")), list.map((one, i) => {
            const input = el("input", {type: "radio", name: `${id}-order`,
                                       checked: i === 0});
            input.addEventListener("change", () => take(one));
            return el("label", {}, input, ` ${orderInWords(one)}: `,
                      one.right ? _("right") : _("wrong"));
        }));

    const keys = {ArrowLeft: () => at - 1, ArrowRight: () => at + 1,
                  Home: () => 0, End: () => run.moments.length - 1};
    const all = el("div", {class: "replay", role: "group",
                           "aria-label": _("Replay")},
        el("div", {class: "turn"},
            button("|\u2039", _("first moment"), () => 0),
            button("\u2039\u2039", _("previous step"), () => stepBy(-1)),
            button("\u2039", _("previous moment"), () => at - 1), play,
            button("\u203a", _("next moment"), () => at + 1),
            button("\u203a\u203a", _("next step"), () => stepBy(1)),
            button("\u203a|", _("last moment"),
                   () => run.moments.length - 1), slider),
        numbers, orders, where, why,
        el("div", {class: "stage"}, pre, stage));
    slider.addEventListener("input", () => go(slider.valueAsNumber));
    all.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const isRadio = event.target.type === "radio";
        if (event.key === "p") toggle();
        else if (event.key in keys && !isRadio) go(keys[event.key]());
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    numbers.replaceChildren(stepButtons(run, go));
    // As wide as there is room; folded, there is none yet.
    let width = 0;
    new ResizeObserver(() => {
        if (stage.clientWidth === width) return;
        width = stage.clientWidth;
        draw();
    }).observe(stage);
    draw();
    return all;
};
