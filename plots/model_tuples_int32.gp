# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/sam;operation=inclusive_sum;type=int32;tuple=2|3|4|5|6|7|8;order=1
#
# model_orders_int32.gp for tuples of int32 (thesis, Figures 6.9 and 6.11).
type = "int32"
what = "tuple"
load "model_orders_int32.gp"
