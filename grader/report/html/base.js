// SPDX-License-Identifier: MIT
//
// base.js: what every view draws with; it stands first in each page's script.
// docs/parts.md, "Pages", says how a page is made.
//
// A page has its data as JSON in #data and the same in words in #text. A view
// is a function views.NAME that gets the data and returns elements; draw.js
// puts these in the place of #text. Values enter a page through `el` and `svg`
// alone: as text nodes and as attributes, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const views = {};

// ---- words ----

// The page's own words in the page's language. The argument is a literal: the
// test report.html_page compares all of them with page_words.def.
const _ = (english) => data.words?.[english] ?? english;

// The parts of a sentence with a value for each %s; a value may be an element.
const put = (sentence, ...values) => sentence.split("%s").flatMap(
    (part, i) => i ? [values[i - 1], part] : [part]);

// ---- elements ----

const isSafe = (name, value) =>
    name === "href" ? value.startsWith("#")
    : name === "src" ? value.startsWith("data:image/svg+xml;base64,")
    : !/^(on|style|srcdoc)/.test(name);

// Attributes that are false, null or undefined are left out; so are children
// that are, and a list of children may hold lists.
const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === false || value === null || value === undefined) continue;
        const text = value === true ? "" : String(value);
        if (!isSafe(name, text)) throw new Error(`attribute ${name}`);
        element.setAttribute(name, text);
    }
    const there = (one) => one !== false && one !== null && one !== undefined;
    for (const child of children.flat(Infinity).filter(there))
        element.append(child);
    return element;
};
const el = (name, attributes, ...children) =>
    fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", name),
         attributes, children);

// ---- parts that several views have ----

const note = (...children) => el("p", {class: "note"}, ...children);

const fold = (attributes, summary, ...children) =>
    el("details", attributes, el("summary", {}, summary), ...children);

// A bar of pieces {class, x, width, title}, `width` units wide. Bars are for
// the eye: the words beside them say the same.
const bar = (width, pieces, kind = "bar") =>
    svg("svg", {class: kind, viewBox: `0 0 ${width} 10`,
                preserveAspectRatio: "none", "aria-hidden": "true"},
        pieces.map(({title, ...place}) => svg("rect", {...place, height: 10},
            title && svg("title", {}, title))));

// What may be wider than the window scrolls in itself, by keys, too.
const wide = (...children) => el("div", {class: "wide", tabindex: 0}, ...children);

const heads = (...names) => el("thead", {}, el("tr", {}, names.map(
    (name) => el("th", {scope: "col"}, name))));

// Not by colour alone.
const wrong = (value) => el("mark", {}, value,
                            el("span", {class: "sign"}, ` ${_("wrong")}`));

const themeButton = () => el("button", {type: "button", id: "theme",
    "data-words": [_("Theme: system"), _("Theme: light"),
                   _("Theme: dark")].join("|"), hidden: true}, _("Theme"));

const jump = (id, words) => el("a", {class: "jump", href: `#${id}`}, words);

// keys: [[key, ...], what] or words between them.
const keyHelp = (...keys) => el("p", {class: "keys", hidden: true},
    keys.map(([names, what], i) => [
        i ? ", " : null,
        names.map((name) => [el("kbd", {}, name), " "]), what]));

const quoted = (title, text) => text && el("section", {class: "quoted"},
    el("h3", {}, title), el("pre", {tabindex: 0}, text));
