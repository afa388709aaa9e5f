# SPDX-License-Identifier: MIT
#
# model.gp: what figures of model time share; loaded after bench.gp. draw.sh sets
#   model    a file of model times; the same columns as timing data
# Where both are drawn, a GPU's times are lines with full marks and the model's
# are dashed with open ones, in the same colour.

# What every such figure says (rows.py model).
set_model(file) = set_words(999, system(reader . " model '" . file . "'"), 0.99, 0.03, \
    "right")
# Above it: which GPU.
set_gpu(file) = set_words(997, "GPU: " . origin(file), 0.99, 0.085, "right")
modelled(where) = "< " . chosen(model, "print", where)
modelled_whos(where) = system(chosen(model, "values", where) . " who")
modelled_count(where) = int(system(chosen(model, "count", where)))

# A colour and a pair of marks for each who.
colours = "#000000 #D55E00 #7A5200 #56B4E9 #7A5200 #E69F00 #CC79A7 #0072B2 #009E73"
models = "memcpy cub thrust naive work-efficient shared-tiled chained lookback sam"
model_place(w) = int(sum [k = 1:9] (word(models, k) eq after_slash(w) ? k : 0))
colour_of(w) = word(colours, model_place(w))
full_mark(w) = int(word("5 7 9 11 13 5 7 9 11", model_place(w)))
open_mark(w) = full_mark(w) - 1
