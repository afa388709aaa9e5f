// SPDX-License-Identifier: MIT
//
// replay_data.js: what a replay shows, from what was recorded: html_replay.c
// says how a report has it, web/page/recorded.js makes the same of a run in the
// page. A *moment* is what the threads of a warp do at once: they read, or they
// write, in one line. Nothing here draws.

const READ = 0, WRITE = 1, HOST = 2, WARP = 32;

const eventOf = ([what, frame, block, thread, place, array, cell, value, sums,
                  isWrong], at) => ({what, frame, block, thread, place, array,
                                     cell, value, sums, isWrong, at});

const isOneMoment = (a, b) => a.what === b.what && a.frame === b.frame &&
    a.block === b.block && a.place === b.place &&
    Math.floor(a.thread / WARP) === Math.floor(b.thread / WARP);

// [[event, ...], ...]
const momentsOf = (events) => {
    const moments = [];
    for (const event of events) {
        const last = moments.at(-1);
        // A thread that writes twice in a line does so in two moments.
        const again = event.what !== READ && last?.some(
            (e) => e.thread === event.thread && e.cell === event.cell &&
                   e.array === event.array);
        if (last && isOneMoment(last[0], event) && !again) last.push(event);
        else moments.push([event]);
    }
    return moments;
};

const cellKey = (array, cell) => `${array}/${cell}`;

// What the cells hold after the moments 0 to `last`: {value, isWrong, isNew}.
const heldAfter = ({start, moments}, last) => {
    const held = new Map(start.map(([array, cell, value]) =>
        [cellKey(array, cell), {value}]));
    moments.slice(0, last + 1).forEach((moment, at) => {
        if (moment[0].what === READ) return;
        for (const e of moment)
            held.set(cellKey(e.array, e.cell),
                     {...e, isNew: at === last});
    });
    return held;
};

// Each array with the cells that it ever shows: [{array, name, cells}, ...].
const arraysOf = ({arrays, start, events}) => {
    const cells = new Map();
    const add = (array, cell) => {
        if (!cells.has(array)) cells.set(array, new Set());
        cells.get(array).add(cell);
    };
    const used = new Set(events.map((e) => e.array));
    for (const [array, cell] of start) if (used.has(array)) add(array, cell);
    for (const e of events) add(e.array, e.cell);
    return [...cells].sort(([a], [b]) => a - b).map(([array, set]) => ({
        array, name: arrays[array], cells: [...set].sort((a, b) => a - b)}));
};

// Of arrays with one name, as the lanes of several shuffles have, each with the
// line that used it first, and its number among those of that line.
const tellApart = (rows, {events, places}) => {
    const line = ({array}) =>
        places[events.find((e) => e.array === array)?.place]?.[1];
    const alike = (row) => rows.filter((r) => r.name === row.name);
    return rows.map((row) => {
        if (alike(row).length < 2 || !line(row)) return row;
        const same = alike(row).filter((r) => line(r) === line(row));
        const name = put(_("%s, line %s"), row.name, line(row)).join("");
        return {...row, name: same.length < 2 ? name
            : `${name} (${same.indexOf(row) + 1})`};
    });
};

const longestValue = ({start, events}) => Math.max(
    1, ...start.map(([,, value]) => value.length),
    ...events.map((e) => e.value.length));

const playable = (run) => {
    const events = run.events.map(eventOf);
    const moments = momentsOf(events);
    const momentOf = (number) => number === null || number === undefined ? null
        : moments.findIndex((m) => m.some((e) => e.at === number));
    const is = {...run, events, moments};
    const {guilty} = run;
    const usedIn = new Map(); // frame -> arrays
    for (const {frame, array} of events)
        usedIn.set(frame, (usedIn.get(frame) ?? new Set()).add(array));
    return {
        ...is, usedIn, rows: tellApart(arraysOf(is), is),
        longest: longestValue(is), damageAt: momentOf(run.damage),
        guilty: guilty && guilty.read !== null ? {
            ...guilty, read: events[guilty.read],
            other: guilty.other === null ? null : events[guilty.other],
            seen: guilty.kind === "old" && guilty.other !== null
                ? swappedOf(events, events[guilty.read], events[guilty.other])
                : null,
            at: momentOf(guilty.read)} : null};
};

