# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int32
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int32;order=1;tuple=2|5|8
#
# orders_n_int32.gp for tuples of int32 (thesis, Figures 6.9 and 6.11).
type = "int32"
what = "tuple"
load "orders_n_int32.gp"
