"""The types of the package: every method that dir() shows, programs that mypy accepts and refuses."""
import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

import hamel as hm
from systems import START, missing, sleigh

STUBS = os.path.join(os.path.dirname(hm.__file__), "__init__.pyi")
EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "python")


def checked(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return mypy(path, folder)


def mypy(path, folder):
    environment = dict(os.environ, MYPYPATH=os.path.dirname(os.path.dirname(STUBS)))
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", os.path.join(folder, "cache"), path]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300).stdout


class Types(unittest.TestCase):
    def test_every_name_is_there(self):
        with open(STUBS, encoding="utf-8") as file:
            text = file.read()
        S, x, *_ = sleigh()
        for name, value in (("System", S), ("Trajectory", S.simulate(**START, t=1))):
            part = re.search(rf"\nclass {name}\b.*?(?=\nclass |\n\n)", text, re.S)[0]
            known = set(re.findall(r"^    (?:def )?(\w+)", part, re.M))
            lacking = set(dir(value)) - known - {"keys", "items", "lambda", "continue"}
            self.assertFalse(lacking if name == "System" else lacking & {"at", "series", "states"}, name)
        compile(text, STUBS, "exec")

    @missing("mypy")
    def test_mistakes_are_found(self):
        found = checked("""import hamel as hm
S = hm.System("a")
x = S.coordinates("x")
e: hm.Expression = 2*hm.sin(hm.t)**2
run = S.simulate(q=dict(x=1), v=dict(x=1), t=[0, 3], rtol=1e-9)
S.simulate(q=dict(x=1), v=dict(x=1), tt=3)
S.simulat(t=3)
number: int = run.status
""")
        self.assertEqual(re.findall(r"py:(\d+): error", found), ["6", "7", "8"], found)

    @missing("mypy")
    def test_examples(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in glob.glob(os.path.join(EXAMPLES, "*.py")):
                self.assertIn("Success", mypy(path, folder), path)


if __name__ == "__main__":
    unittest.main()
