"""The programs of examples/python print the same in both languages, bit for bit, and the page of the manual shows them as they are."""
import contextlib
import glob
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, ROOT = sys.argv.pop(), sys.argv.pop()
FOLDER = os.path.join(ROOT, "examples", "python")


def content(*path):
    with open(os.path.join(ROOT, "examples", *path), encoding="utf-8") as file:
        return file.read()


class Twins(unittest.TestCase):
    def test_same_output(self):
        names = [os.path.basename(path)[:-3] for path in sorted(glob.glob(os.path.join(FOLDER, "*.py")))]
        self.assertEqual(len(names), 10)
        for name in names:
            if name == "parameter_study" and importlib.util.find_spec("pandas") is None:
                continue
            with self.subTest(name):
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(content("python", name + ".py"), name + ".py", "exec"), {"__name__": "__main__"})
                lua = subprocess.run([PROGRAM, os.path.join(FOLDER, name + ".lua")], capture_output=True, text=True, timeout=120)
                self.assertEqual(lua.stderr, "")
                self.assertEqual(printed.getvalue(), lua.stdout)
                self.assertGreater(len(lua.stdout), 20)

    def test_page(self):
        page = content("howto", "lua_and_python.md")
        for path in glob.glob(os.path.join(FOLDER, "*.*")):
            self.assertIn(content("python", os.path.basename(path)), page, path)


def in_kernel(code):
    """What a cell of the kernel prints."""
    from jupyter_client.manager import KernelManager
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([PROGRAM, "jupyter", "install", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        os.environ["JUPYTER_PATH"] = os.path.join(prefix, "share", "jupyter")
        manager = KernelManager(kernel_name="hamel")
        manager.start_kernel()
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=60)
            texts = []
            client.execute_interactive(code, timeout=60, output_hook=lambda m: texts.append(m["content"].get("text", "")))
            return "".join(texts).strip()
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)


class SameNumbers(unittest.TestCase):
    """The prompt, a script, the kernel and Python."""

    TEXT = """
      local hm = require "hamel"
      local S = hm.system "sleigh"
      local x, y, theta = S:coordinates "x y theta"
      local m, J = S:positive "m=1 J=1/2"
      S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
      S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
      local start = { q = { x = 0, y = 0, theta = 0 }, v = { x = 1, theta = 0.3 } }
      local run = S:simulate{ q = start.q, v = start.v, t = 20 }
      local B = hm.system "ball"
      local h = B:coordinates "h"
      B:kinetic_energy(h.dot^2/2)
      B:force(h, -9.81)
      B:unilateral("floor", h, { law = hm.newton(0.7) })
      local ball = B:simulate{ q = { h = 1 }, v = { h = 0 }, t = 2 }
      local sweep = S:sweep{ over = { { "m", { 1, 2, 3 } } }, q = start.q, v = start.v, t = 5 }
      local text = ("%.17g %.17g %.17g %.17g %.17g"):format(run:at(20).x, run:at(7).lambda.blade, ball.impacts[3].t, ball:at(2).h, sweep:column "x"[3])
    """

    def test_same_numbers(self):
        import hamel as hm
        python = hm.lua(self.TEXT.replace('local hm = require "hamel"', "", 1) + " return text")
        script = subprocess.run([PROGRAM, "-"], input=self.TEXT + " print(text)", capture_output=True, text=True, timeout=60).stdout.strip()
        one_line = "do " + " ".join(self.TEXT.split("\n")) + " print(text) end\n"
        prompt = subprocess.run([PROGRAM, "-i"], input=one_line, capture_output=True, text=True, timeout=60).stdout
        self.assertEqual(len(python.split()), 5)
        self.assertEqual(python, script)
        self.assertIn(python, prompt)
        if importlib.util.find_spec("jupyter_client") is not None and "jupyter" in subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout:
            self.assertEqual(in_kernel(self.TEXT + " print(text)"), python)


if __name__ == "__main__":
    unittest.main()
