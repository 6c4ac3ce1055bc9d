# identities_judge.py: judges the lines of identities.lua by values at 60 digits (400 or 3200 where these do not suffice) at random real points.
# A line: class, identity or perturbed, verdict of Hamel, text, text; separated by tabs. Exit status 1 when a verdict is wrong.
import random
import re
import sys
import warnings

import mpmath
from mpmath import mpf

warnings.filterwarnings("ignore")


class Undefined(Exception):
    pass


LARGEST = 10 ** 5                      # of exponents and of the arguments of those functions whose values take too long beyond


def real(f):
    def call(*a):
        v = f(*a)
        if isinstance(v, mpmath.mpc) or not mpmath.isfinite(v):
            raise Undefined
        return v
    return call


def tiny():
    return mpf(10) ** (-mpmath.mp.dps // 2)


class Number(object):
    """A real number whose power is undefined where it is not real; exponents within rounding of an integer are one."""
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v

    def __add__(self, o): return Number(self.v + o.v)
    def __sub__(self, o): return Number(self.v - o.v)
    def __mul__(self, o): return Number(self.v * o.v)
    def __neg__(self): return Number(-self.v)

    def __truediv__(self, o):
        if o.v == 0:
            raise Undefined
        return Number(self.v / o.v)

    def __pow__(self, o):
        if abs(o.v) > LARGEST:
            raise Undefined
        n = int(mpmath.nint(o.v))
        integer = abs(o.v - n) < tiny()
        if (self.v == 0 and o.v <= 0) or (self.v < 0 and not integer):
            raise Undefined
        if not integer and 0 < self.v < tiny():
            raise Undefined            # zero but for rounding, of which a small power is not small
        return Number(self.v ** n if integer else mpmath.power(self.v, o.v))


def positive(f):
    def call(v):
        if v < -tiny() or (v <= 0 and f is mpmath.log):
            raise Undefined
        return f(max(v, mpf(0)))
    return call


def bounded(f):
    def call(v):
        if abs(v) > LARGEST:
            raise Undefined
        return f(v)
    return call


def sign(v):
    return mpf(0) if abs(v) < tiny() else mpmath.sign(v)


def of_unit(f):
    def call(v):
        if abs(v) > 1 + tiny():
            raise Undefined
        return f(min(max(v, mpf(-1)), mpf(1)))
    return call


def angle(a, b):
    if a == 0 and b == 0:
        raise Undefined
    return mpmath.atan2(a, b)


FUNCTIONS = {
    "sin": bounded(mpmath.sin), "cos": bounded(mpmath.cos), "tan": bounded(mpmath.tan), "exp": bounded(mpmath.exp),
    "sinh": bounded(mpmath.sinh), "cosh": bounded(mpmath.cosh), "tanh": bounded(mpmath.tanh),
    "sqrt": positive(mpmath.sqrt), "log": positive(mpmath.log), "abs": abs, "sign": sign,
    "asin": of_unit(mpmath.asin), "acos": of_unit(mpmath.acos), "atan": mpmath.atan, "atan2": angle, "asinh": mpmath.asinh,
    "max": max, "min": min,
}
NAMES = {n: (lambda f: lambda *a: Number(real(f)(*[x.v for x in a])))(f) for n, f in FUNCTIONS.items()}
NAMES["N"] = lambda s: Number(mpf(s))


def compiled(text):
    text = re.sub(r"(?<![\w.])(\d+)", r"N(\1)", text).replace("^", "**")
    return compile(text, "line", "eval")


def value(code, point):
    names = dict(NAMES)
    names.update({k: Number(v) for k, v in point.items()})
    names["pi"] = Number(mpmath.pi + 0)
    try:
        v = eval(code, names).v
        return v if mpmath.isfinite(v) else None
    except (Undefined, ZeroDivisionError, OverflowError, ValueError):
        return None


def random_point(r, wide):
    n = 2 ** 40
    free = lambda a: mpf(r.randrange(-n, n)) / n * a
    return {"x": free(wide), "y": free(wide), "z": free(wide),
            "p": abs(free(max(wide, 2))) + mpf(1) / 10, "q": abs(free(max(wide, 2))) + mpf(1) / 10}


def truth(a, b, r, points, digits):
    """'zero', 'nonzero' (with certainty at a point) or 'nowhere' defined"""
    mpmath.mp.dps = digits
    defined = 0
    for k in range(points):
        at = random_point(r, (mpf(3) / 2, mpf(3) / 2, mpf(1) / 4, 5)[k % 4])
        v, w = value(a, at), value(b, at)
        if v is None or w is None:
            continue
        if abs(v - w) > mpf(10) ** (-digits / 2) * (1 + abs(v)):
            mpmath.mp.dps = max(400, digits)
            v, w = value(a, at), value(b, at)
            mpmath.mp.dps = digits
            if v is None or w is None:
                continue
            if abs(v - w) > mpf(10) ** (-3 * max(400, digits) // 8) * (1 + abs(v)):
                return "nonzero"
        defined += 1
    return "zero" if defined >= 2 else "nowhere"


def main():
    path, seed = sys.argv[1], int(sys.argv[2])
    r = random.Random(seed)
    tally, wrong = {}, 0
    for line in open(path):
        kind, _, verdict, left, right = line.rstrip("\n").split("\t")
        a, b = compiled(left), compiled(right)
        known = truth(a, b, r, 10, 60)
        bad = known != "nowhere" and verdict != "undecided" and verdict != known
        if bad:
            known = truth(a, b, r, 400, 100)
            if known == "zero" and verdict == "nonzero":   # it may be so beside terms like exp(3200), or far off
                known = truth(a, b, r, 100, 3200)
            bad = verdict != known
        if bad or (len(sys.argv) > 3 and verdict == "undecided" and sys.argv[3] in (known, "all")):
            print("%s: Hamel says %s, %s: %s - %s" % (kind, verdict, known, left, right))
        if bad:
            wrong += 1
        key = (kind, known)
        counts = tally.setdefault(key, {})
        counts[verdict] = counts.get(verdict, 0) + 1
    for (kind, known), counts in sorted(tally.items()):
        total = sum(counts.values())
        print("  %-10s truth %-8s %6d lines: %s; undecided %.2f %%" % (
            kind, known, total, ", ".join("%s %d" % c for c in sorted(counts.items())), 100 * counts.get("undecided", 0) / total))
    print("  wrong: %d" % wrong)
    sys.exit(1 if wrong else 0)


main()
