# SPDX-License-Identifier: MIT
# data: bench-model bench-gpu
# needs: who=memcpy;type=int32
# needs: who=reference/*;operation=inclusive_sum;type=int32;order=1;tuple=1
#
# model_int32.gp for every lab's scan (as ladder.gp; lab 5 is LightScan's, whose
# Tables 2 and 3 lightscan.gp and lightscan_n.gp show beside the GPU's times).
labs = "naive work-efficient shared-tiled chained lookback sam"
peers = "memcpy"
load "model_int32.gp"
