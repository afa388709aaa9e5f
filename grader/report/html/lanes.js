// SPDX-License-Identifier: MIT
//
// lanes.js: of a warp whose threads do not come together: which of its lanes are
// at which line, and who waits. Drawn of what the finding says as data.

const LANES = [...Array(32).keys()], ALL_LANES = 0xffffffff;

const laneIs = (mask, lane) => mask / 2 ** lane % 2 >= 1;
const lanesIn = (mask) => LANES.filter((lane) => laneIs(mask, lane));
const without = (mask, other) => lanesIn(mask)
    .reduce((sum, lane) => sum + (laneIs(other, lane) ? 0 : 2 ** lane), 0);
const bothOf = (mask, other) => mask + without(other, mask);
const of = (...lanes) => lanes.reduce((sum, lane) => sum + 2 ** lane, 0);

// Of each finding: rows of {mask, words, line, isAway}; `said` is its data.
const lanesOf = {
    "barrier-of-lanes": ({lanes, arrived, parted}, {line}) => {
        const here = Number(lanes), there = without(Number(arrived ?? 0), here);
        const gone = without(ALL_LANES, bothOf(here, there));
        return [
            {line: parted, words: () => _("They part in %s.")},
            {mask: here, line, words: () => _("Wait at the barrier, %s:")},
            {mask: there, isAway: true,
             words: () => _("Went another way and wait behind the branch:")},
            {mask: gone, isAway: true,
             words: () => _("Are elsewhere, have ended, or are not there:")}];
    },
    "lanes-missing": ({lanes, missing}, {line}) => [
        {mask: without(Number(lanes), Number(missing)), line,
         words: () => _("Wait for each other, %s:")},
        {mask: Number(missing), isAway: true,
         words: () => _("Are named there and do not come:")}],
    "lane-away": ({lane, other}, {line}) => [
        {mask: of(lane), line, words: () => _("Wants a value, %s:")},
        {mask: of(other), isAway: true,
         words: () => _("Has the value and does not take part:")}],
    "lane-not-named": ({lane, mask}, {line}) => [
        {mask: Number(mask), words: () => _("Are named by the mask:")},
        {mask: of(lane), line, isAway: true,
         words: () => _("Comes without being named, %s:")}],
};
lanesOf["lane-away-active"] = lanesOf["lane-away"];

const laneRow = (mask, isAway) => svg("svg", {viewBox: "0 0 836 32",
    width: 836, height: 32, role: "img", "aria-label": put(_("lanes %s"),
        ranges(lanesIn(mask))).join("")},
    LANES.map((i) => svg("g", {class: classes("lane", !laneIs(mask, i) ? "none"
                                               : isAway && "away")},
        svg("rect", {x: 2 + 26 * i, y: 4, width: 24, height: 24}),
        svg("text", {x: 14 + 26 * i, y: 21}, i))));

// A row without a mask says where; one of no lanes is left out.
const drawLanes = (rows, link) => rows
    .filter(({mask, line}) => mask === undefined ? line : mask)
    .map(({mask, line, words, isAway}) => [
        el("p", {class: "lanes"}, put(words(), link(line)),
            mask !== undefined && [" ", put(_("lanes %s"), ranges(lanesIn(mask)))]),
        mask !== undefined && el("div", {class: classes("wide", "waiting"), tabindex: 0},
                                 laneRow(mask, isAway))]);
