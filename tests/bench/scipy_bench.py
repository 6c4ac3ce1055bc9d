#!/usr/bin/env python3
"""scipy_bench.py HAMEL: whole runs against SciPy's solve_ivp on right-hand sides made by sympy.lambdify, at equal tolerance.

Prints the time of both, the ratio, and the error of both against a run at 1e-13. Exit status 77 where SciPy or SymPy is missing.
"""
import subprocess
import sys
import time

try:
    import numpy as np
    import scipy
    import sympy as sp
    from scipy.integrate import solve_ivp
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

hamel = sys.argv[1] if len(sys.argv) > 1 else "build/hamel"
tolerance = 1e-9


def equations(T, V, q, v, constraints=()):
    """M a = r + A^T lambda, A a + b = 0 as one function of (q, v) by lambdify with common subexpressions."""
    L = T - V
    n, m = len(q), len(constraints)
    p = [sp.diff(L, s) for s in v]
    M = sp.Matrix(n, n, lambda i, j: sp.diff(p[i], v[j]))
    r = sp.Matrix([sp.diff(L, q[i]) - sum(sp.diff(p[i], q[j]) * v[j] for j in range(n)) for i in range(n)])
    A = sp.Matrix(m, n, lambda k, j: sp.diff(constraints[k], v[j])) if m else sp.zeros(0, n)
    b = sp.Matrix([sum(sp.diff(f, q[j]) * v[j] for j in range(n)) for f in constraints]) if m else sp.zeros(0, 1)
    K = sp.Matrix(sp.BlockMatrix([[M, -A.T], [A, sp.zeros(m, m)]])) if m else M
    side = sp.Matrix(list(r) + [-e for e in b])
    f = sp.lambdify((q, v), (K, side), "numpy", cse=True)

    def rate(t, x):
        matrix, right = f(x[:n], x[n:])
        return np.concatenate([x[n:], np.linalg.solve(matrix, right)[:n, 0]])

    return rate


def sleigh():
    x, y, h, a, b, w = sp.symbols("x y h a b w")
    rate = equations((a**2 + b**2) / 2 + w**2 / 4, sp.Integer(0), [x, y, h], [a, b, w], [a * sp.sin(h) - b * sp.cos(h)])
    return rate, [0, 0, 0, 1, 0, 0.3]


def disc():
    q, v = list(sp.symbols("x y p t w")), list(sp.symbols("vx vy vp vt vw"))
    (x, y, p, t, w), (vx, vy, vp, vt, vw) = q, v

    def rate_of(e):
        return sum(sp.diff(e, a) * b for a, b in zip(q, v))

    cx, cy, cz = rate_of(x - sp.sin(t) * sp.sin(p) / 2), rate_of(y + sp.sin(t) * sp.cos(p) / 2), rate_of(sp.cos(t) / 2)
    T = (cx**2 + cy**2 + cz**2) / 2 + (vt**2 + (vp * sp.cos(t))**2) / 32 + (vw + vp * sp.sin(t))**2 / 16
    rate = equations(T, sp.Rational(981, 200) * sp.cos(t), q, v, [vx + vw * sp.cos(p) / 2, vy + vw * sp.sin(p) / 2])
    return rate, [0, 0, 0.2, 0.1, 0, -3 * np.cos(0.2), -3 * np.sin(0.2), 0.3, 0.1, 6]


def chain(n):
    q, v = list(sp.symbols("q1:%d" % (n + 1))), list(sp.symbols("v1:%d" % (n + 1)))
    vx = vy = y = T = V = sp.Integer(0)
    for i in range(n):
        vx, vy, y = vx + sp.cos(q[i]) * v[i], vy + sp.sin(q[i]) * v[i], y - sp.cos(q[i])
        T, V = T + (vx**2 + vy**2) / 2, V + sp.Rational(981, 100) * y
    return equations(T, V, q, v), [1 + 0.1 * (i + 1) for i in range(n)] + [0] * n


cases = {"sleigh": (20, sleigh), "disc": (5, disc), "chain2": (10, lambda: chain(2)), "chain5": (5, lambda: chain(5)), "chain10": (3, lambda: chain(10))}
ours = {}
for line in subprocess.run([hamel, __file__.replace(".py", ".lua"), str(tolerance)], capture_output=True, text=True, check=True).stdout.splitlines():
    word = line.split()
    ours[word[0]] = [float(x) for x in word[1:]]

print("SciPy %s, SymPy %s, tolerance %g; ms; whole call S:simulate{} and its run alone" % (scipy.__version__, sp.__version__, tolerance))
print("%-8s %10s %10s %10s %10s %8s %8s %9s %9s" % ("system", "simulate", "run", "DOP853", "LSODA", "/call", "/run", "error", "DOP853"))
for name, (end, build) in cases.items():
    rate, start = build()
    times = {}
    for method in ("DOP853", "LSODA"):
        best = float("inf")
        for _ in range(3):
            t = time.perf_counter()
            result = solve_ivp(rate, (0, end), start, method=method, rtol=tolerance, atol=tolerance)
            best = min(best, time.perf_counter() - t)
        times[method] = best
        if method == "DOP853":
            error = max(abs(result.y[: len(start) // 2, -1] - np.array(ours[name][3:])))
    call, run, mine = ours[name][:3]
    print("%-8s %10.3f %10.3f %10.1f %10.1f %8.0f %8.0f %9.1e %9.1e"
          % (name, 1e3 * call, 1e3 * run, 1e3 * times["DOP853"], 1e3 * times["LSODA"], times["DOP853"] / call, times["DOP853"] / run, mine, error))
