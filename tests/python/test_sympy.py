"""Expressions to SymPy and back: all equations of the examples, derivatives, functions, cases; what is refused."""
import contextlib
import glob
import io
import os
import unittest

import hamel as hm
from systems import missing

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples")
UNDECIDED = {"bicycle"}                  # expressions too large for a proof that they are equal


def first_system(path):
    """The first system that a Lua program declares."""
    run = hm.lua("""
      return function(path)
        local hm, declared = require "hamel", {}
        local original, show = hm.system, print
        hm.system = function(name) declared[#declared + 1] = original(name) return declared[#declared] end
        print = function() end
        local fine, message = pcall(dofile, path)
        hm.system, print = original, show
        return fine, declared[1] or message
      end""")
    fine, system = run(path)
    assert fine, system
    return system


@missing("sympy")
class Back(unittest.TestCase):
    def setUp(self):
        import sympy
        from sympy.physics.mechanics import dynamicsymbols
        self.sp, self.t = sympy, dynamicsymbols._t
        self.S = hm.System("plane")
        self.x, self.y = self.S.coordinates("x y")
        self.S.positive("m=1")
        self.X = dynamicsymbols("x")

    def reads(self, e, text):
        self.assertEqual(str(hm.from_sympy(e, self.S)), text)

    def refuses(self, e, words):
        with self.assertRaisesRegex(hm.HamelError, words):
            hm.from_sympy(e, self.S)

    def test_equations_of_the_examples(self):
        count = 0
        for path in sorted(glob.glob(os.path.join(EXAMPLES, "*.lua"))):
            if os.path.basename(path)[:-4] in UNDECIDED:
                continue
            with contextlib.redirect_stdout(io.StringIO()):
                S = first_system(path)
            E = S.equations("lagrange")
            for e in list(E) + [E.energy]:
                if isinstance(e, hm.Object):
                    self.assertIs((hm.from_sympy(hm.to_sympy(e), S) - e).is_zero(), True, f"{path}: {e}")
                    count += 1
        self.assertGreater(count, 80)

    def test_derivatives(self):
        sp, X, t = self.sp, self.X, self.t
        self.reads(X.diff(t, 3), "x'''")
        self.reads(sp.Function("x")(sp.Symbol("t")).diff(sp.Symbol("t"), 2), "x''")
        self.reads(sp.Derivative(X**2, t), "2*x*x'")
        self.refuses(sp.Derivative(sp.Function("y")(X), X), "no derivative with respect to the time")
        self.refuses(sp.Function("y")(X), "other than the time")
        self.refuses(sp.Derivative(sp.Function("y")(X), t), "other than the time|no derivative")
        self.assertEqual(hm.to_sympy(self.x.ddot.dot), X.diff(t, 3))

    def test_functions_of_time_and_of_others(self):
        u = hm.functions_of_time("u")
        self.assertEqual(hm.from_sympy(hm.to_sympy(u.dot*self.x), self.S), u.dot*self.x)
        with self.assertRaisesRegex(hm.HamelError, r"V\(x\) has no counterpart"):
            hm.to_sympy(hm.func("V", self.x))

    def test_cases(self):
        sp, X = self.sp, self.X
        cases = hm.from_sympy(sp.Piecewise((X, X < 1), (2*X, X <= 2), (0, True)), self.S)
        for value, expected in ((0.5, 0.5), (1, 2), (1.5, 3), (2, 4), (3, 0)):
            self.assertEqual(cases.eval(x=value), expected)
        for at_zero in (0, 1, sp.Rational(1, 2)):
            step = hm.from_sympy(sp.Heaviside(X, at_zero), self.S)
            self.assertEqual([step.eval(x=value) for value in (-1, 0, 2)], [0, float(at_zero), 1])
        self.refuses(sp.Piecewise((X, X < 1)), "the last condition must be True")
        self.refuses(sp.Piecewise((X, sp.And(X < 1, X > 0)), (1, True)), "no condition")

    def test_numbers(self):
        sp, X = self.sp, self.X
        self.reads(sp.Integer(2)**200*X, f"{2**200}*x")
        self.reads(sp.Rational(1, 3**50)*X, f"x/{3**50}")
        self.reads(sp.sec(X) + sp.Max(X, 1, 2)*0, "1/cos(x)")
        self.assertEqual(hm.from_sympy(sp.Max(X, 1, 2), self.S).eval(x=1.5), 2)
        for e in (sp.I*X, sp.oo, sp.nan, sp.zoo, sp.erf(X), sp.GoldenRatio, sp.Integral(X, self.t)):
            self.refuses(e, "no counterpart")
        self.refuses(sp.Symbol("unknown"), "no coordinate or parameter 'unknown'")

    def test_floats_of_many_digits_stay_exact(self):
        import sympy
        S = hm.System("digits")
        S.coordinates("x")
        wide = sympy.Float("0.12345678901234567890123", 25)
        exact = sympy.Rational(wide)
        for found in (hm.from_sympy(wide, S), hm.number(wide)):
            self.assertEqual(str(found), f"{exact.p}/{exact.q}")
        self.assertEqual(float(hm.from_sympy(sympy.Float("0.1"), S)), 0.1)

    def test_matrices_lists_equations(self):
        sp, X = self.sp, self.X
        A = hm.from_sympy(sp.Matrix([[X, 1], [2, X]]), self.S)
        self.assertEqual(hm.to_sympy(A), sp.Matrix([[X, 1], [2, X]]))
        self.assertEqual([str(e) for e in hm.from_sympy([X, 1], self.S)], ["x", "1"])
        self.assertEqual(str(hm.from_sympy(sp.Eq(X, 1), self.S)), "x = 1")
        with self.assertRaisesRegex(TypeError, "to_sympy takes expressions"):
            hm.to_sympy(self.S)


if __name__ == "__main__":
    unittest.main()
