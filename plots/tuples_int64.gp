# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int64
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int64;order=1;tuple=2|3|4|5|6|7|8
#
# orders_int32.gp for tuples of 1 to 8 int64 (thesis, Figures 6.10 and 6.12).
type = "int64"
what = "tuple"
load "orders_int32.gp"
