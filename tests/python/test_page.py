"""Every Python block of a page runs; a text block behind it is what it must print."""
import contextlib
import importlib.util
import io
import re
import sys
import unittest

PAGE = sys.argv.pop()


class Page(unittest.TestCase):
    def test_blocks(self):
        for name in ("numpy", "pandas", "sympy"):
            if importlib.util.find_spec(name) is None:
                self.skipTest(f"{name} is missing")
        with open(PAGE, encoding="utf-8") as file:
            text = file.read()
        names, count = {}, 0
        for block in re.finditer(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", text, re.S):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block[1], PAGE, "exec"), names)
            if block[2] is not None:
                self.assertEqual(printed.getvalue(), block[2], block[1])
            count += 1
        self.assertGreater(count, 0)


if __name__ == "__main__":
    unittest.main()
