# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int8
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int8;order=1;tuple=1
#
# throughput_int32.gp for int8.
type = "int8"
load "throughput_int32.gp"
