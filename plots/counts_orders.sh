#!/bin/sh
# SPDX-License-Identifier: MIT
#
# counts_orders.sh: what lab 7's reference counts for orders 1 to 8, for tuples
# of 1 to 8, and for both at once, which sam_orders.gp draws. Series q is
# "orders-q", "tuples-q", "both-q".
#   plots/counts_orders.sh >plots/data/counts_orders.csv
#
#   SCANLAB=PATH   the program (build/bin/scanlab)
#   STEPS="Q..."   instead of 1 to 8
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=plots/count.sh
. "$here/count.sh"

count_header | sed 's/^series,/series,q,/'
for q in ${STEPS:-1 2 3 4 5 6 7 8}; do
    for which in "orders order=$q tuple=1" "tuples order=1 tuple=$q" \
        "both order=$q tuple=$q"; do
        count "${which%% *},$q" sam scan "${which#* }" 262144
    done
done
