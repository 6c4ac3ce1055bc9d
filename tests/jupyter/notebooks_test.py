"""Notebooks by nbconvert, as readers run them: no cell fails, nothing on the standard error, and cells show what the stored notebook shows.

    HAMEL=build/hamel python3 tests/jupyter/notebooks_test.py examples/notebooks [--store]

--store writes the outputs into the notebooks. Pictures are stored as PNG alone, motions as their sentence, which keeps the files small.
Ends with 77 where nbconvert or gnuplot is missing.
"""
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import nbconvert  # noqa: F401
except ImportError:
    print("skipped: install python3-nbconvert")
    sys.exit(77)
if not shutil.which("gnuplot"):
    print("skipped: install gnuplot-nox")
    sys.exit(77)

NOT_STORED = ("image/svg+xml", "text/html")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
ERRORS = 1e-6                          # smaller numbers are errors of the method and rounding, which machines differ in
DIGITS = 1e-6                          # of other numbers that agree


def executed(path, folder):
    subprocess.run([sys.executable, "-m", "nbconvert", "--log-level=ERROR", "--execute", "--to", "notebook", "--output-dir", folder, path], check=True)
    with open(os.path.join(folder, os.path.basename(path)), encoding="utf-8") as f:
        return json.load(f)


def code_cells(book):
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


def joined(text):
    return text if isinstance(text, str) else "".join(text)


def shown(output):
    """Media types and texts of an output."""
    if output["output_type"] == "stream":
        return {output["name"]: joined(output["text"])}
    return {kind: joined(text) for kind, text in output["data"].items()}


def same_number(a, b):
    x, y = float(a), float(b)
    return max(abs(x), abs(y)) < ERRORS or math.isclose(x, y, rel_tol=DIGITS)


def same_text(a, b):
    """The same words, and numbers that agree; steps and seconds of runs are left out."""
    a, b = (re.sub(r"[-+.\de]+ s\b|in \d+ steps.*|\d+ kB", "", text) for text in (a, b))
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(same_number(*pair) for pair in zip(NUMBER.findall(a), NUMBER.findall(b)))


def compare(name, stored, fresh):
    assert len(stored) == len(fresh), (name, stored, fresh)
    for one, other in zip(stored, fresh):
        assert one["output_type"] == other["output_type"], (name, one, other)
        before, now = shown(one), shown(other)
        assert sorted(before) == sorted(kind for kind in now if kind not in NOT_STORED), (name, sorted(before), sorted(now))
        assert ("image/png" in now) == ("image/svg+xml" in now), (name, sorted(now))
        assert now.get("text/plain", "").startswith("motion: ") == ("text/html" in now), (name, sorted(now))
        for kind, text in before.items():
            if kind == "image/png":
                assert now[kind].startswith("iVBOR"), name
            elif not now.get("image/png"):
                assert same_text(text, now[kind]), (name, kind, text, now[kind])


def check(path, fresh):
    with open(path, encoding="utf-8") as f:
        stored = json.load(f)
    for cell, one in zip(code_cells(stored), code_cells(fresh)):
        assert cell["outputs"] or not one["outputs"], (cell["id"], "its outputs are not stored; run with --store")
        assert not any(o["output_type"] == "error" or o.get("name") == "stderr" for o in one["outputs"]), (cell["id"], one["outputs"])
        compare(cell["id"], cell["outputs"], one["outputs"])


def store(path, fresh):
    for cell in code_cells(fresh):
        cell["metadata"] = {}
        for output in cell["outputs"]:
            for kind in NOT_STORED:
                output.get("data", {}).pop(kind, None)
    fresh["metadata"].pop("widgets", None)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(fresh, f, indent=1, ensure_ascii=False)
        f.write("\n")


def main():
    folder = tempfile.mkdtemp()
    hamel = os.path.abspath(os.environ.get("HAMEL", "build/hamel"))
    subprocess.run([hamel, "jupyter", "install", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
    os.environ["JUPYTER_PATH"] = os.path.join(folder, "share", "jupyter")
    os.environ["IPYTHONDIR"] = os.environ["JUPYTER_CONFIG_DIR"] = folder
    notebooks = sorted(glob.glob(os.path.join(sys.argv[1], "*.ipynb")))
    assert notebooks, "there are no notebooks in " + sys.argv[1]
    for path in notebooks:
        fresh = executed(path, folder)
        store(path, fresh) if "--store" in sys.argv else check(path, fresh)
        print("ok", os.path.basename(path), flush=True)
    shutil.rmtree(folder)


main()
