// SPDX-License-Identifier: MIT
//
// formulas.mjs SITE-JS WORDS: web/site/js/formulas.js, in node: WORDS is JSON,
// [[formula, names, exact, value], ...], and each formula has this value; null:
// none. A mistake throws.
import fs from "node:fs";

const text = fs.readFileSync(process.argv[2], "utf8");
const formulaOf = new Function(`${text}; return formulaOf;`)();
let bad = 0;
for (const [formula, names, exact, value] of JSON.parse(process.argv[3])) {
    let got;
    try {
        got = formulaOf(formula, names, exact);
    } catch {
        got = "mistake";
    }
    if (got === value || (value === "any" && got !== "mistake")) continue;
    console.log(`${formula} with ${JSON.stringify(names)}: ${got}, not ${value}`);
    bad = 1;
}
process.exit(bad);
