# SPDX-License-Identifier: MIT
# awk -f folders.awk -v vgpu=FOLDER -v of=ROOM'S_FOLDER FOLDER/rooms.txt: -I for every
# folder whose headers that room may include; none where the table has no such room.
BEGIN { FS = "|" }
/^[^#]/ {
    gsub(/ +/, " ")
    sub(/^ /, "", $2)
    sub(/ $/, "", $1)
    sub(/ $/, "", $2)
    sub(/^vgpu\//, "", $2)
    # Those it uses stand above, so that theirs are known.
    all = "-I" vgpu "/" $2
    n = split($3, used, " ")
    for (k = 1; k <= n; k++) all = all " " folders[used[k]]
    n = split(all, each, " ")
    all = ""
    for (k = 1; k <= n; k++)
        if (!index(all " ", " " each[k] " ")) all = all " " each[k]
    folders[$1] = all
    if ($2 == of) print all
}
