# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=float
# needs: who=cub|reference/*;operation=inclusive_sum;type=float;order=1;tuple=1
#
# model_int32.gp for float.
type = "float"
load "model_int32.gp"
