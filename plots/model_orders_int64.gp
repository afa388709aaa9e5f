# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int64
# needs: who=reference/sam;operation=inclusive_sum;type=int64;order=2|3|4|5|6|7|8;tuple=1
#
# model_orders_int32.gp for orders of int64.
type = "int64"
what = "order"
load "model_orders_int32.gp"
