#!/usr/bin/env python3
"""peers.py HAMEL: whole runs against heyoka (Taylor, compiled) and CasADi with CVODES, on the same explicit equations.

Both ways of comparing: equal tolerance with the errors reached, and time to reach an error, against a reference in quadruple precision that
our side prints. Times are of the integration alone, everything compiled before, without the call from the script, which takes heyoka 3 us: the
best of many runs one after the other, ours taken before and after the peers', for the speed of a machine wanders. What is not installed is left
out; exit status 77 where neither is there.
"""
import math
import subprocess
import sys
import time

import numpy as np

try:
    import heyoka as hy
except ImportError:
    hy = None
try:
    import casadi as ca
except ImportError:
    ca = None
if hy is None and ca is None:
    print("skipped: neither heyoka nor casadi is installed")
    sys.exit(77)

hamel = sys.argv[1] if len(sys.argv) > 1 else "build/hamel"
G = 9.81


def solve(M, r):
    """a of M a = r for a symmetric positive definite M, written out: L D L^T without pivoting."""
    n = len(r)
    M, r, a = [row[:] for row in M], r[:], [None] * n
    for k in range(n):
        for i in range(k + 1, n):
            l = M[i][k] / M[k][k]
            for j in range(k + 1, n):
                M[i][j] = M[i][j] - l * M[k][j]
            r[i] = r[i] - l * r[k]
    for k in reversed(range(n)):
        a[k] = r[k]
        for j in range(k + 1, n):
            a[k] = a[k] - M[k][j] * a[j]
        a[k] = a[k] / M[k][k]
    return a


def sleigh(x, sin, cos):
    s, c = sin(x[2]), cos(x[2])
    force = (x[3] * c + x[4] * s) * x[5]
    return [x[3], x[4], x[5], -force * s, force * c, 0.0 * x[5]]


