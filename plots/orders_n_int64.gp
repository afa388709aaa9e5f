# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int64
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int64;order=2|5|8;tuple=1
#
# orders_n_int32.gp for int64.
type = "int64"
what = "order"
load "orders_n_int32.gp"
