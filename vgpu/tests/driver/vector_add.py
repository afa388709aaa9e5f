# SPDX-License-Identifier: MIT
"""numba's vector add: numba compiles it to PTX, and loads that by way of the driver."""
import numpy as np
from numba import cuda


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


n = 1000
a = np.arange(n, dtype=np.float32)
b = 2 * a
c = np.zeros(n, dtype=np.float32)
add[(n + 127) // 128, 128](a, b, c)
print("right", bool((c == 3 * a).all()))
