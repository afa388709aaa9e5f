# SPDX-License-Identifier: MIT
#
# synthetic.awk: made-up timing data in the form of plots/data/bench-*.csv, so
# that every figure can be drawn in a test. Nothing of it was measured.
#   awk -v kind=gpu|cpu -f synthetic.awk </dev/null
function row(who, op, type, order, tuple, n, rate, start, moved,   ns) {
    ns = start + moved / rate
    printf "%s,%s,%s,%d,%d,%.0f,15,%.1f,%.1f,%.1f,%.1f,%.0f,1\n", who, op,
        type, order, tuple, n, ns, 0.98 * ns, 1.03 * ns, 0.97 * ns, moved
}
# who, share of the copy's rate for 8 bytes moved, ns that a call takes at least
function add(who, share, start) {
    name[++m] = who
    part[m] = share
    least[m] = start
}
function sums(type, size, from, to,   k, n, i) {
    for (k = from; k <= to; k++) {
        n = 2 ^ k
        row("memcpy", "copy", type, 1, 1, n, peak, first, 2 * n * size)
        row(kind == "gpu" ? "copy16" : "ntcopy", "copy", type, 1, 1, n,
            (kind == "gpu" ? 0.97 : 1.1) * peak, first, 2 * n * size)
        for (i = 1; i <= m; i++)
            row(name[i], "inclusive_sum", type, 1, 1, n, part[i] * peak,
                least[i], 2 * n * size)
    }
}
function generalised(type, size,   q, k, n) {
    for (q = 1; q <= 8; q++)
        for (k = 20; k <= 28; k += 2) {
            n = 2 ^ k - 2 ^ k % q
            if (q > 1) {
                row("cub", "inclusive_sum", type, q, 1, 2 ^ k, 0.73 * peak / q,
                    9000 * q, 2 * 2 ^ k * size)
                row("fast/sam", "inclusive_sum", type, q, 1, 2 ^ k,
                    (0.96 - 0.02 * q) * peak, 7000, 2 * 2 ^ k * size)
                row("reference/sam", "inclusive_sum", type, q, 1, 2 ^ k,
                    0.5 * peak / q ^ 0.3, 9000, 2 * 2 ^ k * size)
                row("cub", "inclusive_sum", type, 1, q, n, 0.35 * peak / q ^ 0.3,
                    9000, 2 * n * size)
                row("fast/sam", "inclusive_sum", type, 1, q, n, 0.94 * peak,
                    7000, 2 * n * size)
                row("reference/sam", "inclusive_sum", type, 1, q, n, 0.4 * peak,
                    9000, 2 * n * size)
            }
        }
}
function application(op, words, cub, fast,   k, n) {
    for (k = 20; k <= 28; k += 4) {
        n = 2 ^ k
        row("cub", op, "int32", 1, 1, n, cub * peak, 12000, words * 4 * n)
        row("fast/applications", op, "int32", 1, 1, n, fast * peak, 10000,
            words * 4 * n)
        row("reference/applications", op, "int32", 1, 1, n, 0.6 * cub * peak,
            15000, words * 4 * n)
        if (op == "select_half")
            row("thrust", op, "int32", 1, 1, n, 0.9 * cub * peak, 30000,
                words * 4 * n)
    }
}
BEGIN {
    print "# SPDX-License-Identifier: MIT"
    print "# machine: synthetic, not measured"
    if (kind == "gpu") print "# gpu: synthetic GPU, 1 SMs, L2 1 MiB\n" \
        "# cuda: runtime 0.0, driver's 0.1\n# cub: 0.0"
    else print "# cpu: synthetic CPU"
    print "# date: 2000-01-01T00:00:00Z\n# method: a formula"
    print "who,operation,type,order,tuple,n,repeats,median_ns,q1_ns,q3_ns," \
        "min_ns,bytes,ok"
    peak = kind == "gpu" ? 4200 : 12
    first = kind == "gpu" ? 6000 : 100
    if (kind == "gpu") {
        add("cub", 0.73, 9000)
        add("thrust", 0.71, 20000)
        sums("int8", 1, 12, 30)
        sums("int16", 2, 12, 30)
        add("reference/lookback", 0.7, 9000)
        add("reference/sam", 0.6, 9000)
        add("fast/lookback", 0.95, 7000)
        add("fast/sam", 0.94, 7000)
        sums("int64", 8, 10, 29)
        sums("float", 4, 10, 30)
        sums("double", 8, 10, 29)
        add("reference/naive", 0.02, 90000)
        add("reference/work-efficient", 0.1, 120000)
        add("reference/shared-tiled", 0.35, 18000)
        add("reference/chained", 0.4, 11000)
        add("fast/chained", 0.8, 8000)
        add("student/naive", 0.015, 80000)
        add("student/lookback", 0.3, 10000)
        sums("int32", 4, 10, 30)
        generalised("int32", 4)
        generalised("int64", 8)
        application("select_half", 1.5, 0.6, 0.75)
        application("partition_half", 2, 0.57, 0.7)
        application("run_length", 1.25, 0.4, 0.5)
        application("reduce_by_key", 2.25, 0.4, 0.5)
        application("sort_keys", 2, 0.11, 0.1)
        application("sort_pairs", 4, 0.13, 0.11)
    } else {
        add("serial", 0.5, 5)
        add("threads", 0.4, 9000)
        add("onetbb", 0.6, 9000)
        add("reference/cpu-scan", 0.8, 9000)
        add("fast/cpu-scan", 0.95, 9000)
        sums("int32", 4, 10, 28)
        sums("int64", 8, 10, 27)
    }
}
