// SPDX-License-Identifier: MIT
//
// waits.js: who waits for whom: of a deadlock, and of a barrier that not all
// threads come to. Drawn of what the finding says as data (outcome.finding.said):
// at the left those who wait, at the right what they wait for.

const WAIT_WIDE = 322, WAIT_GAP = 14, WAIT_LETTERS = 38, WAIT_MOST = 6;

const waitLines = (words) => {
    const lines = [""];
    for (const word of words.split(" "))
        if (`${lines.at(-1)} ${word}`.length <= WAIT_LETTERS)
            lines.push(`${lines.pop()} ${word}`.trim());
        else lines.push(word);
    return lines;
};

const threadWords = (block, thread, more) => put(
    more ? _("block %s, thread %s and %s more of its warp")
         : _("block %s, thread %s"),
    block.filter((x, i) => !i || x).join(","),
    thread.filter((x, i) => !i || x).join(","), more).join("");

// What the waiter of said.others or said.missing waits for.
const waitsAt = {
    "at-barrier": () => _("waits at a barrier"),
    "at-operation": ({form}) => put(_("waits at %s"), form).join(""),
    "at-cluster-wait": () => _("waits at barrier.cluster.wait"),
    "for-mbarrier": () => _("waits for an mbarrier"),
    "for-word": () => _("reads a word again and again"),
};
const waiterBox = ({block, thread, more, line, what}) => ({
    block: block.join(), isAtBarrier: what.id.startsWith("at-"),
    words: [threadWords(block, thread, more),
            [waitsAt[what.id]?.(what) ?? "", line && put(_(", line %s"), line)
                .join("")].join("")]});

const wordWords = ({where, holds}, word) => {
    const array = where?.array ?? {};
    const name = array.name ?? (array.line
        ? put(_("the array of line %s"), array.line).join("") : _("an array"));
    const byte = where?.byte ?? where?.index;
    const means = word?.fields?.map((f) => f.means
        ? `${f.name} ${f.means}` : `${f.name} ${f.value}`).join(", ");
    return [byte === undefined || byte === null ? name
                : put(_("byte %s of %s"), byte, name).join(""),
            holds ? put(_("holds %s"), means || holds.word).join("") : ""];
};

const whyWords = {
    "no-writer": ({ended, blocks}) => ended === null
        ? _("Nobody writes it: all others have ended or wait.")
        : put(_("Nobody writes it: %s of %s blocks have ended, the others wait."),
              ended, blocks).join(""),
    "not-started": ({blocks}) => put(
        _("Those who write it have not started: %s blocks wait until one ends."),
        blocks).join(""),
    "lock-at-barrier": () =>
        _("Who holds the lock may wait at a barrier for this thread."),
    "own-warp": () => _("Lanes of its own warp wait for it."),
    "plain-load": () => _("A plain load may give the old value for ever."),
};

// {left: [{words, to: "right" | "first" | null}], right: [lines] or null}
const waitsOf = ({place, finding: {said, word}}) => {
    const me = threadWords(place.block, place.thread);
    const at = put(_(", line %s"), place.line).join("");
    const others = (list) => (list ?? []).map(waiterBox);
    if (said.id === "deadlock-poll") {
        const mine = place.block.join();
        return {left: [{words: [me, `${_("reads it again and again")}${at}`],
                        to: "right"},
                       ...others(said.others?.waiters).map((o) => ({...o,
                           to: o.isAtBarrier && o.block === mine ? "first"
                                                                 : null}))],
                right: [...wordWords(said, word),
                        whyWords[said.why?.id]?.(said.why) ?? ""]};
    }
    if (said.id === "deadlock-barrier") return {
        left: [{words: [me, `${_("waits at a barrier")}${at}`], to: "right"},
               ...others(said.missing).map((o) => ({...o, to: "missing"}))],
        right: [put(_("barrier %s: %s of %s threads have come"), said.barrier,
                    said.came, said.all).join(""),
                said.ended ? put(_("%s threads have ended before it"),
                                 said.ended).join("") : ""]};
    if (said.id === "two-barriers") return {
        left: [{words: [me, put(_("waits at the barrier in line %s"),
                                said.line).join("")], to: "right"},
               {words: [put(_("thread %s of the block"), said.thread).join(""),
                        put(_("waits at the barrier in line %s"), said.other)
                            .join("")], to: "right"}],
        right: [_("The GPU takes the two for one barrier.")]};
    return null;
};

