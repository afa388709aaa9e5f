# SPDX-License-Identifier: MIT
#
# labels.gp: curves are named where they end, not in a legend; loaded after
# style.gp by figures whose y axis is [low:high], `logarithmic` or not. Of
#   shown    a list of series (draw.sh, a line "# highlights:"); none: all
# those that are in it have their colour, all others are grey.

if (!exists("shown")) shown = ""
if (!exists("logarithmic")) logarithmic = 0
set key off
label_x = format eq "pdf" ? 1.02 : 1.03 # of the graph
label_gap = 0.08
label_tag = 100

pale = "#A6A6A6"; pale_ink = "#707070"
hues = "#000000 #D55E00 #0072B2 #009E73 #B0578D #B97D00 #2C86BE #7A5200 #767676"
hue(k) = word(hues, k)
is_in(list, s) = strstrt(" " . list . " ", " " . s . " ") > 0
is_shown(s) = shown eq "" || is_in(shown, s)
colour_for(s, k) = is_shown(s) ? hue(k) : pale
width_for(s) = shown eq "" ? 1 : is_shown(s) ? 2 : 0.7
# In a list, grey ones first, so that nothing lies on the others.
greys_first(list) = shown eq "" ? list : part_of(list, 0) . part_of(list, 1)
part_of(list, is) = (part = "", unused = (sum [k = 1:words(list)] \
    (is_in(shown, word(list, k)) == is ? (part = part . " " . word(list, k), 0) : 0)), part)

array name_text[40]; array name_x[40]; array name_y[40]; array name_colour[40]
array name_at[40]
names_there = 0
# A name at the end of the curve, in its colour. No command is made of it: it may
# be a folder's.
add_name(text, x, y, colour) = (names_there = names_there + 1, \
    name_text[names_there] = text, name_x[names_there] = x, \
    name_y[names_there] = y, name_colour[names_there] = colour, 0)
in_graph(y) = logarithmic ? log(y / low) / log(1.0 * high / low) \
    : (y - low) / (1.0 * high - low)

# Sorts the names by height, pushes apart what is too near, upwards and then
# from the top down again; a line leads from a curve to a name that had to move.
swap(i, j) = (t = name_text[i], name_text[i] = name_text[j], name_text[j] = t, \
    t = name_x[i], name_x[i] = name_x[j], name_x[j] = t, \
    t = name_y[i], name_y[i] = name_y[j], name_y[j] = t, \
    t = name_colour[i], name_colour[i] = name_colour[j], name_colour[j] = t, 0)
put_names = "do for [i = 2:names_there] { do for [j = i:2:-1] { " \
    . "if (name_y[j] < name_y[j - 1]) { unused = swap(j, j - 1) } } }; " \
    . "do for [i = 1:names_there] { name_at[i] = in_graph(name_y[i]); " \
    . "if (i > 1 && name_at[i] < name_at[i - 1] + label_gap) " \
    . "{ name_at[i] = name_at[i - 1] + label_gap } }; " \
    . "top = 1.04; do for [i = names_there:1:-1] { " \
    . "if (name_at[i] > top) { name_at[i] = top }; top = name_at[i] - label_gap }; " \
    . "do for [i = 1:names_there] { " \
    . "set label label_tag + i name_text[i] at graph label_x, graph name_at[i] left " \
    . "textcolor rgb (name_colour[i] eq pale ? pale_ink : name_colour[i]) noenhanced; " \
    . "set arrow label_tag + i from first name_x[i], first name_y[i] " \
    . "to graph label_x - 0.005, graph name_at[i] nohead lc rgb name_colour[i] lw 0.4 }"
forget_names = "do for [i = 1:names_there] { unset label label_tag + i; " \
    . "unset arrow label_tag + i }; names_there = 0"
