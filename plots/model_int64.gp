# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int64
# needs: who=cub|reference/*;operation=inclusive_sum;type=int64;order=1;tuple=1
#
# model_int32.gp for int64.
type = "int64"
load "model_int32.gp"