const waitText = (words) =>
    words.filter((w) => w).flatMap(waitLines).slice(0, WAIT_MOST);
const waitHigh = (lines) => 16 * lines.length + 14;

const waitBox = (cls, x, y, lines) => svg("g", {class: cls},
    svg("rect", {x, y, width: WAIT_WIDE, height: waitHigh(lines)}),
    lines.map((line, i) =>
        svg("text", {class: "line", x: x + 10, y: y + 19 + 16 * i}, line)));

const waitArrow = (to, y, first, far) => {
    const x = 26, cls = classes("waits", to === "missing" && "never");
    if (to === "right" || to === "missing") return [
        arrow(cls, {x: x + WAIT_WIDE, y}, {x: far, y: first}),
        to === "missing" && svg("text", {class: "never",
            x: x + WAIT_WIDE + 4, y: y + 16}, _("missing"))];
    // Down the left side: it waits for the first.
    return to === "first" && svg("g", {class: cls},
        svg("polyline", {points: `${x},${y} 10,${y} 10,${first} ` +
                                 `${x - 8},${first}`}),
        svg("polygon", {points: `${x},${first} ${x - 9},${first - 4} ` +
                                `${x - 9},${first + 4}`}));
};

const drawWaits = ({left, right}) => {
    const x = 26, far = x + WAIT_WIDE + 84, what = waitText(right);
    let y = 4;
    const boxes = left.map(({words, to}) => {
        const lines = waitText(words), at = y;
        y += waitHigh(lines) + WAIT_GAP;
        return {lines, to, y: at, middle: at + waitHigh(lines) / 2};
    });
    const height = Math.max(y, waitHigh(what) + 8), wide = far + WAIT_WIDE + 4;
    const words = [...left.map((l) => l.words.join(": ")), ...right].join("; ");
    return svg("svg", {viewBox: `0 0 ${wide} ${height}`, width: wide, height,
                       role: "img", "aria-label": words},
        boxes.map((b) => waitBox("who", x, b.y, b.lines)),
        waitBox("what", far, 4, what),
        boxes.map((b) => waitArrow(b.to, b.middle, boxes[0].middle, far)));
};

// The lanes of a warp, of which those of the mask wait.
const drawLanes = (mask) => {
    const isHere = (i) => Boolean(BigInt(mask) >> BigInt(i) & 1n);
    const words = put(_("lanes that wait: %s"), [...Array(32).keys()]
        .filter(isHere).join(", ")).join("");
    return svg("svg", {viewBox: "0 0 836 64", width: 836, height: 64,
                       role: "img", "aria-label": words},
        [...Array(32).keys()].map((i) => svg("g",
            {class: classes("lane", !isHere(i) && "away")},
            svg("rect", {x: 2 + 26 * i, y: isHere(i) ? 4 : 34, width: 24,
                         height: 24}),
            svg("text", {x: 14 + 26 * i, y: isHere(i) ? 21 : 51}, i))));
};

const waits = ({outcome}) => {
    const {finding, place} = outcome ?? {}, {said} = finding ?? {};
    if (!said || !place?.block) return null;
    const title = el("h3", {}, _("Who waits for whom"));
    const frame = (drawn, words) => [title, words && el("p", {}, words),
                                     el("div", {class: classes("wide", "waiting")}, drawn)];
    if (said.id === "barrier-of-lanes") return frame(drawLanes(said.lanes),
        _("Above: lanes that wait at the barrier. Below: lanes that went another way."));
    const who = waitsOf(outcome);
    return who && frame(drawWaits(who));
};
