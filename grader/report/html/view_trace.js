// SPDX-License-Identifier: MIT
//
// view_trace.js: the steps of a call, or its banks, as a page of their own
// (`scanlab trace -o FILE.html`).
views.trace = ({title, lists, steps: frames, banks, replay: played}) => [
    el("header", {class: "alone"}, el("h1", {}, title), themeButton()),
    el("main", {class: "alone"},
        stepLists(lists),
        played?.replay && replay(played.replay, "replay"),
        banks && [el("p", {}, `${banks.said}.`),
                  banks.picture && el("div", {class: "wide steps", tabindex: 0},
                                      picture(banks.picture)),
                  banks.left_out && note(banks.left_out)],
        frames && steps(frames, "step"))];
