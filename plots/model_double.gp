# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=double
# needs: who=cub|reference/*;operation=inclusive_sum;type=double;order=1;tuple=1
#
# model_int32.gp for double.
type = "double"
load "model_int32.gp"
