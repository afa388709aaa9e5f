// SPDX-License-Identifier: MIT
//
// draw.js: draws the page by the view that its data name. If that fails, the
// words in #text stay.
{
    const text = document.getElementById("text");
    const drawn = views[data.view](data[data.view]);
    text.before(...drawn);
    text.hidden = true;
}
