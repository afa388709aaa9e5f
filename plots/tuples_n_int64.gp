# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int64
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int64;order=1;tuple=2|5|8
#
# orders_n_int32.gp for tuples of int64 (thesis, Figures 6.10 and 6.12).
type = "int64"
what = "tuple"
load "orders_n_int32.gp"
