// SPDX-License-Identifier: MIT
//
// costs.js: lines of a source with what they cost. Narrow windows show a
// line's numbers below its words, with their names (source.css), so each cell
// has its column's name.
//
// A row's cells stand beside the columns: of kind "share" [words, percent], of
// "number" and "words" words; null: nothing.

const costCell = {
    share: ([words, percent], name) => el("td", {"data-name": name}, words,
        bar(100, [{class: "part", width: percent}])),
    number: (words, name) => el("td", {"data-name": name}, words),
    words: (words) => el("td", {class: "words"}, words),
};

const costCells = (columns, cells) => columns.map(({name, kind}, i) =>
    cells[i] === null ? el("td", {class: kind === "words" && "words"})
                      : costCell[kind](cells[i], name));

const costTable = (columns, rows) => el("div", {class: "wide costs", tabindex: 0},
    el("table", {class: "cost"},
        el("thead", {}, el("tr", {},
            ["line", "source"].map((name) => el("th", {scope: "col"}, name)),
            columns.map(({name, kind}) => el("th", {
                scope: "col", class: kind === "words" && "words"}, name)))),
        el("tbody", {}, rows)));

const costWords = (columns, cells, words, ...below) => el("td",
    {class: "code", colspan: cells ? 1 : columns.length + 1},
    el("code", {}, words), ...below);

// place: "a.cu:7", or null for a line that is not known; to: the row of a
// listing on the same page.
const hottest = ({columns, rows}) => costTable(columns, rows.map(
    ({place, to, words, cells}) => el("tr", {},
        el("th", {scope: "row", class: "place"},
            to ? el("a", {href: `#${to}`}, place) : place ?? "no line"),
        costWords(columns, cells, words), costCells(columns, cells))));
