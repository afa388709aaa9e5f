# SPDX-License-Identifier: MIT
# data: bank_conflicts.csv
#
# bank_conflicts.gp for the 32 banks of every GPU since 2010.
k = 32
load "bank_conflicts.gp"
