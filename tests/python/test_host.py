"""The package in its process: interrupts, threads, forks, other interpreters, references, other Luas."""
import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import unittest

import hamel as hm
from systems import PATIENCE, START, interrupt_after, missing, sleigh


def in_child(work):
    """The text that work() returns in a forked process."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            text = str(work())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        text = file.read()
    os.waitpid(pid, 0)
    return text


class Interrupts(unittest.TestCase):
    def stopped(self, work):
        interrupt_after(0.3)
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt) as caught:
            work()
        self.assertLess(time.monotonic() - begun, PATIENCE)
        self.assertEqual(hm.lua("return 1 + 1"), 2)
        return caught.exception

    def test_runs_and_sweeps_keep_their_part(self):
        S, *_ = sleigh()
        S.simulate(**START, t=1)
        run = self.stopped(lambda: S.simulate(**START, t=1e12, progress=False)).run
        self.assertEqual(run.status, "INTERRUPTED")
        for threads in (1, 2):
            sweep = self.stopped(lambda: S.sweep(over=[["m", range(1, 5000)]], **START, t=2000, threads=threads, progress=False)).run
            self.assertRegex(str(sweep), "interrupted, [0-9]+ of 4999 runs")

    def test_lua_that_catches_errors(self):
        for text in ("while true do end", "while true do pcall(function() while true do end end) end", "coroutine.wrap(function() while true do end end)()"):
            self.stopped(lambda: hm.lua(text))

    def test_python_forces(self):
        def never(t, q, v):
            while True:
                pass
        S, x, *_ = sleigh()
        S.force(x, never)
        self.stopped(lambda: S.simulate(**START, t=1))
        S, x, *_ = sleigh()
        S.force(x, lambda t, q, v: -q["x"])
        run = self.stopped(lambda: S.simulate(**START, t=1e9, progress=False)).run
        self.assertEqual(run.status, "INTERRUPTED")

    def test_every_moment_in_a_python_force_keeps_the_part(self):
        S, x, *_ = sleigh()
        calls = []

        # on a busy machine a run takes its time before its first step: the delay counts from one of its forces
        def force(t, q, v):
            calls.append(t)
            if len(calls) == 100 and delay is not None:
                interrupt_after(delay)
            return -0.01*sum(sorted([q["x"]]*200))/200
        S.force(x, force)
        delay = None
        S.simulate(**START, t=0.1)
        for i in range(20):
            delay = 0.02 + 0.0007*i
            calls.clear()
            with self.assertRaises(KeyboardInterrupt) as caught:
                S.simulate(**START, t=1e9, progress=False)
            self.assertEqual(caught.exception.run.status, "INTERRUPTED")

    def test_the_handler_of_the_user_inside_a_python_force(self):
        S, x, *_ = sleigh()
        S.force(x, lambda t, q, v: -0.01*sum([q["x"]]*20000)/20000)
        seen = []
        before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        try:
            interrupt_after(0.2)
            run = S.simulate(**START, t=300, progress=False)
            self.assertEqual((run.status, seen), ("INTERRUPTED", [signal.SIGINT]))
            interrupt_after(0.2)
            with self.assertRaisesRegex(hm.HamelError, "interrupted"):
                hm.lua("return function(f) while true do f() end end")(lambda: time.sleep(0.001))
            self.assertEqual((seen, hm.lua("return 2")), ([signal.SIGINT]*2, 2))
        finally:
            signal.signal(signal.SIGINT, before)

    def test_the_handler_of_the_user_decides(self):
        S, *_ = sleigh()
        seen = []
        before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        try:
            interrupt_after(0.2)
            run = S.simulate(**START, t=1e12, progress=False)
            self.assertEqual((run.status, seen), ("INTERRUPTED", [signal.SIGINT]))
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ignored = interrupt_after(0.05)
            self.assertEqual(S.simulate(**START, t=1e5, progress=False).t[-1], 1e5)
            ignored.join()
        finally:
            signal.signal(signal.SIGINT, before)

    def test_while_another_thread_runs(self):
        S, x, y, _ = sleigh()
        stop, inside = [], threading.Event()
        S.force(x, lambda t, q, v: 1/0 if stop else inside.set() or 0.0)
        worker = threading.Thread(target=lambda: self.assertRaises(ZeroDivisionError, lambda: S.simulate(**START, t=1e9, progress=False)))
        worker.start()
        self.assertTrue(inside.wait(PATIENCE))
        try:
            interrupt_after(0.2)
            with self.assertRaises(KeyboardInterrupt):
                x + y
        finally:
            stop.append(True)
            worker.join()
        self.assertEqual(str(x + y), "x + y")


class Exceptions(unittest.TestCase):
    def test_a_caught_exception_is_forgotten(self):
        def broken():
            raise ValueError("long past")
        self.assertFalse(hm.lua("return function(f) return (pcall(f)) end")(broken))
        with self.assertRaisesRegex(hm.HamelError, "of today"):
            hm.lua("error('of today', 0)")
        with self.assertRaisesRegex(hm.HamelError, "of today"):
            hm.lua("return function(f) pcall(f) error('of today', 0) end")(broken)

    def test_exit_inside_a_force(self):
        S, x, *_ = sleigh()
        S.force(x, lambda t, q, v: sys.exit(3))
        with self.assertRaises(SystemExit) as caught:
            S.simulate(**START, t=1)
        self.assertEqual(caught.exception.code, 3)

    def test_recursion(self):
        def again():
            return hm.lua("return function(f) return f() end")(again)
        with self.assertRaises((hm.HamelError, RecursionError)):
            again()
        self.assertEqual(hm.lua("return 2"), 2)


class Threads(unittest.TestCase):
    def test_forces_of_several_threads(self):
        found, failed = set(), []

        def work(i):
            try:
                S, x, *_ = sleigh()
                S.force(x, lambda t, q, v: -i*q["x"])
                for _ in range(3):
                    found.add((i, S.simulate(**START, t=1).at(1).x))
            except BaseException as error:
                failed.append(error)
        threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual((len(found), failed), (6, []))


def place_after(seconds):
    S, *_ = sleigh()
    return S.simulate(**START, t=seconds).at(seconds).x


class Processes(unittest.TestCase):
    def test_pool(self):
        expected = [place_after(t) for t in (1, 2, 3)]
        for method in ("fork", "spawn"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                self.assertEqual(pool.map(place_after, [1, 2, 3]), expected, method)

    def test_fork_while_another_thread_is_inside(self):
        S, x, y, _ = sleigh()
        stop, inside = [], threading.Event()
        S.force(x, lambda t, q, v: 1/0 if stop else inside.set() or 0.0)
        worker = threading.Thread(target=lambda: self.assertRaises(ZeroDivisionError, lambda: S.simulate(**START, t=1e9, progress=False)))
        worker.start()
        self.assertTrue(inside.wait(PATIENCE))
        text = in_child(lambda: x + y)
        stop.append(True)
        worker.join()
        self.assertIn("use multiprocessing with the method 'spawn'", text)

    def test_fork_inside_a_force(self):
        S, x, y, _ = sleigh()
        texts = []

        def force(t, q, v):
            if not texts:
                texts.append(in_child(lambda: x + y))
            return 0.0
        S.force(x, force)
        self.assertEqual(S.simulate(**START, t=0.1).status, "OK")
        self.assertEqual(texts, ["x + y"])

    def test_other_interpreters(self):
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest("this Python has no subinterpreters of the old kind")
        folder = os.path.dirname(os.path.dirname(hm.__file__))
        one = interpreters.create()
        interpreters.run_string(one, f"""if True:
            import sys
            sys.path.insert(0, {folder!r})
            try:
                import hamel
            except ImportError as error:
                assert "interpreter" in str(error), error
            else:
                raise AssertionError("imported twice")""")
        interpreters.destroy(one)
        self.assertEqual(hm.lua("return 1"), 1)


class References(unittest.TestCase):
    def count(self):
        gc.collect()
        hm.lua("collectgarbage() collectgarbage()")
        return hm.lua("return collectgarbage 'count'")

    def test_many_objects_at_once(self):
        _, x, y, _ = sleigh()
        x + y
        before = self.count()
        for _ in range(3):
            many = [x + y for _ in range(100000)]
            del many
        self.assertLess(self.count() - before, 9000)       # the registry's own table, which never shrinks: 16 bytes an entry, doubled
        self.assertLess(hm.lua("local n = 0 for _, v in pairs(debug.getregistry()) do n = n + (type(v) == 'userdata' and 1 or 0) end return n"), 5000)

    def test_arguments_that_are_refused(self):
        S, x, *_ = sleigh()

        class Odd:
            pass
        odd = Odd()
        before = sys.getrefcount(odd)
        for _ in range(100):
            with self.assertRaises(TypeError):
                S.simulate(q=[[odd]], t=1)
            with self.assertRaises(TypeError):
                S.simulate(q={"x": (odd,)}, t=1)
        gc.collect()
        hm.lua("collectgarbage()")
        self.assertLess(sys.getrefcount(odd) - before, 5)

    @missing("lupa")
    def test_beside_another_lua(self):
        import lupa
        other = lupa.LuaRuntime()
        self.assertEqual(other.eval("(function() local t = {} for i = 1, 10 do t[i] = i end return #t end)()"), 10)
        _, x, y, _ = sleigh()
        self.assertEqual(str(x + y), "x + y")


if __name__ == "__main__":
    unittest.main()
