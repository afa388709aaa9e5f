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

// Of several blocks it says whose it is; an array without a name is scratch.
const arrayNames = ({arrays, steps}) => {
    const several = steps.some((s) => s.block > 0);
    return arrays.map((a) => `${a.name ||
        (a.kind === "global" ? "scratch" : a.kind)}` +
        (several && a.kind !== "global" ? ` b${a.block}` : ""));
};

// A frame is what all blocks do between two barriers or messages of a launch, or
// the host between two launches. Numbers from 1, in the order of launches.
const frameOf = ({launch, phase}) => launch * 2 ** 20 + phase;
const framesOf = ({steps}, list) => {
    const several = steps.some((s) => s.launch > 1), names = new Map();
    const frames = [...new Set(list.map(({event}) => event[1]))];
    const numbers = new Map(frames.sort((a, b) => a - b)
        .map((frame, i) => [frame, i + 1]));
    const numberOf = (frame) => numbers.get(frame);
    for (const s of steps) {
        const name = s.begin === "host" ? _("the host")
            : s.begin === "barrier" ? put(_("behind barrier %s"), s.phase).join("")
            : s.begin === "message" ? _("behind a fence or flag")
            : _("from the beginning");
        names.set(numberOf(frameOf(s)), several && s.begin !== "host"
            ? put(_("launch %s, %s"), s.launch, name).join("") : name);
    }
    return {numberOf, names};
};

const isByThread = (w) => !["before", "copy", "fill"].includes(w.writer);
const cellOf = (w) => w.at / w.bytes;
const arrayOf = ({arrays}, name) => arrays.findIndex((a) => a.name === name);

// The last writes of the cells that hold what is wrong in the end.
// look: {array, cells: Set}.
const wrongWrites = (steps, look) => {
    const last = new Map(), array = arrayOf(steps, look?.array);
    steps.writes.forEach((w, k) => {
        if (w.array === array && look.cells.has(cellOf(w)))
            last.set(cellOf(w), k);
    });
    return new Set(last.values());
};

// Reads and writes of threads, and the host's after the first of these, in the
// order of time.
const eventsOf = (steps, isWrong) => {
    const list = [];
    const first = steps.writes.findIndex(isByThread);
    steps.writes.forEach((w, k) => {
        const s = steps.steps[w.step];
        const is = isByThread(w) ? WRITE : HOST;
        if (w.writer === "before" || (is === HOST && (first < 0 || k < first)))
            return;
        list.push({time: 2 * k + 1, write: k, event: [
            is, frameOf(s), is === HOST ? 0 : s.block,
            is === HOST ? 0 : w.thread,
            is === HOST ? steps.places.length : w.place, w.array, cellOf(w),
            valueOf(w), "", isWrong.has(k)]});
    });
    steps.reads.forEach((r, k) => {
        const w = steps.writes[r.write];
        list.push({time: 2 * r.before, read: k, event: [
            READ, frameOf(r), r.block, r.thread, r.place, w.array,
            cellOf(w), valueOf(w)]});
    });
    return list.sort((a, b) => a.time - b.time); // it keeps equal ones' order
};

