"""Values on their way in and out: numbers of other types, lists, tables, SymPy, NumPy; what is refused, and with which words."""
import unittest
from collections import OrderedDict, deque
from decimal import Decimal
from fractions import Fraction

import hamel as hm
from systems import START, missing, sleigh


class Numbers(unittest.TestCase):
    def test_exact_numbers(self):
        _, x, *_ = sleigh()
        for value, text in ((Fraction(1, 3), "x/3"), (Fraction(4, 2), "2*x"), (Decimal("0.1"), "x/10"), (Decimal("1E+2"), "100*x"), (2**70, f"{2**70}*x"),
                            (0.1, "x/10"), (Fraction(1, 3**50), f"x/{3**50}")):
            self.assertEqual((str(x*value), str(value*x)), (text, text))
        self.assertEqual(str(x**Fraction(1, 2)), "sqrt(x)")
        self.assertEqual(S_time(Fraction(1, 2)), 0.5)
        self.assertEqual(S_time(Decimal(2)), 2)

    def test_python_asks_for_a_number(self):
        _, x, *_ = sleigh()
        self.assertEqual((float(hm.rational(1, 4)), int(hm.number(7)), float(x - x + 2)), (0.25, 7, 2.0))
        with self.assertRaisesRegex(TypeError, "hamel.sin"):
            float(x)
        self.assertEqual(str(abs(x)), "abs(x)")

    def test_truth(self):
        S, x, y, _ = sleigh()
        run = S.simulate(**START, t=1)
        with self.assertRaisesRegex(TypeError, "neither true nor false.*is_zero"):
            bool(x)
        self.assertTrue(S and run)
        self.assertFalse(run.impacts)
        self.assertTrue(x == x and x != y and not x == 0)

    def test_refused(self):
        _, x, *_ = sleigh()
        for value, words in ((1j, "complex"), (b"1", "'bytes'"), ({1}, "no order"), (object(), "'object' is nothing"), (int, "the class 'int'"), ([1, None], "entry 1.*None"),
                             ({1.5: 2}, "1.5 is no key"), ({None: 2}, "None is no key")):
            with self.assertRaisesRegex(TypeError, words):
                x.subs(value) if isinstance(value, (dict, list)) else x*value
        with self.assertRaisesRegex(TypeError, r"x\*\*2"):
            2 ^ x
        with self.assertRaisesRegex(hm.HamelError, "nan cannot enter"):
            x*float("nan")
        with self.assertRaisesRegex(hm.HamelError, "boolean"):
            x*True
        with self.assertRaisesRegex((hm.HamelError, AttributeError), "no fields to assign"):
            x.mass = 3
        with self.assertRaisesRegex(TypeError, "no list"):
            list(x)
        with self.assertRaisesRegex(TypeError, "no length"):
            len(x)


def S_time(t):
    S, *_ = sleigh()
    return S.simulate(**START, t=t).t[-1]


