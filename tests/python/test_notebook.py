"""What notebooks of Python show, and cells in Lua."""
import unittest

import hamel as hm
from systems import START, missing, sleigh


class Shown(unittest.TestCase):
    def test_bundles(self):
        S, x, *_ = sleigh()
        self.assertIn("$", (x**2/2)._repr_mimebundle_()["text/latex"])
        bundle = S.equations("hamel")._repr_mimebundle_()
        self.assertEqual(bundle["text/plain"], str(S.equations("hamel")))
        self.assertIn("array", bundle["text/markdown"])
        self.assertIn("text/plain", S.simulate(**START, t=1)._repr_mimebundle_())


@missing("IPython")
class Cells(unittest.TestCase):
    def setUp(self):
        from IPython.core.interactiveshell import InteractiveShell
        self.shell = InteractiveShell()
        self.shell.run_line_magic("load_ext", "hamel")

    def test_values_go_in_and_out(self):
        S, *_ = sleigh()
        self.shell.user_ns["S"] = S
        run = self.shell.run_cell_magic("hamel", "-i S -o twice", "run = S:simulate{ q = {x = 0, y = 0, theta = 0}, v = {x = 1, theta = 0.3}, t = 2 }\n"
                                        "twice = 2*run:at(2).x\nreturn run")
        self.assertEqual(self.shell.user_ns["twice"], 2*run.at(2).x)
        self.assertEqual(self.shell.run_line_magic("hamel", "return 6*7"), 42)

    def test_messages(self):
        with self.assertRaisesRegex(hm.HamelError, "Lua:3:"):
            self.shell.run_cell_magic("hamel", "", "local a = 1\nerror 'here'")
        for line, words in (("-i nothing", "no variable 'nothing'"), ("-o nothing", "no global 'nothing'"), ("what", "'what' is no name")):
            with self.assertRaisesRegex((NameError, ValueError), words):
                self.shell.run_cell_magic("hamel", line, "local a = 1")

    def test_question_mark(self):
        self.shell.user_ns.update(S=sleigh()[0], hm=hm)
        self.assertIn("Simulates the motion of the system", self.shell.object_inspect_text("S.simulate"))
        self.assertIn("sine", self.shell.object_inspect_text("hm.sin"))
        self.assertIn("mechanical system", self.shell.object_inspect_text("hm.System"))


if __name__ == "__main__":
    unittest.main()
