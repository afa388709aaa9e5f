# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int64
# needs: who=reference/sam;operation=inclusive_sum;type=int64;tuple=2|3|4|5|6|7|8;order=1
#
# model_orders_int32.gp for tuples of int64 (6.10 and 6.12).
type = "int64"
what = "tuple"
load "model_orders_int32.gp"