class Containers(unittest.TestCase):
    def test_lists_of_any_kind(self):
        S, *_ = sleigh()
        for values in ([1, 2, 3], (1, 2, 3), range(1, 4), deque([1, 2, 3]), {1: "a", 2: "b", 3: "c"}.keys(), (i for i in (1, 2, 3)), map(int, "123")):
            sweep = S.sweep(over=[["m", values]], **START, t=1)
            self.assertEqual(list(sweep.column("m")), [1, 2, 3])
        self.assertEqual(S.simulate(OrderedDict(**START, t=1)).status, "OK")

    def test_named_tables(self):
        S, *_ = sleigh()
        run = S.simulate(**START, t=1)
        q = run.at(1).q
        self.assertEqual((len(q), sorted(q), dict(q)["x"], "x" in q, "z" in q), (3, ["theta", "x", "y"], q.x, True, False))
        self.assertEqual(S.simulate(q=q, v=run.at(1).v, t=1).status, "OK")
        self.assertEqual(sorted(dict(run.q.items())), ["theta", "x", "y"])
        with self.assertRaisesRegex(hm.HamelError, "by name"):
            S.simulate(q=[0, 0, 0], v=dict(x=1, theta=0.3), t=1)
        with self.assertRaisesRegex(TypeError, "no length"):
            len(S)
        with self.assertRaisesRegex(TypeError, "is no list"):
            list(S)
        with self.assertRaisesRegex(IndexError, "the list is empty"):
            run.impacts[0]

    def test_as_python_writes_it(self):
        import copy
        S, x, *_ = sleigh()
        sweep = S.sweep(over={"m": [1, 2], "J": [1, 2, 3]}, **START, t=1)
        self.assertEqual((list(sweep.column("m")), list(sweep.column("J"))), ([1, 1, 1, 2, 2, 2], [1, 2, 3, 1, 2, 3]))
        self.assertEqual(list(S.sweep({"over": {"m": [1, 2]}, "t": 1, **START}).column("m")), [1, 2])
        self.assertIn("S:sweep", S.sweep.__doc__)
        run = S.simulate(**START, t=1)
        self.assertEqual([list(one) for one in run.series(["x", "y"], n=3)], [list(one) for one in run.series("x", "y", n=3)])
        self.assertEqual((f"{x:>3}|", f"{hm.rational(1, 4):.3f}", f"{x}"), ("  x|", "0.250", "x"))
        self.assertEqual(str(S.mass_matrix()[2, 2]), "J")
        self.assertIs(copy.deepcopy([x])[0], x)
        with self.assertRaisesRegex(TypeError, "cannot be copied"):
            copy.copy(S)
        with self.assertRaisesRegex(hm.HamelError, "unknown option 'tt'"):
            S.sweep(over={"m": [1]}, **START, tt=1)

    def test_declarations(self):
        S, *_ = sleigh()
        self.assertEqual([str(one) for one in S.positive("a=1 b=2")], ["a", "b"])
        S.parameters(k=Fraction(1, 3), c=None)
        with self.assertRaisesRegex(hm.HamelError, "one text"):
            S.positive("d", 1)

    def test_keywords(self):
        S, *_ = sleigh()
        for options, words in ((dict(T=1), "unknown option 'T'"), (dict(t="x"), "simulate"), (dict(t=1, rtol="small"), "'rtol' is a number"),
                               (dict(t=1, method="rk5"), "did you mean 'rk4'")):
            with self.assertRaisesRegex(hm.HamelError, words):
                S.simulate(**START, **options)


