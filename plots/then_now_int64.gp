# SPDX-License-Identifier: MIT
# data: bench-gpu published.csv
# needs: who=memcpy;type=int64
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int64;order=1;tuple=1
#
# then_now_int32.gp for int64.
type = "int64"
titan = "A.2"
kepler = "A.4"
load "then_now_int32.gp"
