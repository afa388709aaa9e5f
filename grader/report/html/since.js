// SPDX-License-Identifier: MIT
//
// since.js: of a live page: what is new in a lab since it was last saved, and
// the bar that fills, check by check, while it is graded.

// ---- mine beside my last save, the reference, CUB ----

const whatIs = {
    launches: () => _("launches"),
    ops: () => _("data operations"),
    moved: () => _("elements moved, per element"),
    model_us: () => _("microseconds of model time"),
};

// A number, and below it a bar on the row's scale.
const versusCell = (value, most, mine) => value === null ? el("td", {}, "–")
    : el("td", {}, Number.isInteger(value) ? value : value.toFixed(2),
         bar(most || 1, [{class: "rest", width: most || 1},
                         {class: mine ? "mine" : "other", width: value}]));

const versusRow = ([key, ...sides]) => {
    const most = Math.max(...sides.filter((value) => value !== null));
    return el("tr", {}, el("th", {scope: "row"}, whatIs[key]()),
              sides.map((value, i) => versusCell(value, most, i < 2)));
};

const versusTable = ({function: name, n, right, rows}) => wide(
    el("table", {class: "versus"},
        el("caption", {}, put(_("%s of %s elements"), name, n),
           !right && [" ", wrong(_("the answer is wrong"))]),
        heads(_("what"), _("now"), _("last save"), _("reference"), "CUB"),
        el("tbody", {}, rows.map(versusRow))));

const changedSince = (since) => since?.changed &&
    el("p", {class: "changed"}, put(_("Since the last save: %s"), since.changed));

const versusFold = (since, open) => !since?.versus.length
    ? since?.unpublished && note(since.unpublished) : fold(
    {class: "versus", open}, _("Beside the last save, the reference and CUB"),
    since.versus.map(versusTable),
    note(_("Counts and model time on the virtual GPU h200, which is no GPU's time; the reference's and CUB's numbers are published with the course.")));

// ---- the bar that fills ----

const fillVerdicts = {
    p: ["pass", () => _("pass")], F: ["fail", () => _("fail")],
    s: ["skip", () => _("skip")], T: ["todo", () => _("todo")],
};

const fillPieces = (checks, letters) => {
    const pieces = [];
    let at = 0;
    checks.forEach(([id, points, timed], i) => {
        const share = timed ? 0 : Math.max(points, 2);
        const [cls] = fillVerdicts[letters[i]] ?? ["rest"];
        if (share) pieces.push({class: cls, x: at, width: share * .96, title: id});
        at += share;
    });
    return bar(at || 1, pieces);
};

// state: "naive ppF...", a letter for each check (live.js has it of its server).
const fillFrom = (state, watched) => {
    const [id, letters = ""] = state.split(" ");
    const lab = watched.find((one) => one.id === id);
    if (!lab) return [];
    const reached = lab.checks.flatMap(([name], i) => {
        const verdict = fillVerdicts[letters[i]];
        return verdict ? [[name, ...verdict]] : [];
    });
    const next = lab.checks.find(([, , timed], i) =>
        !timed && !fillVerdicts[letters[i]]);
    return [
        el("p", {}, el("b", {}, `${_("Lab")} ${lab.number} ${id}`), " ",
           next && put(_("now: %s"), el("b", {}, next[0]))),
        fillPieces(lab.checks, letters),
        el("ol", {class: "reached"}, reached.map(([name, cls, words]) =>
            el("li", {class: cls}, el("span", {class: "verdict"}, words()), " ",
               name)))];
};
