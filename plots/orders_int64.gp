# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int64
# needs: who=cub|fast/sam|reference/sam|student/sam;operation=inclusive_sum;type=int64;order=2|3|4|5|6|7|8;tuple=1
#
# orders_int32.gp for int64 (thesis, Figures 6.6 and 6.8).
type = "int64"
what = "order"
load "orders_int32.gp"
