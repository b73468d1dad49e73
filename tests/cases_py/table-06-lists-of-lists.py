# /// case
# id = "table-06-lists-of-lists"
# kind = "nested"
# expect = "fix"
# findings = [19, 35, 49, 64, 81, 93, 103]
# ///
"""Tables of dynamic programming as lists of lists: each branch fills the same cell."""

import jax
import jax.numpy as jnp


@jax.jit
def common(a, b):
    n, m = a.shape[0], b.shape[0]
    table = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    return table[n][m]


@jax.jit
def aligned(a, b):
    n, m = a.shape[0], b.shape[0]
    cost = [[0.0] * (m + 1) for _ in range(n + 1)]
    back = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diagonal = cost[i - 1][j - 1] + abs(a[i - 1] - b[j - 1])
            up = cost[i - 1][j] + 1
            if diagonal <= up:
                cost[i][j] = diagonal
                back[i][j] = 0
            else:
                cost[i][j] = up
                back[i][j] = 1
    return cost[n][m], back[n][m]


@jax.jit
def in_turn(a):
    row = [0.0, 1.0, 2.0]
    count = 0
    for i in range(2):
        if a[i] > 0:
            row[i] = a[i]
            count += 1
            row[i + 1] = row[i] * 2
        else:
            row[i] = -a[i]
            row[i + 1] = row[i]
    return jnp.array(row), count


@jax.jit
def three_ways(x):
    rows = [[0.0, 1.0], [2.0, 3.0]]
    for i in range(2):
        for j in range(2):
            if x > 2:
                rows[i][j] = x
            elif x > 1:
                rows[i][j] = rows[i][1 - j] + x
            elif x > 0:
                rows[i][j] += 1
    return rows


@jax.jit
def relaxed(weights):
    n = weights.shape[0]
    far = [0.0] + [1e9] * (n - 1)
    before = [-1] * n
    for _ in range(n - 1):
        for u in range(n):
            for v in range(n):
                if far[u] + weights[u, v] < far[v]:
                    far[v] = far[u] + weights[u, v]
                    before[v] = u
    return jnp.array(far), before


@jax.jit
def counted(xs):
    rows = [[0.0] * 2 for _ in range(2)]
    misses = 0
    for i in range(2):
        for j in range(2):
            if xs[i] > j:
                rows[i][j] = xs[i]
            else:
                misses += 1
    return rows, misses


@jax.jit
def within(x):
    found = {"inner": {"value": 1.0, "other": 2.0}}
    if x > 0:
        found["inner"]["value"] = x
    else:
        found["inner"]["value"] = 0.0
    return found


def main():
    a, b = jnp.array([1, 2, 3, 2]), jnp.array([2, 3, 1])
    c, d = jnp.array([1.0, 2.0, 3.0]), jnp.array([2.0, 3.5])
    out = [common(a, b), common(b, a), aligned(c, d), aligned(d, c)]
    out += [in_turn(c), in_turn(-c), counted(c), counted(-c)]
    weights = jnp.array([[0.0, 4.0, 1.0], [4.0, 0.0, 2.0], [1.0, 2.0, 0.0]])
    out += [relaxed(weights), relaxed(-weights)]
    return out + [f(x) for f in (three_ways, within) for x in (-1.0, 0.5, 1.5, 3.0)]
