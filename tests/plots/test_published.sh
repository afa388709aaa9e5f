#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The papers' tables in published.csv were typed in once. What the papers say in
# prose about them must follow from them, and no row may be there twice.
set -u
awk -F, '
    function fail(text) { print "FAILED: " text; bad++ }
    /^#/ { next }
    !named++ {
        if ($0 != "source,where,gpu,year,implementation,operation,type,order,tuple,n,value,unit")
            fail("names: " $0)
        next
    }
    NF != 12 { fail("line " NR ": " NF " fields") }
    $4 !~ /^20[01][0-9]$/ { fail("line " NR ": year " $4) }
    $11 !~ /^[0-9]+(\.[0-9]+)?$/ { fail("line " NR ": value " $11) }
    $12 != "Gelements/s" && $12 != "Gbytes/s" && $12 != "ratio" { fail("line " NR ": unit " $12) }
    {
        id = $2 " " $3 " " $5 " " $6 " " $7 " " $8 " " $9 " " $10
        if (id in value) fail("line " NR ": twice: " id)
        value[id] = $11
        rows++
    }
    # "SAM is 1.52 times CUB": where, type, order, tuple, n; rounded as printed
    function sam(where, gpu, q, k, text,   order, tuple, rest) {
        order = where == "Table A.5" ? q : 1
        tuple = where == "Table A.9" ? q : 1
        rest = "inclusive_sum int32 " order " " tuple " " 2 ^ k
        about(value[where " " gpu " SAM " rest] / value[where " " gpu " CUB " rest],
            text, 0.035, where ", order or tuple " q)
    }
    function about(is, printed, slack, what) {
        claims++
        if (is < printed * (1 - slack) || is > printed * (1 + slack))
            fail(what ": the paper says " printed ", its table " is)
    }
    function liu(measure, other, type, printed,   gpu) {
        gpu = other == "TBB" ? "Xeon E5-2650" : "Tesla K40c"
        about(value["Table 3 " measure " Tesla K40c LightScan inclusive_sum " type " 1 1 "] / \
            value["Table 3 " measure " " gpu " " other " inclusive_sum " type " 1 1 "],
            printed, 0.04, "Table 3, " other ", " type)
    }
    END {
        titan = "GeForce GTX Titan X"
        # Thesis, 6.3: 52, 78 and 87 % faster than CUB at 2^27.
        sam("Table A.5", titan, 2, 27, 1.52)
        sam("Table A.5", titan, 5, 27, 1.78)
        sam("Table A.5", titan, 8, 27, 1.87)
        # Thesis, 6.4: 17 % slower, 20 and 34 % faster on large inputs.
        sam("Table A.9", titan, 2, 27, 0.83)
        sam("Table A.9", titan, 5, 29, 1.20)
        sam("Table A.9", titan, 8, 29, 1.34)
        # Thesis, 6.2: up to 33 billion.
        about(value["Table A.1 " titan " SAM inclusive_sum int32 1 1 " 2 ^ 30], 33, 0, "Table A.1")
        # 33 billion are 264 GB/s, 78.6 % of the peak, and what a copy does.
        about(33 * 8 / value["section 5.1 " titan " peak of the memory copy    "], 0.786, 0.001, "section 5.1")
        about(value["section 6.2 " titan " cudaMemcpy copy int32 1 1 "], 33, 0, "section 6.2")
        # LightScan, 5.2 and 5.3: average speedups.
        liu("average", "CUDPP", "int32", 2.0)
        liu("average", "CUDPP", "int64", 1.9)
        liu("average", "Thrust", "int32", 2.4)
        liu("average", "Thrust", "int64", 1.8)
        liu("average", "Thrust", "float", 2.7)
        liu("average", "Thrust", "double", 1.7)
        liu("average", "ModernGPU", "int32", 1.4)
        liu("average", "ModernGPU", "int64", 1.5)
        liu("average", "CUB", "int32", 1.2)
        liu("average", "TBB", "int32", 8.3)
        # Look-back paper, Figure 10: harmonic means 1.11, 1.43, 2.27.
        for (i = split("StreamScan 1.11 ModernGPU 1.43 Thrust 2.27", w, " "); i > 0; i -= 2) {
            sum = 0
            for (k = split("M40 K40 C2050", gpu, " "); k > 0; k--)
                sum += 1 / value["Figure 10 Tesla " gpu[k] " CUB over " w[i - 1] \
                    " inclusive_sum int32 1 1 "]
            about(3 / sum, w[i], 0.01, "Figure 10, " w[i - 1])
        }
        print rows " rows, " claims " claims, " bad + 0 " failures"
        exit bad > 0 || claims != 22 || rows < 1600
    }' plots/data/published.csv
