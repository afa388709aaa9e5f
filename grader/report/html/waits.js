// SPDX-License-Identifier: MIT
//
// waits.js: who waits for whom: of a deadlock, and of a barrier that not all
// threads come to. Drawn of what the finding says as data (outcome.finding.said):
// at the left those who wait, at the right what they wait for.

const WAIT_WIDE = 322, WAIT_GAP = 14, WAIT_LETTERS = 38, WAIT_MOST = 6;

// An entry of a box: words, or {words, line, code}: a line of the source that
// the words lead to, and its text, which is cut and not wrapped.
const waitLines = (entry) => {
    const {words, line, code} = entry.words ? entry : {words: entry};
    const lines = [""];
    for (const word of words.split(" "))
        if (`${lines.at(-1)} ${word}`.length <= WAIT_LETTERS)
            lines.push(`${lines.pop()} ${word}`.trim());
        else lines.push(word);
    const cut = code?.length > WAIT_LETTERS
        ? `${code.slice(0, WAIT_LETTERS - 2)} \u2026` : code;
    return [...lines.map((text) => ({text, line})), ...cut ? [{text: cut, line}] : []];
};
const lineEntry = (words, line, texts) => ({words, line, code: texts?.[line]});

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
const waiterBox = (texts) => ({block, thread, more, line, what}) => ({
    block: block.join(), isAtBarrier: what.id.startsWith("at-"),
    words: [threadWords(block, thread, more),
            lineEntry([waitsAt[what.id]?.(what) ?? "",
                       line && put(_(", line %s"), line).join("")].join(""),
                      line, texts)]});

const wordWords = ({where, holds}, word) => {
    const array = where?.array ?? {};
    const name = array.name ?? (array.line
        ? put(_("the array of line %s"), array.line).join("") : _("an array"));
    if (Number.isInteger(where?.index) && where.byte === undefined)
        return [`${name}[${where.index}]`];
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
const waitsOf = ({place, finding: {said, word}}, texts) => {
    const me = threadWords(place.block, place.thread);
    const at = put(_(", line %s"), place.line).join("");
    const others = (list) => (list ?? []).map(waiterBox(texts));
    const mine = (words) => lineEntry(`${words}${at}`, place.line, texts);
    const barrierIn = (line) => lineEntry(
        put(_("waits at the barrier in line %s"), line).join(""), line, texts);
    if (said.id === "deadlock-poll") {
        const block = place.block.join();
        return {left: [{words: [me, mine(_("reads it again and again"))],
                        to: "right"},
                       ...others(said.others?.waiters).map((o) => ({...o,
                           to: o.isAtBarrier && o.block === block ? "first"
                                                                 : null}))],
                right: [...wordWords(said, word),
                        whyWords[said.why?.id]?.(said.why) ?? ""]};
    }
    if (said.id === "deadlock-barrier") return {
        left: [{words: [me, mine(_("waits at a barrier"))], to: "right"},
               ...others(said.missing).map((o) => ({...o, to: "missing"}))],
        right: [put(_("barrier %s: %s of %s threads have come"), said.barrier,
                    said.came, said.all).join(""),
                said.ended ? put(_("%s threads have ended before it"),
                                 said.ended).join("") : ""]};
    if (said.id === "two-barriers") return {
        left: [{words: [me, barrierIn(said.line)], to: "right"},
               {words: [put(_("thread %s of the block"), said.thread).join(""),
                        barrierIn(said.other)], to: "right"}],
        right: [_("The GPU takes the two for one barrier.")]};
    return null;
};

// Two accesses that nothing orders, where no replay shows them, and why. Of one
// statement that does both its sentence says all.
const mendWords = {
    "mend-acquire": () => _("The second one has seen the first one's flag, but no fence stands behind that read."),
    "mend-weak": () => _("One of the two is an ordinary access, no volatile or atomic one."),
    "mend-blocks": () => _("Blocks run in any order, and no flag with fences says which comes first."),
    "mend-barrier": () => _("No barrier stands between the two."),
};
const accessesOf = ({place, finding: {said, other_access: other}}, texts) => {
    const box = ({block, thread}, does, line) => ({to: "right", words: [
        threadWords(block, thread),
        lineEntry(put(_("%s, line %s"), does, line).join(""), line, texts)]});
    return said.id === "race" && other?.block && mendWords[said.mend?.id] && {
        left: [box(other, said.wrote ? _("wrote it first") : _("read it first"),
                   other.line),
               box(place, said.writes ? _("writes it then") : _("reads it then"),
                   place.line)],
        right: [...wordWords(said), mendWords[said.mend.id]()]};
};

const waitText = (words) =>
    words.filter((w) => w).flatMap(waitLines).slice(0, WAIT_MOST);
const waitHigh = (lines) => 16 * lines.length + 14;

const waitBox = (cls, x, y, lines, hrefOf) => svg("g", {class: cls},
    svg("rect", {x, y, width: WAIT_WIDE, height: waitHigh(lines)}),
    lines.map(({text, line}, i) => {
        const words = svg("text", {class: "words", x: x + 10, y: y + 19 + 16 * i}, text);
        const href = line && hrefOf(line);
        return href ? svg("a", {href}, words) : words;
    }));

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

const drawWaits = ({left, right}, hrefOf) => {
    const x = 26, far = x + WAIT_WIDE + 84, what = waitText(right);
    let y = 4;
    const boxes = left.map(({words, to}) => {
        const lines = waitText(words), at = y;
        y += waitHigh(lines) + WAIT_GAP;
        return {lines, to, y: at, middle: at + waitHigh(lines) / 2};
    });
    const height = Math.max(y, waitHigh(what) + 8), wide = far + WAIT_WIDE + 4;
    const words = [...left.map((l) => l.words.map((w) => w.words ?? w).join(": ")),
                   ...right].join("; ");
    return svg("svg", {viewBox: `0 0 ${wide} ${height}`, width: wide, height,
                       role: "group", "aria-label": words},
        boxes.map((b) => waitBox("who", x, b.y, b.lines, hrefOf)),
        waitBox("what", far, 4, what, hrefOf),
        boxes.map((b) => waitArrow(b.to, b.middle, boxes[0].middle, far)));
};

const waits = ({outcome, view}, lines) => {
    const {finding, place} = outcome ?? {}, {said} = finding ?? {};
    if (!said || !place?.block) return null;
    const picture = lines.picture("waits");
    const frame = (title, drawn) => [el("h3", {id: picture}, title), drawn];
    const link = (line) => line ? [
        lines.link(place.file, line, picture, put(_("line %s"), line)), " ",
        view.lines?.[line] && el("code", {}, view.lines[line])] : null;
    const rows = lanesOf[said.id]?.(said, place);
    if (rows) return frame(_("Which lanes are where"), drawLanes(rows, link));
    const who = waitsOf(outcome, view.lines);
    const two = !who && !view.trace && !view.same && accessesOf(outcome, view.lines);
    return (who || two) && frame(who ? _("Who waits for whom")
                                     : _("Two accesses that nothing orders"),
        el("div", {class: classes("wide", "waiting"), tabindex: 0}, drawWaits(who || two,
            (line) => lines.go(place.file, line, picture))));
};
