# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=int16
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=int16;order=1;tuple=1
#
# throughput_int32.gp for int16.
type = "int16"
load "throughput_int32.gp"