// Where a replay is opened: at the guilty read, or what was made wrong.
const openAt = ({guilty, damageAt, moments}) =>
    guilty?.at ?? damageAt ?? Math.max(0, moments.length - 1);

// "0..3, 7": of sorted numbers.
const ranges = (numbers) => {
    const list = [];
    for (const n of [...new Set(numbers)].sort((a, b) => a - b)) {
        const last = list.at(-1);
        if (last && last[1] + 1 === n) last[1] = n;
        else list.push([n, n]);
    }
    const words = list.slice(0, 4).map(
        ([a, b]) => a === b ? `${a}` : `${a}..${b}`);
    return words.join(", ") + (list.length > 4 ? ", ..." : "");
};

// "d_out[0..30] and d_in[3]"
const cellsInWords = (run, moment) => {
    const of = Map.groupBy ? Map.groupBy(moment, (e) => e.array)
        : moment.reduce((map, e) => map.set(
            e.array, [...map.get(e.array) ?? [], e]), new Map());
    return [...of].map(([array, events]) =>
        `${run.arrays[array]}[${ranges(events.map((e) => e.cell))}]`)
        .join(", ");
};

const placeInWords = (run, place) => {
    const at = run.places[place];
    return at ? ` (${at[0]}:${at[1]})` : "";
};

const momentInWords = (run, moment) => {
    const {what, block, place} = moment[0];
    const cells = cellsInWords(run, moment);
    if (what === HOST) return put(_("the host writes %s"), cells).join("");
    const threads = ranges(moment.map((e) => e.thread));
    const sentence = what === READ ? _("block %s, thread %s: reads %s")
                                   : _("block %s, thread %s: writes %s");
    return put(sentence, block, threads, cells).join("") +
           placeInWords(run, place);
};

const guiltInWords = {
    late: () => _("Thread %s finds %s in %s, which thread %s has overwritten already; %s is right."),
    early: () => _("Thread %s finds %s in %s, to which thread %s writes only later; %s is right."),
    old: () => _("Thread %s finds %s in %s, although thread %s has stored a newer value; %s is right."),
};
// Of an old value: what its block has read before or at the same time, of the
// same thread as the newer value and stored behind that: the two have arrived
// swapped.
const swappedOf = (events, read, newer) => {
    if (!newer || newer.at > read.at) return null;
    const isWith = (e) => e.thread === read.thread && e.place === read.place;
    let end = read.at + 1;
    while (events[end] && isWith(events[end])) end++;
    const between = events.slice(newer.at + 1, end);
    const behind = between.filter((e) =>
        e.what === WRITE && e.block === newer.block);
    const seen = between.findLast((e) => e !== read &&
        e.what === READ && e.block === read.block && behind.some((w) =>
            w.array === e.array && w.cell === e.cell && w.value === e.value &&
            w.at < e.at));
    return seen && !(seen.array === read.array && seen.cell === read.cell)
        ? seen : null;
};

const threadName = (run, e, than) => e.block === than.block
    ? e.thread : put(_("%s of block %s"), e.thread, e.block).join("");
const guilt = (run) => {
    const {kind, read, other, honest} = run.guilty;
    const cell = `${run.arrays[read.array]}[${read.cell}]`;
    const said = put(guiltInWords[kind](), read.thread, read.value, cell,
                     other ? threadName(run, other, read) : "?", honest).join("");
    const {seen} = run.guilty;
    return seen ? [said, " ", put(_("Block %s sees %s in %s, which was stored after it: the two stores have arrived swapped."),
        seen.block, seen.value, `${run.arrays[seen.array]}[${seen.cell}]`)
        .join("")].join("") : said;
};
