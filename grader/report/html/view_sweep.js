// SPDX-License-Identifier: MIT
//
// view_sweep.js: model time over n for each value of a constant (`scanlab sweep
// -o FILE.html`): the curves, and the table as the terminal has it.
views.sweep = ({title, picture: curves, table}) => [
    el("header", {class: "alone"}, el("h1", {}, title), themeButton()),
    el("main", {class: "alone"},
        el("div", {class: "wide steps", tabindex: 0}, picture(curves)),
        el("pre", {tabindex: 0}, table))];
