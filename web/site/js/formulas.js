// SPDX-License-Identifier: MIT
//
// formulas.js: the formulas of lab.ini (grader/course/formula.h), of kernels'
// header lines and of handouts, evaluated with what the sliders say: integers,
// names, + - * / % ( ) and functions. `/` rounds down, as the grader's does;
// with `exact` it does not, as papers write. What a name stands for nobody says,
// or what divides by 0, is null.
const FORMULA_FUNCTIONS = {
    clog2: (a) => a <= 1 ? 0 : Math.ceil(Math.log2(a)),
    log2: (a) => a <= 1 ? 0 : Math.floor(Math.log2(a)),
    pow2ceil: (a) => a < 1 ? 0 : 2 ** Math.ceil(Math.log2(a)),
    ceildiv: (a, b) => Math.ceil(a / b),
    min: Math.min, max: Math.max,
    less: (a, b) => Number(a < b), equal: (a, b) => Number(a === b),
    if: (a, b, c) => a ? b : c,
    bit_and: (a, b) => a & b, bit_or: (a, b) => a | b, bit_xor: (a, b) => a ^ b,
};

const formulaOf = (text, names, exact = false) => {
    const words = text.match(/\w+|[-+*/%(),]|\S/g) ?? [];
    let at = 0;
    const take = (word) => words[at] === word && ++at;
    const must = (word) => {
        if (!take(word)) throw new Error(`${text}: ${word}, not ${words[at]}`);
    };
    const divide = (a, b) => exact ? a / b : Math.floor(a / b);
    const one = () => {
        if (take("-")) return -one();
        if (take("(")) {
            const value = sum();
            must(")");
            return value;
        }
        const word = words[at++];
        if (/^\d+$/.test(word)) return Number(word);
        if (take("(")) {
            const args = [sum()];
            while (take(",")) args.push(sum());
            must(")");
            if (!Object.hasOwn(FORMULA_FUNCTIONS, word))
                throw new Error(`${text}: no function ${word}`);
            if (exact && word === "log2") return Math.log2(args[0]);
            return FORMULA_FUNCTIONS[word](...args);
        }
        if (!/^\w+$/.test(word ?? "")) throw new Error(`${text}: ${word}`);
        return Object.hasOwn(names, word) ? names[word] : NaN;
    };
    const product = () => {
        let value = one();
        for (;;)
            if (take("*")) value *= one();
            else if (take("/")) value = divide(value, one());
            else if (take("%")) {
                const by = one();
                value -= by * Math.floor(value / by);
            } else return value;
    };
    const sum = () => {
        let value = product();
        for (;;)
            if (take("+")) value += product();
            else if (take("-")) value -= product();
            else return value;
    };
    const value = sum();
    if (at < words.length) throw new Error(`${text}: ${words[at]} is too much`);
    return Number.isFinite(value) ? value : null;
};

// As a reader wants it.
const inWords = (value) => value === null || value === undefined ? "\u2013"
    : Number.isInteger(value) ? value.toLocaleString(document.documentElement.lang)
    : value.toLocaleString(document.documentElement.lang, {maximumFractionDigits: 2});
