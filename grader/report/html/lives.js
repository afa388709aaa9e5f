// SPDX-License-Identifier: MIT
//
// lives.js: of a call that kept memory: where it asked for it, and where it gave
// back the rest (html_check.c, `lives`).

const lifeLine = (place, picture, lines) => place
    ? [lines.link(place.file, place.line, picture,
                  put(_("line %s"), place.line)), " ",
       place.text && el("code", {}, place.text)]
    : _("a line that is not known");

const lifeRow = (picture, lines) => ({made, freed, is_freed: isFreed, n, bytes}) => el(
    "li", {class: classes("life", !isFreed && "kept")},
    el("div", {class: "made"}, lifeLine(made, picture, lines),
        el("small", {}, n === 1 ? put(_("1 allocation, %s bytes"), bytes)
            : put(_("%s allocations, %s bytes in all"), n, bytes))),
    el("div", {class: "way", "aria-hidden": "true"}),
    el("div", {class: "freed"}, isFreed
        ? [put(_("freed: %s"), lifeLine(freed, picture, lines))]
        : el("mark", {}, _("never freed"))));

const lives = ({view: {lives: l}}, lines) => {
    const picture = lines.picture("memory");
    return l?.rows.length > 0 && [
        el("h3", {id: picture}, _("Memory that was asked for, and given back")),
        el("ol", {class: "lives"}, l.rows.map(lifeRow(picture, lines))),
        l.left_out > 0 && note(put(_("%s more allocations are left out."),
                                   l.left_out))];
};
