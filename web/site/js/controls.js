// SPDX-License-Identifier: MIT
//
// controls.js: sliders, switches and lists of an explorable. A slider goes over
// a list of values; its label says which one it is at.
const slider = ({name, label, values, first, words = (v) => v}, changed) => {
    const said = el("strong", {}, words(first));
    const input = el("input", {type: "range", name, min: 0, step: 1,
                               max: values.length - 1,
                               "aria-valuetext": `${words(first)}`});
    input.valueAsNumber = Math.max(0, values.indexOf(first));
    const value = () => values[input.valueAsNumber];
    input.addEventListener("input", () => {
        said.textContent = words(value());
        input.setAttribute("aria-valuetext", `${words(value())}`);
        changed();
    });
    return {name, value, node: el("label", {class: "slide"},
        el("span", {}, label, " = ", said), input)};
};

const tick = ({name, label, first}, changed) => {
    const input = el("input", {type: "checkbox", name, checked: first === 1});
    input.addEventListener("change", changed);
    return {name, value: () => Number(input.checked),
            node: el("label", {class: "tick"}, input, ` ${label}`)};
};

// options: [[value, words], ...]
const list = ({name, label, options, first}, changed) => {
    const input = el("select", {name}, options.map(([value, words]) =>
        el("option", {value, selected: value === first}, words)));
    input.addEventListener("change", changed);
    return {name, value: () => input.value,
            node: el("label", {class: "pick"}, el("span", {}, label), input)};
};

const valuesOf = (controls) => Object.fromEntries(
    controls.map(({name, value}) => [name, value()]));
