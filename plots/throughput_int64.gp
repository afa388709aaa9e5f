# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int64
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int64;order=1;tuple=1
#
# throughput_int32.gp for int64.
type = "int64"
load "throughput_int32.gp"
