# SPDX-License-Identifier: MIT
#
# The headers speak plain C comments; this turns them into Doxygen's on the way
# in, so that nobody has to write for a tool:
#   the comment a file opens with    its page
#   a comment before something       its description
#   a comment behind something       its description, too
# and a table (*.def) included in an enum becomes its rows, each described by
# its text, for Doxygen does not follow such includes. Lines stay where they
# were, so that warnings name the right ones.

# Text that Doxygen would take for HTML, links or commands.
function plain(text) {
    gsub(/\\/, "\\\\\\\\", text)
    gsub(/[#@<>%]/, "\\\\&", text)
    gsub(/\.\./, ".\\.", text)
    return text
}

# The rows of a table, X(name, ..., "text"), in one line.
function table(path,    row, rows, text) {
    while ((getline row < path) > 0) {
        if (row !~ /^[A-Z_]*\(.*\)[ ]*$/) continue
        text = ""
        if (match(row, /"[^"]*"\)[ ]*$/)) {
            text = substr(row, RSTART + 1)
            sub(/"\)[ ]*$/, "", text)
            text = " /**< " plain(text) " */"
        }
        rows = rows row text " "
    }
    close(path)
    return rows
}

NR == 1 {
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    if (sub(/^\/\* SPDX-License-Identifier: MIT/, "/** @file")) {
        print
        next
    }
}
/^[ ]*#include "[^"]*\.def"/ {
    split($0, part, "\"")
    print table(folder part[2])
    next
}
/^[ ]*#include [A-Z]/ { # a table of which only the includer knows the name
    print ""
    next
}
/^[ ]*\/?\*/ { $0 = plain($0) }
/^[ ]*\/\*( |$)/ { sub(/\/\*/, "/**") }
match($0, /[;,)}] *\/\* /) {
    at = RSTART + RLENGTH
    $0 = substr($0, 1, RSTART) " /**< " plain(substr($0, at))
}
{ print }
