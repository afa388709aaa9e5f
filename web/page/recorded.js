// SPDX-License-Identifier: MIT
//
// recorded.js: of the steps that the engine recorded in a run, what a replay
// shows (grader/report/html/replay_data.js), and which read a race has made
// wrong, from a run of the same kernel in an order in which it is right. The
// rules are those of grader/grade/steps_race.c.
const MOST_CELLS = 1024; // that are drawn, of all arrays

const valueOf = (w) => w.bytes === 4
    ? String(Number(BigInt.asIntN(32, BigInt(w.value))))
    : String(BigInt(w.value));

// Of several blocks it says whose it is.
const arrayNames = ({arrays, steps}) => {
    const several = steps.some((s) => s.block > 0);
    return arrays.map((a) => `${a.name || a.kind}` +
        (several && a.kind !== "global" ? ` b${a.block}` : ""));
};

// A frame is what all blocks do between two barriers or messages.
const frameOf = ({phase}) => phase + 1;
const frameName = (s) => s.begin === "barrier" ? `behind barrier ${s.phase}`
    : s.begin === "message" ? "behind a fence or flag" : "from the beginning";

const isByThread = (w) => !["before", "copy", "fill"].includes(w.writer);
const cellOf = (w) => w.at / w.bytes;

// Reads and writes of threads in the order of time.
const eventsOf = (steps) => {
    const list = [];
    steps.writes.forEach((w, k) => {
        const s = steps.steps[w.step];
        if (isByThread(w)) list.push({time: 2 * k + 1, write: k, event: [
            WRITE, frameOf(s), s.block, w.thread, w.place, w.array, cellOf(w),
            valueOf(w), "", false]});
    });
    steps.reads.forEach((r, k) => {
        const w = steps.writes[r.write];
        list.push({time: 2 * r.before, read: k, event: [
            READ, frameOf(r), r.block, r.thread, r.place, w.array, cellOf(w),
            valueOf(w)]});
    });
    return list.sort((a, b) => a.time - b.time); // it keeps equal ones' order
};

// The same loads have the same key: of a thread, in a line, the k-th.
const readKeys = (steps) => {
    const seen = new Map();
    return steps.reads.map((r) => {
        const key = [r.launch, r.block, r.thread,
                     steps.places[r.place].line].join();
        const k = (seen.get(key) ?? 0) + 1;
        seen.set(key, k);
        return `${key},${k}`;
    });
};

// Nothing orders the read and this write of another thread.
const isUnordered = (steps, r, k) => {
    const w = steps.writes[k], s = steps.steps[w.step];
    return isByThread(w) && s.launch === r.launch &&
        (s.block !== r.block ||
         (w.thread !== r.thread && s.phase === r.phase));
};

const guiltOf = (steps, next, r) => {
    const after = next.get(r.write), of = (k) => steps.writes[k];
    if (after !== undefined && after < r.before && of(after).writer !== "before")
        return ["old", after];
    if (after !== undefined && isUnordered(steps, r, after))
        return ["early", after];
    return isUnordered(steps, r, r.write) ? ["late", r.write] : null;
};

// What each read should have found, as far as the right run says.
const honestOf = (steps, right) => {
    const keys = readKeys(right), found = new Map();
    right.reads.forEach((r, k) =>
        found.set(keys[k], valueOf(right.writes[r.write])));
    const ours = readKeys(steps);
    return (r, k) => found.get(ours[k]);
};

// Without one: of a late read what the cell held before the others' writes.
const heldBefore = (steps) => (r, k, kind) => {
    let at = r.write;
    while (isUnordered(steps, r, at) && steps.writes[at].over >= 0)
        at = steps.writes[at].over;
    return kind === "late" && at !== r.write ? valueOf(steps.writes[at])
                                             : undefined;
};

// {kind, read, other, honest}: numbers of reads and writes; or null. lines: that
// race, as the checks have found them.
const findGuilty = (steps, right, lines) => {
    const next = new Map();
    steps.writes.forEach((w, k) => w.over >= 0 && next.set(w.over, k));
    const honest = right ? honestOf(steps, right) : heldBefore(steps);
    const races = ({place}) => lines.has(steps.places[place].line);
    for (const [k, r] of steps.reads.entries()) {
        const guilt = guiltOf(steps, next, r);
        if (!guilt) continue;
        const [kind, other] = guilt;
        if (kind !== "old" && !races(r) && !races(steps.writes[other])) continue;
        const value = honest(r, k, kind);
        if (value !== undefined && value !== valueOf(steps.writes[r.write]))
            return {kind, read: k, other, honest: value};
    }
    return null;
};

const racingLines = (findings) => new Set(findings.flatMap((f) =>
    f.kind.endsWith("race") ? [f.line, f.other?.line] : []));

// `right`: the steps of a run that was right; null: there is none.
const recordedRun = (steps, order, isRight, right, findings) => {
    const list = eventsOf(steps);
    const guilty = isRight ? null
        : findGuilty(steps, right, racingLines(findings));
    const at = (key, number) => {
        const k = list.findIndex((e) => e[key] === number);
        return k < 0 ? null : k;
    };
    const start = new Map();
    for (const w of steps.writes)
        if (!isByThread(w) && !start.has(cellKey(w.array, cellOf(w))))
            start.set(cellKey(w.array, cellOf(w)),
                      [w.array, cellOf(w), valueOf(w)]);
    const frames = new Map(steps.steps.map((s) => [frameOf(s), frameName(s)]));
    return {
        order, right: isRight, arrays: arrayNames(steps),
        places: steps.places.map((p) => p.file ? [p.file, p.line] : null),
        frames: [...frames].sort((a, b) => a[0] - b[0]),
        start: [...start.values()], events: list.map((e) => e.event),
        damage: null, guilty: guilty && {
            ...guilty, read: at("read", guilty.read),
            other: at("write", guilty.other)}};
};

const cellsIn = (steps) => new Set(
    steps.writes.map((w) => cellKey(w.array, cellOf(w)))).size;
