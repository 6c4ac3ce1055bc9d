"""The Python package: numbers of the prompt, arrays, errors, interrupts, threads, SymPy. What needs NumPy, pandas or SymPy is skipped without them."""
import signal
import threading
import time
import unittest
from fractions import Fraction

import hamel as hm
from hamel import cos, sin
from systems import START, interrupt_after, missing, sleigh


class Language(unittest.TestCase):
    def test_the_first_run(self):
        S, x, y, theta = sleigh()
        run = S.simulate(**START, t=20)
        self.assertEqual(run.status, "OK")
        self.assertAlmostEqual(run.at(7.5).x, 2.5935773212, places=8)
        self.assertAlmostEqual(run.at(7.5)["lambda"].blade, -0.3, places=9)
        self.assertEqual(run.at(7.5).lambda_.blade, run.at(7.5)["lambda"].blade)
        self.assertEqual(str(S.multipliers()[0]), "-m*theta'*(x'*cos(theta) + y'*sin(theta))")

    def test_the_same_bits_as_lua(self):
        S, *_ = sleigh()
        there = hm.lua("""
          local S = hm.system "Chaplygin sleigh"
          local x, y, theta = S:coordinates "x y theta"
          local m, J = S:positive "m=1 J=1/2"
          S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
          S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
          return S:simulate{ q = {x = 0, y = 0, theta = 0}, v = {x = 1, theta = 0.3}, t = 20 }:at(20).x
        """)
        self.assertEqual(S.simulate(**START, t=20).at(20).x, there)

    def test_arithmetic_and_exact_numbers(self):
        _, x, y, _ = sleigh()
        self.assertEqual(str(x*Fraction(1, 3) + 2), "x/3 + 2")
        self.assertEqual(str(x*2**70), "1180591620717411303424*x")
        self.assertEqual(str(2/x - x**2), "2/x - x^2")
        self.assertEqual(str(-x), "-x")
        self.assertTrue(x == x and x != y and not x == 3)
        self.assertEqual(len({x, x + 0, y}), 2)
        root = hm.sqrt(3)
        self.assertEqual((str(root), str(root*root - 3), hm.sqrt(9)), ("sqrt(3)", "0", 3))
        self.assertEqual(float(root), 3**0.5)
        self.assertTrue(root < 2 and 1 < root and hm.pi >= 3)
        with self.assertRaisesRegex(TypeError, "is no number"):
            float(x + root)
        with self.assertRaisesRegex(hm.HamelError, "is not a real number"):
            hm.sqrt(-1)
        with self.assertRaisesRegex(TypeError, r"x\*\*2"):
            x ^ 2
        with self.assertRaises(hm.HamelError):
            x < y

    def test_verdicts(self):
        S, x, y, theta = sleigh()
        self.assertTrue(S.is_conserved(theta.dot))
        answer = S.is_conserved(x.dot)
        self.assertFalse(answer)
        self.assertIs(answer[0], False)
        self.assertIn("theta", str(answer[1]))
        self.assertFalse(S.is_conserved(hm.sign(x)))

    def test_lists_count_from_zero(self):
        S, *_ = sleigh()
        run = S.simulate(**START, t=20)
        self.assertEqual(run[0].t, 0)
        self.assertEqual(run[-1].t, 20)
        self.assertEqual(len(run[2:5]), 3)
        with self.assertRaises(IndexError):
            run[len(run)]
        self.assertEqual([str(one) for one in S.coordinate_list()], ["x", "y", "theta"])

    def test_names_for_completion(self):
        S, x, _, _ = sleigh()
        self.assertIn("simulate", dir(S))
        self.assertIn("sin", dir(hm))
        self.assertIn("simplify", dir(x))
        self.assertNotIn("_changes", dir(S))
        self.assertNotIn("by_name", dir(S))
        self.assertIn("Simulates the motion of the system", S.simulate.__doc__)
        self.assertIn("short", x.simplify.__doc__)


class Errors(unittest.TestCase):
    def test_messages_of_the_prompt(self):
        S, x, _, _ = sleigh()
        with self.assertRaisesRegex(hm.HamelError, "unknown option 'tt'"):
            S.simulate(**START, tt=20)
        with self.assertRaisesRegex(AttributeError, "did you mean 'simulate'"):
            S.simulat
        with self.assertRaisesRegex(AttributeError, "systen|system"):
            hm.systen
        with self.assertRaisesRegex(TypeError, "'object' is nothing that Hamel takes: numbers"):
            x + object()
        loop = []
        loop.append(loop)
        with self.assertRaisesRegex(ValueError, "nested too deep"):
            S.simulate(q=loop)
        with self.assertRaisesRegex(TypeError, "pickled"):
            import pickle
            pickle.dumps(x)

    def test_functions_of_python(self):
        S, x, _, _ = sleigh()
        S.force(x, lambda t, q, v: -q["x"])
        self.assertAlmostEqual(S.simulate(q=dict(x=1, y=0, theta=0), v=dict(x=0, theta=0), t=1).at(1).x, 0.5403023058681398, places=8)

        B = hm.System("ball")
        h = B.coordinates("h")
        B.kinetic_energy(h.dot**2/2)
        B.force(h, -1)
        B.unilateral("floor", h, law=lambda impact: {"normal": -impact.normal/(1 - impact.normal)})
        ball = B.simulate(q={"h": 2}, v={"h": 0}, t=4, rtol=1e-11, atol=1e-12)
        self.assertAlmostEqual(ball.impacts[0].after.v.h, 2/3, places=9)

        def broken(t, q, v):
            raise ValueError("my own")
        S.force(x, broken, replace=True)
        with self.assertRaisesRegex(ValueError, "my own"):
            S.simulate(**START, t=1)


