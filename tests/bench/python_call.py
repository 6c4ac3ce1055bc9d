#!/usr/bin/env python3
"""python_call.py: what a call from Python costs beside the same in Lua, sums beside SymPy's, and series as arrays.

PYTHONPATH=build/python python3 tests/bench/python_call.py      medians of nine rounds, thread CPU time. SymPy is left out where it is missing.
"""
import statistics
import time

import hamel as hm

ROUNDS = 9


def median_of(work, count):
    """CPU time of one call in microseconds, and the spread of the rounds."""
    times = []
    for _ in range(ROUNDS):
        begun = time.thread_time()
        work(count)
        times.append((time.thread_time() - begun)/count*1e6)
    times.sort()
    return statistics.median(times), (times[-2] - times[1])/times[ROUNDS//2]


def repeat(call):
    def work(count):
        for _ in range(count):
            call()
    return work


def in_lua(text):
    """The same in Lua: a loop over a Lua function of (S, run, x, y)."""
    loop = hm.lua(f"""return function(S, run, x, y) local hm = require "hamel" local f = function() {text} end
      return function(n) for _ = 1, n do f() end end end""")
    return loop


S = hm.System("sleigh")
x, y, theta = S.coordinates("x y theta")
m, J = S.positive("m=1 J=1/2")
S.kinetic_energy(m/2*(x.dot**2 + y.dot**2) + J/2*theta.dot**2)
S.constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
run = S.simulate(q=dict(x=0, y=0, theta=0), v=dict(x=1, theta=0.3), t=100)

rows = [
    ("x + y", lambda: x + y, "return x + y", 20000),
    ("x.dot", lambda: x.dot, "return x.dot", 20000),
    ("S.name", lambda: S.name, "return S.name", 20000),
    ("hm.sin(2.0)", lambda: hm.sin(2.0), "return hm.sin(2.0)", 10000),
    ("hm.sin(x)", lambda: hm.sin(x), "return hm.sin(x)", 10000),
    ("x.is_zero()", lambda: x.is_zero(), "return x:is_zero()", 5000),
    ("run.at(7.5)", lambda: run.at(7.5), "return run:at(7.5)", 2000),
    ("run.at(7.5).x", lambda: run.at(7.5).x, "return run:at(7.5).x", 2000),
]
print(f"{'call':16s} {'Python':>9s} {'Lua':>9s} {'beside':>9s}   (us; spread)")
for name, call, text, count in rows:
    here, spread = median_of(repeat(call), count)
    there, _ = median_of(in_lua(text)(S, run, x, y), count)
    print(f"{name:16s} {here:9.2f} {there:9.2f} {here - there:9.2f}   {spread:.0%}")

try:
    import sympy
    a, b = sympy.symbols("a b")
    cached, _ = median_of(repeat(lambda: a + b), 20000)
    sums = iter(sympy.symbols("s0:400000"))
    fresh, _ = median_of(repeat(lambda: a + next(sums)), 20000)
    print(f"SymPy a + b: {cached:.2f} us from its cache, {fresh:.2f} us where it is new")
except ImportError:
    print("SymPy is missing")

pendulum = hm.System("pendulum")
phi = pendulum.coordinates("phi")
pendulum.kinetic_energy(phi.dot**2/2)
pendulum.potential_energy(-hm.cos(phi))
long = pendulum.simulate(q=dict(phi=1), v=dict(phi=0), t=10000)
columns = ["phi", "phi'", "energy", "t", phi**2, phi*phi.dot, phi.dot**2, hm.sin(phi), hm.cos(phi), "2*phi"]
for names, n in ((columns, 100000), (columns[:1], 1000000)):
    spent, spread = median_of(lambda count: long.series(*names, n=n), 1)
    print(f"series of {len(names)} x {n} values: {spent/1000:.1f} ms ({spread:.0%})")
spent, _ = median_of(lambda count: [setattr(long, "_kept", None), delattr(long, "_kept"), long.states], 1)
print(f"states of {len(long)} steps: {spent/1000:.1f} ms")
