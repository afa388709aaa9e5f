/* SPDX-License-Identifier: MIT */
#pragma once

/* What could end an element, an attribute, a comment or a script, or turn what
 * stands beside it; bytes that are no text. */
#define HOSTILE                                                                \
    "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>"       \
    "<!--]]></style></pre></title>&lt;&#60;&amp;&\n"                           \
    "\u202e\u2066\u200b\xff\xc3(\xed\xa0\x80\x01\x1b[2J\x7f javascript:x "     \
    "{{x}}"                                                                    \
    "%s%n\n\n<svg onload=alert(3)><plaintext>"
