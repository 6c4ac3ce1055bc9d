#!/usr/bin/env python3
"""sympy_compare.py HAMEL: size and time of simplification side by side with SymPy. Sizes are SymPy's count of both results.

Exit status 77 where SymPy is missing.
"""
import subprocess
import sys
import time

try:
    import sympy as sp
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

hamel = sys.argv[1] if len(sys.argv) > 1 else "build/hamel"

# names of functions of time get no primes here: vx stands for x'
def count(x):
    return sum(1 for _ in sp.preorder_traversal(x))


EXPRESSIONS = {
    "sleigh lambda": "-(w*vx*cos(h) + w*vy*sin(h))/(sin(h)^2/m + cos(h)^2/m)",
    "sleigh, forces": "(Q1*sin(h) - Q2*cos(h))/m + w*vx*cos(h) + w*vy*sin(h) + w*vx*sin(h)^2/cos(h)",
    "polar connection": "x2*(x1^2/(x1^2 + x2^2)^(3/2) - 1/sqrt(x1^2 + x2^2))/sqrt(x1^2 + x2^2) - x1^2*x2/(x1^2 + x2^2)^2",
    "double pendulum": "l1*m2*l2*(w2*(sin(a)*sin(b) + cos(a)*cos(b)) + v2^2*(sin(a)*cos(b) - cos(a)*sin(b))) + l1^2*(m1 + m2)*w1*(sin(a)^2 + cos(a)^2)",
    "multiple angles": "sin(3*a)/sin(a) - cos(3*a)/cos(a) + (1 - cos(2*a))/sin(2*a)",
    "fraction": "(a^2 - b^2)/(a - b) + (a^3 - b^3)/(a^2 + a*b + b^2)",
}

script = "local hm = require 'hamel'; local clock = require('hamel.core').host.clock; local names = {}; for n in (arg[1]):gmatch('%S+') do " \
    "names[#names + 1] = hm.symbols(n) end; local e = hm.parse(arg[2], names); local t = clock(); local s = e:simplify(); " \
    "print(clock() - t); print(s)"

print("SymPy %s; time in ms, nodes as SymPy counts them" % sp.__version__)
print("%-18s %6s | %8s %6s | %9s %6s" % ("expression", "input", "ours", "nodes", "simplify", "nodes"))
for name, text in EXPRESSIONS.items():
    e = sp.sympify(text.replace("^", "**"))
    symbols = " ".join(sorted(str(s) for s in e.free_symbols))
    out = subprocess.run([hamel, "-", symbols, text], input=script, capture_output=True, text=True, check=True).stdout.split("\n")
    ours = sp.sympify(out[1].replace("^", "**"))
    t = time.perf_counter()
    theirs = sp.simplify(e)
    spent = time.perf_counter() - t
    assert abs(sp.N((ours - e).subs({s: 0.3 + 0.17 * i for i, s in enumerate(sorted(e.free_symbols, key=str))}))) < 1e-9, name
    print("%-18s %6d | %8.2f %6d | %9.1f %6d" % (name, count(e), 1e3 * float(out[0]), count(ours), 1e3 * spent, count(theirs)))