// What cells hold before the first of these events.
const startOf = (steps, events) => {
    const start = new Map(), shown = new Set(events.map((e) => e.write));
    const begin = events[0]?.time ?? Infinity;
    steps.writes.forEach((w, k) => {
        const key = cellKey(w.array, cellOf(w));
        if (w.writer === "before" ? !start.has(key)
            : !shown.has(k) && 2 * k + 1 < begin)
            start.set(key, [w.array, cellOf(w), valueOf(w)]);
    });
    return [...start.values()];
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
// Of a kernel that races for ever so many steps are enough.
const MOST_LOOKS = 1e6;
const heldBefore = (steps) => {
    let looks = 0;
    return (r, k, kind) => {
        let at = r.write;
        while (isUnordered(steps, r, at) && steps.writes[at].over >= 0) {
            at = steps.writes[at].over;
            if (++looks > MOST_LOOKS) return undefined;
        }
        return kind === "late" && at !== r.write ? valueOf(steps.writes[at])
                                                 : undefined;
    };
};

// Who looks at a cell again in the same line waits for it to change: only the
// last look counts.
const looksOf = ({reads, writes}) => {
    const last = new Map();
    reads.forEach((r, k) => {
        const w = writes[r.write];
        last.set([r.launch, r.block, r.thread, r.place, w.array, w.at].join(),
                 k);
    });
    return new Set(last.values());
};

// {kind, read, other, honest}: numbers of reads and writes; or null. lines: that
// race, as the checks have found them.
const findGuilty = (steps, right, lines) => {
    const next = new Map();
    steps.writes.forEach((w, k) => w.over >= 0 && next.set(w.over, k));
    const honest = right ? honestOf(steps, right) : heldBefore(steps);
    const looks = looksOf(steps);
    const races = ({place}) => lines.has(steps.places[place].line);
    for (const [k, r] of steps.reads.entries()) {
        const guilt = guiltOf(steps, next, r);
        if (!guilt || !looks.has(k)) continue;
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

const MOST_EVENTS = 2000, IN_A_ROW = 64;

// Of larger arrays IN_A_ROW cells, around those that matter.
const isNear = (middle) => ([, , , , , array, cell]) => {
    const from = middle.get(array) ?? 0;
    return Math.floor(cell / IN_A_ROW) === Math.floor(from / IN_A_ROW);
};
// Who waits for a word reads it again and again: once says it.
const withoutPolls = (list) => {
    const last = new Map(); // of each thread
    return list.filter(({event}) => {
        const [what, , block, thread, place, array, cell, value] = event;
        const key = `${block},${thread}`, is = [what, place, array, cell, value]
            .join();
        const again = what === READ && last.get(key)?.has(is);
        if (what !== READ) last.delete(key);
        else if (!again) last.set(key, new Set(last.get(key)).add(is));
        return !again;
    });
};

const shownOf = (steps, list, guilty, look) => {
    const middle = new Map(steps.arrays.map((_, a) => [a, 0]));
    const first = look && Math.min(...look.cells);
    if (look?.cells.size)
        for (const [a, {kind}] of steps.arrays.entries())
            if (kind === "global") middle.set(a, first);
    const read = guilty && list.find((e) => e.read === guilty.read).event;
    if (read) middle.set(read[5], read[6]);
    // An old value is a matter between blocks: what each has alone stays away.
    const isOld = look && guilty?.kind === "old", isIn = isNear(middle);
    const near = (event) => isIn(event) &&
        (!isOld || steps.arrays[event[5]].kind === "global");
    const some = look ? withoutPolls(list.filter((e) => near(e.event)))
                      : list;
    if (some.length <= MOST_EVENTS) return {events: some, near};
    // Of an old value its newer one is shown as it is stored, too.
    const newer = isOld
        ? some.findIndex((e) => e.write === guilty.other) : -1;
    if (newer >= 0)
        return {events: some.slice(newer, newer + MOST_EVENTS), near};
    const at = Math.max(0, some.findIndex((e) => guilty
        ? e.read === guilty.read : e.event[9]));
    const from = Math.max(0, Math.min(at - MOST_EVENTS / 2,
                                      some.length - MOST_EVENTS));
    return {events: some.slice(from, from + MOST_EVENTS), near};
};

// `right`: the steps of a run that was right; null: there is none. look: {array,
// cells}: which cells of an array are wrong in the end; without it all cells of
// all arrays are shown.
const recordedRun = (steps, order, isRight, right, findings, look) => {
    const wrong = wrongWrites(steps, look);
    const list = eventsOf(steps, wrong), frames = framesOf(steps, list);
    for (const {event} of list) event[1] = frames.numberOf(event[1]);
    const guilty = isRight ? null
        : findGuilty(steps, right, racingLines(findings));
    const {events, near} = shownOf(steps, list, guilty, look);
    const at = (key, number) => {
        const k = events.findIndex((e) => e[key] === number);
        return k < 0 ? null : k;
    };
    const start = startOf(steps, events);
    const damage = Math.min(...wrong);
    const used = new Set(events.map((e) => e.event[1]));
    return {
        order, right: isRight, arrays: arrayNames(steps),
        places: steps.places.map((p) => p.file ? [p.file, p.line] : null),
        frames: [...frames.names].filter(([number]) => used.has(number))
            .sort((a, b) => a[0] - b[0]),
        start: look ? start.filter(([a, c]) => near([, , , , , a, c])) : start,
        events: events.map((e) => e.event),
        damage: wrong.size && !guilty ? at("write", damage) : null,
        guilty: guilty && {
            ...guilty, read: at("read", guilty.read),
            other: at("write", guilty.other)}};
};

const cellsIn = (steps) => new Set(
    steps.writes.map((w) => cellKey(w.array, cellOf(w)))).size;