class Work(unittest.TestCase):
    def test_interrupt_keeps_the_run(self):
        S, *_ = sleigh()
        S.simulate(**START, t=1)
        interrupt_after(0.4)
        with self.assertRaises(KeyboardInterrupt) as caught:
            S.simulate(**START, t=1e12, progress=False)
        self.assertEqual(caught.exception.run.status, "INTERRUPTED")
        self.assertGreater(len(caught.exception.run), 10)
        interrupt_after(0.4)
        with self.assertRaises(KeyboardInterrupt):
            hm.lua("while true do end")
        self.assertEqual(hm.lua("return 1 + 1"), 2)
        with self.assertRaises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            time.sleep(1)

    def test_threads(self):
        S, *_ = sleigh()
        found = []

        def work():
            for _ in range(5):
                found.append(S.simulate(**START, t=50).at(50).x)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual(len(found), 20)
        self.assertEqual(len(set(found)), 1)

    def test_objects_are_given_back(self):
        import gc
        _, x, y, _ = sleigh()
        hm.lua("collectgarbage()")
        before = hm.lua("return collectgarbage 'count'")
        for _ in range(100000):
            x + y
        gc.collect()
        x + y
        hm.lua("collectgarbage()")
        self.assertLess(hm.lua("return collectgarbage 'count'") - before, 2000)


@missing("numpy")
class Arrays(unittest.TestCase):
    def test_series_and_states(self):
        import numpy
        S, *_ = sleigh()
        run = S.simulate(**START, t=20)
        t, x, force = run.series("x", "lambda.blade", n=1000)
        self.assertEqual((t.shape, x.shape), ((1000,), (1000,)))
        self.assertAlmostEqual(float(force[-1]), -0.3, places=8)
        states = run.states
        self.assertEqual(states.shape, (len(run), 6))
        self.assertTrue(numpy.shares_memory(states, run.states))
        with self.assertRaises(ValueError):
            states[0, 0] = 1
        self.assertEqual([[float(v) for v in row[:3]] for row in states], [[s.x, s.y, s.theta] for s in run])
        last = run[-1].x
        del run
        self.assertEqual(float(states[-1, 0]), last)
        out = S.simulate(q=dict(zip("xy", numpy.zeros(2)), theta=numpy.float64(0)), v=dict(x=1, theta=0.3), t=1)
        self.assertEqual(out.status, "OK")

    @missing("pandas")
    def test_tables(self):
        S, *_ = sleigh()
        frame = S.simulate(**START, t=20).dataframe("x", "y", n=5)
        self.assertEqual(list(frame.columns), ["x", "y"])
        self.assertEqual(frame.index.name, "t")
        sweep = S.sweep(over=[["m", [1, 2, 3]]], **START, t=2, keep=["x", "max theta"])
        self.assertEqual(list(sweep.dataframe()["m"]), [1, 2, 3])


class MissingPackages(unittest.TestCase):
    def test_are_named_with_the_way_to_install_them(self):
        from unittest import mock
        S, *_ = sleigh()
        run = S.simulate(**START, t=1)
        sweep = S.sweep(over=[["m", [1, 2]]], **START, t=1)
        for name, of in ("pandas", lambda: sweep.dataframe()), ("pandas", lambda: run.dataframe("x")), ("xarray", lambda: run.dataset()):
            # None in sys.modules: the import fails as of a package that is not installed
            with mock.patch.dict("sys.modules", {name: None}), self.assertRaisesRegex(ModuleNotFoundError, f"pip install {name}"):
                of()


@missing("sympy")
class SymPy(unittest.TestCase):
    def test_both_ways(self):
        S, x, y, theta = sleigh()
        list_ = [S.kinetic_energy()*hm.exp(x)/hm.sqrt(1 + x**2) + hm.atan2(x, y)*hm.t**3 + hm.rational(2, 3)*hm.pi,
                 hm.abs(x) + hm.log(1 + y**2), hm.tan(theta)**-2 + hm.asin(x/2), theta.ddot*x.dot]
        list_ += [row for row in S.multipliers()]
        for e in list_:
            self.assertIs(hm.from_sympy(hm.to_sympy(e), S).__sub__(e).is_zero(), True, str(e))

    def test_against_sympy_mechanics(self):
        import sympy
        from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols
        S = hm.System("pendulum")
        phi = S.coordinates("phi")
        m, l, g = S.positive("m=1 l=2 g=10")
        S.kinetic_energy(m*l**2*phi.dot**2/2)
        S.potential_energy(-m*g*l*cos(phi))
        L = hm.to_sympy(S.lagrangian())
        angle = dynamicsymbols("phi")
        rows = LagrangesMethod(L, [angle]).form_lagranges_equations()
        expected = m*l**2*phi.ddot + m*g*l*sin(phi)
        self.assertIs((hm.from_sympy(sympy.expand(rows[0]), S) - expected).is_zero(), True)


if __name__ == "__main__":
    unittest.main()
