# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=float
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=float;order=1;tuple=1
#
# throughput_int32.gp for float.
type = "float"
load "throughput_int32.gp"