def disc(x, sin, cos):
    """Constraints eliminated by hand: unknowns phi'', theta'', psi''."""
    m, r, A, C = 1.0, 0.5, 1.0 / 16, 1.0 / 8
    sp, cp, st, ct, p, t, w = sin(x[2]), cos(x[2]), sin(x[3]), cos(x[3]), x[7], x[8], x[9]
    # velocity of the centre = J u + ..., u = (p, t, w); x' = -r cp w, y' = -r sp w
    J = [[-r * st * cp, -r * ct * sp, -r * cp], [-r * st * sp, r * ct * cp, -r * sp], [0.0, -r * st, 0.0]]
    # acceleration of the centre without u'
    ax = r * w * sp * p - r * (ct * t * cp * p - st * sp * p * p) + r * st * sp * t * t - r * ct * cp * p * t
    ay = -r * w * cp * p - r * (ct * t * sp * p + st * cp * p * p) - r * st * cp * t * t - r * ct * sp * p * t
    az = -r * ct * t * t
    acceleration = [ax, ay, az]
    M = [[sum(m * J[k][i] * J[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    M[0][0] = M[0][0] + A * ct * ct + C * st * st
    M[0][2] = M[0][2] + C * st
    M[2][0] = M[2][0] + C * st
    M[1][1] = M[1][1] + A
    M[2][2] = M[2][2] + C
    spin = w + p * st
    f = [-sum(m * J[k][i] * acceleration[k] for k in range(3)) for i in range(3)]
    f[0] = f[0] + 2 * A * p * t * ct * st - C * (spin * ct * t + p * ct * t * st)
    f[1] = f[1] - A * p * p * ct * st + C * spin * p * ct + m * G * r * st
    f[2] = f[2] - C * p * ct * t
    a = solve(M, f)
    xx = -r * (a[2] * cp - w * sp * p)
    yy = -r * (a[2] * sp + w * cp * p)
    return [x[5], x[6], p, t, w, xx, yy, a[0], a[1], a[2]]


def chain(n):
    def f(x, sin, cos):
        M = [[None] * n for _ in range(n)]
        r = [-G * (n - i) * sin(x[i]) for i in range(n)]
        for i in range(n):
            M[i][i] = float(n - i) + 0.0 * x[0]
            for j in range(i):
                d = x[i] - x[j]
                M[i][j] = M[j][i] = float(n - i) * cos(d)
                s = float(n - i) * sin(d)
                r[i] = r[i] - s * x[n + j] * x[n + j]
                r[j] = r[j] + s * x[n + i] * x[n + i]
        return [x[n + i] for i in range(n)] + solve(M, r)

    return f


systems = {"sleigh": sleigh, "disc": disc, "chain2": chain(2), "chain5": chain(5), "chain10": chain(10)}

ours = {}


def measure_ours():
    """Runs our side; a run that was measured before keeps its better time."""
    current = None
    text = subprocess.run([hamel, __file__.replace(".py", ".lua")], capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        word = line.split()
        if word[0] == "system":
            current = ours.setdefault(word[1], {"t": float(word[2]), "runs": {}})
        elif word[0] in ("start", "reference"):
            current[word[0]] = np.array([float(x) for x in word[1:]])
        else:
            rows = current["runs"].setdefault(word[1], {})
            tolerance, seconds, error = (float(x) for x in word[2:5])
            rows[tolerance] = (tolerance, min(seconds, rows[tolerance][1] if tolerance in rows else seconds), error)


def best_time(run):
    """Of 25 runs at least, for 10 ms at least."""
    begun, best, times = time.perf_counter(), math.inf, 0
    while times < 25 or time.perf_counter() - begun < 0.01:
        before = time.perf_counter()
        run()
        best, times = min(best, time.perf_counter() - before), times + 1
    return best


def measure(run, reference, empty=None):
    """Best time and error of run() -> end state; empty: a call that integrates over no time, whose time is taken off."""
    end = run()
    error = float(np.max(np.abs(np.array(end) - reference)))
    return best_time(run) - (best_time(empty) if empty else 0), error


def measure_of(backend, f, case, tolerance):
    run, empty = backend(f, case["start"], case["t"], tolerance)
    return measure(run, case["reference"], empty)


def for_heyoka(f, n):
    """The equations of f as heyoka takes them: pairs of a state and its rate."""
    x = hy.make_vars(*["x%d" % i for i in range(n)])
    return [(s, hy.expression(r) if isinstance(r, (int, float)) else r) for s, r in zip(x, f(list(x), hy.sin, hy.cos))]


def by_heyoka(f, start, t, tolerance):
    ta = hy.taylor_adaptive(for_heyoka(f, len(start)), list(start), tol=tolerance)

    def run(to=t):
        ta.time = 0.0
        ta.state[:] = start
        ta.propagate_until(to)
        return ta.state.copy()

    return run, lambda: run(0.0)


def by_casadi(f, start, t, tolerance):
    x = ca.SX.sym("x", len(start))
    rates = f([x[i] for i in range(len(start))], ca.sin, ca.cos)
    problem = {"x": x, "ode": ca.vertcat(*rates)}
    F = ca.integrator("F", "cvodes", problem, 0, t, {"reltol": tolerance, "abstol": tolerance, "linear_multistep_method": "adams",
                                                     "nonlinear_solver_iteration": "functional", "max_num_steps": 1000000})
    return (lambda: np.array(F(x0=start)["xf"]).ravel()), None


def time_to_reach(rows, wanted):
    """Log-log interpolation over the tolerances; None where the error is not reached."""
    best = None
    for (_, t0, e0), (_, t1, e1) in zip(rows, rows[1:]):
        if e0 >= wanted >= e1 > 0:
            part = 0 if e0 == e1 else math.log(e0 / wanted) / math.log(e0 / e1)
            value = math.exp(math.log(t0) + part * (math.log(t1) - math.log(t0)))
            best = value if best is None else min(best, value)
    return best


def text_us(value, unit=1e6):
    return "-" if value is None else "%.1f" % (value * unit)


backends = ([("heyoka", by_heyoka)] if hy else []) + ([("cvodes", by_casadi)] if ca else [])
print("us; heyoka %s, CasADi %s (CVODES, Adams)" % (hy.__version__ if hy else "-", ca.__version__ if ca else "-"))
measure_ours()
theirs = {}
for name, f in systems.items():
    case = ours[name]
    # the equations typed here are those of our side: the rates agree along the way, judged by the end
    for label, backend in backends:
        rows = theirs[name, label] = []
        for exponent in (5, 6, 7, 8, 9, 10, 11, 12, 13):
            tolerance = 10.0**-exponent
            if label == "cvodes" and tolerance < 1e-12:
                continue
            if label == "heyoka" and exponent % 2 == 0 and name == "chain10":
                continue
            seconds, error = measure_of(backend, f, case, tolerance)
            rows.append((tolerance, seconds, error))
measure_ours()
for name in systems:
    case = ours[name]
    rows = {method: list(found.values()) for method, found in case["runs"].items()}
    rows.update({label: theirs[name, label] for label, _ in backends})
    labels = list(rows)
    print("%s, t = %g" % (name, case["t"]))
    print("  equal tolerance   " + "".join("%24s" % label for label in labels))
    for tolerance in (1e-9, 1e-12):
        words = []
        for label in labels:
            found = [row for row in rows[label] if abs(row[0] / tolerance - 1) < 1e-6]
            words.append("%9s us %9.1e" % (text_us(found[0][1]), found[0][2]) if found else "-")
        print("    %-15.0e " % tolerance + "".join("%24s" % word for word in words))
    print("  equal error, and our best as a ratio to each")
    for wanted in (1e-8, 1e-10, 1e-12):
        times = {label: time_to_reach(rows[label], wanted) for label in labels}
        mine = min((times[label] for label in ("dop853", "taylor") if times.get(label)), default=None)
        words = [text_us(times[label]) + (" us (%.2f x)" % (times[label] / mine) if times[label] and mine else "") for label in labels]
        print("    %-15.0e " % wanted + "".join("%24s" % word for word in words))

# ---- many starts: our lanes against heyoka's batches, one thread on each side
def batch_of_heyoka(f, starts, reference, t, tolerance, width):
    ta = hy.taylor_adaptive_batch(for_heyoka(f, starts.shape[1]), np.ascontiguousarray(starts[:width].T), tol=tolerance)
    ends = np.empty_like(starts)

    def run():
        for first in range(0, len(starts), width):
            ta.set_time(0.0)
            ta.state[:] = starts[first:first + width].T
            ta.propagate_until(t)
            ends[first:first + width] = ta.state.T

        return ends

    seconds, error = measure(run, reference)
    return seconds / len(starts), error


if hy is not None:
    text = subprocess.run([hamel, __file__.replace("peers.py", "batch.lua")], capture_output=True, text=True, check=True).stdout
    cases, current = {}, None
    for line in text.splitlines():
        word = line.split()
        if word[0] == "batch":
            current = cases[word[1]] = {"t": float(word[2]), "rows": [], "runs": {}}
        elif word[0] == "row":
            current["rows"].append([float(x) for x in word[1:]])
        else:
            current["runs"].setdefault(word[1], []).append(tuple(float(x) for x in word[2:5]))
    print("400 starts side by side, one thread; us a run and largest error (of a scalar run at 1e-14)")
    for name, case in cases.items():
        rows = np.array(case["rows"])
        starts, reference = rows[:, :rows.shape[1] // 2].copy(), rows[:, rows.shape[1] // 2:].copy()
        runs = dict(case["runs"])
        for width in (4, 8):
            label = "heyoka x%d" % width
            for exponent in (10, 11, 12, 13):
                seconds, error = batch_of_heyoka(systems[name], starts, reference, case["t"], 10.0**-exponent, width)
                runs.setdefault(label, []).append((10.0**-exponent, seconds, error))
        print("  " + name)
        for label, found in runs.items():
            print("    %-10s" % label + "".join("   %.0e: %7.2f us %8.1e" % (tolerance, seconds * 1e6, error) for tolerance, seconds, error in found))
        times = {label: time_to_reach(found, 1e-11) for label, found in runs.items()}
        ours = min((times[label] for label in ("dop853", "taylor") if times.get(label)), default=None)
        print("    at error 1e-11: " + ", ".join("%s %s us%s" % (label, text_of, " (%.2f x)" % (value / ours) if value and ours else "")
                                              for label, value in times.items() for text_of in [text_us(value)]))
