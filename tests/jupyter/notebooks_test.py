"""Notebooks by nbconvert, as readers run them: no cell fails, nothing on the standard error, every cell with an output shows what it should.

    HAMEL=build/hamel python3 tests/jupyter/notebooks_test.py examples/notebooks

Ends with 77 where nbconvert or gnuplot is missing.
"""
import glob
import json
import os
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

# by the id of a cell: media types, and a text in them
EXPECTED = {
    "declare": ("text/latex", "\\ddot{x}"), "chaplygin": ("text/markdown", "Chaplygin equations"), "derivation": ("text/markdown", "**1.**"),
    "simulate": ("text/plain", "t = 0 to 20"), "picture": ("image/svg+xml", "<svg"), "motion": ("text/html", "<iframe"),
    "values": ("image/png", "iVBOR"),
}

folder = tempfile.mkdtemp()
hamel = os.path.abspath(os.environ.get("HAMEL", "build/hamel"))
subprocess.run([hamel, "jupyter", "install", "--prefix", folder], check=True, stdout=subprocess.DEVNULL)
os.environ["JUPYTER_PATH"] = os.path.join(folder, "share", "jupyter")
os.environ["IPYTHONDIR"] = os.environ["JUPYTER_CONFIG_DIR"] = folder

notebooks = sorted(glob.glob(os.path.join(sys.argv[1], "*.ipynb")))
assert notebooks, "there are no notebooks in " + sys.argv[1]
for path in notebooks:
    out = os.path.join(folder, os.path.basename(path))
    subprocess.run([sys.executable, "-m", "nbconvert", "--log-level=ERROR", "--execute", "--to", "notebook", "--output-dir", folder, path], check=True)
    with open(out, encoding="utf-8") as f:
        cells = {cell["id"]: cell for cell in json.load(f)["cells"] if cell["cell_type"] == "code"}
    for name, cell in cells.items():
        assert not any(o["output_type"] == "error" or o.get("name") == "stderr" for o in cell["outputs"]), (name, cell["outputs"])
    for name, (kind, text) in EXPECTED.items():
        data = cells[name]["outputs"][-1]["data"]
        assert text in "".join(data[kind]), (name, sorted(data))
    print("ok", os.path.basename(path))
