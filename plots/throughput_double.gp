# SPDX-License-Identifier: MIT
# data: bench-gpu
# needs: who=memcpy;type=double
# needs: who=cub|fast/*|reference/*;operation=inclusive_sum;type=double;order=1;tuple=1
#
# throughput_int32.gp for double.
type = "double"
load "throughput_int32.gp"
