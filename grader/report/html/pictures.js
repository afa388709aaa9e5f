// SPDX-License-Identifier: MIT
//
// pictures.js: pictures that the program has laid out as data (picture.h), and
// the steps of a call, one at a time. A row of radio buttons chooses, so the
// arrow keys go forwards and backwards; printed, all stand below each other.

const shapes = {
    text: ([cls, x, y, words]) => svg("text", {class: cls, x, y}, words),
    line: ([cls, x1, y1, x2, y2]) => svg("line", {class: cls, x1, y1, x2, y2}),
    rect: ([x, y, width, height]) => svg("rect", {x, y, width, height}),
    g: ([cls, title, inner]) => svg("g", {class: cls},
        title && svg("title", {}, title), inner.map(shape)),
};
const shape = ([kind, ...rest]) => shapes[kind](rest);

const picture = ({title, width, height, shapes: list}) =>
    svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img"},
        svg("title", {}, title), list.map(shape));

// ---- steps ----

const stepId = (id, number) => `${id}-${number}`;

const stepSection = (frame, id, first, last) => {
    const to = (number, words) => el("label", {for: stepId(id, number)}, words);
    return el("section", {},
        el("p", {class: "turn"},
            frame.number > first &&
                [to(frame.number - 1, `\u2190 ${_("back")}`), " "],
            frame.number < last &&
                to(frame.number + 1, `${_("next")} \u2192`)),
        wide(picture(frame.picture)),
        el("ul", {class: "made"}, frame.made.map(({array, recipes}) =>
            el("li", {}, array, el("ul", {}, recipes.map(([words, place]) =>
                el("li", {}, el("code", {}, words), " ",
                   el("small", {}, place))))))));
};

const steps = ({fault, open, frames, notes}, id) => [
    fault && el("p", {class: "fault"}, fault),
    el("div", {class: "steps", role: "radiogroup", "aria-label": _("Steps")},
        frames.map((frame) => [
            el("input", {type: "radio", name: id,
                         id: stepId(id, frame.number),
                         "aria-label": `${_("Step")} ${frame.number}`,
                         checked: frame.number === open}),
            stepSection(frame, id, frames[0].number, frames.at(-1).number)])),
    notes.map((words) => note(words))];

// Indices, input, expected and got: [name, [value or [wrong value], ...]]; all
// of them, or so many around the first wrong one.
const stepLists = (lists, most = Infinity) => {
    const first = lists.at(-1)[1].findIndex(Array.isArray);
    const from = Math.max(0, first - Math.floor(most / 2));
    return wide(el("table", {class: "numbers"},
        el("tbody", {}, lists.map(([name, values], row) => el("tr", {},
            name ? el("th", {scope: "row"}, name) : el("td"),
            values.slice(from, from + most).map((value) => el(
                row ? "td" : "th", row ? {} : {scope: "col"},
                Array.isArray(value) ? wrong(value[0]) : value)))))));
};