@missing("numpy")
class NumPy(unittest.TestCase):
    def test_scalars_and_arrays(self):
        import numpy as np
        _, x, y, _ = sleigh()
        for value in (np.float64(2), np.int64(2), np.int8(2), np.array(2), np.array(2.0)):
            self.assertEqual((str(x*value), str(value*x), str(x - value), str(value - x)), ("2*x", "2*x", "x - 2", "2 - x"), repr(value))
        both = np.array([x, y])
        self.assertEqual((both.shape, [str(e) for e in 2*both], [str(e) for e in x*np.array([1, 2])]), ((2,), ["2*x", "2*y"], ["x", "2*x"]))
        self.assertEqual(str(both @ both), "x^2 + y^2")
        with self.assertRaisesRegex(TypeError, "complex"):
            x*complex(np.complex128(1j))

    def test_lists_of_the_library(self):
        import numpy as np
        S, *_ = sleigh()
        run = S.simulate(**START, t=1)
        self.assertEqual(np.array(run.t).dtype, float)
        self.assertEqual(np.asarray(run.q.x).shape, (len(run),))
        self.assertEqual(np.array(S).shape, ())
        self.assertEqual(np.array(S.mass_matrix()).shape, (3, 3))
        self.assertEqual(run.t[np.int64(0)], 0)

    def test_arithmetic_of_lists(self):
        import numpy as np
        S, *_ = sleigh()
        run = S.simulate(**START, t=1)
        x, y = np.array(list(run.q.x)), np.array(list(run.q.y))
        for found, expected in ((run.q.x + run.q.y, x + y), (2*run.q.x, 2*x), (run.q.x**2 - 1, x**2 - 1), (-run.q.x, -x), (run.q.x/(1 + run.q.y), x/(1 + y)),
                                (run.q.x > 0.5, x > 0.5), (0.5 >= run.q.x, 0.5 >= x), (run.q.x*x, x*x), (np.sqrt(x)*run.q.x, np.sqrt(x)*x)):
            self.assertTrue(isinstance(found, np.ndarray) and (found == expected).all())
        self.assertEqual(np.max(run.q.x), x.max())

    def test_equality_and_masks_of_lists(self):
        import numpy as np
        S, *_ = sleigh()
        run = S.simulate(**START, t=1)
        t = np.array(list(run.t))
        for found, expected in ((run.t == 0.0, t == 0), (0.0 == run.t, t == 0), (run.t != 0, t != 0), (run.t == run.t, t == t), (run.t != run.t, t != t),
                                (run.t == t, t == t), (run.t[run.t > 0.5], t[t > 0.5]), (run.t[[0, -1]], t[[0, -1]])):
            self.assertTrue(isinstance(found, np.ndarray) and np.array_equal(found, expected))
        with self.assertRaises(TypeError):
            S.mass_matrix()[t > 0.5]

    def test_wide_numbers(self):
        import numpy as np
        _, x, *_ = sleigh()
        self.assertEqual(str(x*np.longdouble(2)), "2*x")
        for value, words in ((np.longdouble("0.1"), "more digits than a double"), (np.clongdouble(1j), "complex")):
            if np.finfo(np.longdouble).nmant > 52 or words == "complex":
                with self.assertRaisesRegex(TypeError, words):
                    hm.number(value)

    def test_a_force_is_one_number(self):
        S, x, *_ = sleigh()
        S.force(x, lambda t, q, v: (1.0, "junk"))
        with self.assertRaisesRegex(hm.HamelError, "several values"):
            S.simulate(**START, t=1)

    def test_matrices(self):
        _, x, y, _ = sleigh()
        A = hm.matrix([[1, x], [y, 2]])
        self.assertEqual(str(A @ A), str(A*A))
        with self.assertRaises(TypeError):
            x @ y


@missing("pandas")
class Pandas(unittest.TestCase):
    def test_a_row_is_a_start(self):
        import pandas as pd
        S, *_ = sleigh()
        row = pd.DataFrame([dict(x=0, y=0, theta=0.0)]).iloc[0]
        self.assertEqual(S.simulate(q=row, v=dict(x=1, theta=0.3), t=1).status, "OK")
        frame = pd.DataFrame(dict(m=[1.0, 2.0]))
        self.assertEqual(len(S.sweep(over=[["m", frame["m"]]], **START, t=1).dataframe()), 2)


@missing("sympy")
class SymPy(unittest.TestCase):
    def test_numbers_of_sympy(self):
        import sympy as sp
        _, x, *_ = sleigh()
        self.assertEqual((str(x*sp.Rational(1, 3)), str(sp.Rational(1, 3)*x), str(x + sp.Integer(2)), str(sp.Float(0.5)*x)), ("x/3", "x/3", "x + 2", "x/2"))
        for value in (sp.Symbol("x"), sp.pi, sp.sqrt(2)):
            with self.assertRaisesRegex(TypeError, "from_sympy"):
                x*value
        self.assertEqual(sp.simplify(hm.sin(x)**2 + hm.cos(x)**2), 1)

    def test_there(self):
        import sympy as sp
        S, x, *_ = sleigh()
        big = hm.rational(1, 3)**100*x
        self.assertEqual(hm.to_sympy(big).coeff(hm.to_sympy(x)), sp.Rational(1, 3**100))
        self.assertEqual(hm.to_sympy(x.ddot).derivative_count, 2)


if __name__ == "__main__":
    unittest.main()
