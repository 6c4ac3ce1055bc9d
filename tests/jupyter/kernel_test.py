"""The kernel through jupyter_client, as a front end uses it: values, streams, errors, interrupts, completion, help, notebooks.

    HAMEL=build/hamel python3 tests/jupyter/kernel_test.py [names of tests]

Ends with 77 where jupyter_client is missing.
"""
import os
import subprocess
import sys
import tempfile
import threading
import time

try:
    from jupyter_client.manager import KernelManager
except ImportError:
    print("skipped: install python3-jupyter-client")
    sys.exit(77)

hamel = os.path.abspath(os.environ.get("HAMEL", "build/hamel"))
prefix = tempfile.mkdtemp()
subprocess.run([hamel, "jupyter", "install", "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
os.environ["JUPYTER_PATH"] = os.path.join(prefix, "share", "jupyter")

OSCILLATOR = """
S = hm.system "oscillator"
x = S:coordinates "x"
S:kinetic_energy(x.dot^2/2)
S:potential_energy(x^2/2)
"""
SLEIGH = """
S = hm.system "Chaplygin sleigh"
x, y, theta = S:coordinates "x y theta"
m, J = S:positive "m=1 J=1/2"
S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)
S:constraint("blade", x.dot*hm.sin(theta) - y.dot*hm.cos(theta))
"""

PATIENCE = 240            # seconds, on a busy machine


class Kernel:
    def __init__(self, **options):
        begun = time.time()
        self.manager = KernelManager(kernel_name="hamel", **options)
        self.manager.start_kernel()
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)
        self.seconds = time.time() - begun

    def run(self, code, interrupt_after=None, interrupt_when=None, **options):
        """Reply, and messages as pairs (type, content) up to idle, which must be the last one. The interrupt comes so many seconds after the cell has begun,
        or when a condition on the messages holds."""
        messages, interrupted = [], False

        def take(m):
            nonlocal interrupted
            messages.append((m["msg_type"], m["content"]))
            if interrupt_after and m["msg_type"] == "execute_input":
                threading.Timer(interrupt_after, self.manager.interrupt_kernel).start()
            if interrupt_when and not interrupted and interrupt_when(messages):
                interrupted = True
                self.manager.interrupt_kernel()
        options.setdefault("timeout", PATIENCE)
        reply = self.client.execute_interactive(code, output_hook=take, **options)
        states = [c["execution_state"] for kind, c in messages if kind == "status"]
        assert states == ["busy", "idle"] and messages[-1][0] == "status", messages
        return reply["content"], [(kind, c) for kind, c in messages if kind not in ("status", "execute_input")]

    def text(self, code):
        """text/plain of the result, or the standard output."""
        reply, messages = self.run(code)
        assert reply["status"] == "ok", reply
        return "".join(c["text"] if kind == "stream" else c["data"]["text/plain"] for kind, c in messages)

    def data(self, code):
        reply, messages = self.run(code)
        assert reply["status"] == "ok", reply
        assert [kind for kind, _ in messages] == ["execute_result"], messages
        return messages[0][1]["data"]

    def end(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel()


def test_values(k):
    assert k.text("1/3") == "0.3333333333333333"
    assert k.text("local x = 5") == "" and k.text("x + 1") == "6" and k.text("ans") == "6"
    assert k.text("1 + 1;") == ""
    assert k.text("io.write 'no handle'") == "no handle" and k.text("io.stderr:write 'nor here'") == "nor here"
    assert k.text("('ä'):rep(20000)") == "ä" * 10000 + "\n... 20000 bytes more; print(ans) shows them all"
    assert k.text("local a = 2\na*21") == "42"
    assert k.text("nil") == ""
    reply, messages = k.run("1, 2")
    assert [(kind, c["data"]["text/plain"]) for kind, c in messages] == [("display_data", "1"), ("execute_result", "2")], messages
    reply, messages = k.run("display(7) print('after')")
    assert [kind for kind, _ in messages] == ["display_data", "stream"], messages
    reply, messages = k.run("3", silent=True)
    assert messages == [], messages


def test_streams(k):
    reply, messages = k.run("print('a') io.stderr:write('e') io.write('b\\n') print('\\xff')")
    assert [(c["name"], c["text"]) for _, c in messages] == [("stdout", "a\n"), ("stderr", "e"), ("stdout", "b\n\ufffd\n")], messages
    assert k.text("os.execute 'echo from a child'") .startswith("from a child\n")
    assert k.text("io.stdout:setvbuf 'full' io.write 'late' ") == "late"
    k.run("io.stdout:setvbuf 'no'")
    text = k.text("for i = 1, 20000 do print(i, 'α') end")
    assert text.split() == [w for i in range(1, 20001) for w in (str(i), "α")]


def test_errors(k):
    reply, messages = k.run("local function f(v) return v.x.y end\nlocal q = 1\nf{}")
    assert reply["status"] == "error" and reply["ename"] == "error", reply
    assert messages[-1][0] == "error" and messages[-1][1]["evalue"] == reply["evalue"]
    trace = "\n".join(reply["traceback"])
    assert "line 1:  local function f(v)" in trace and "line 3:  f{}" in trace, trace
    assert "lua/hamel" not in trace and "kernel.lua" not in trace, trace
    k.run("function later() return nothing.x end")
    k.run("-- a front end's own", silent=True)
    reply, _ = k.run("later()")
    assert "line 1:  function later()" in "\n".join(reply["traceback"]), reply
    reply, _ = k.run("foo.bar = 1")
    assert "'foo' is not defined" in reply["evalue"], reply
    reply, _ = k.run("os.exit(3)")
    assert "a cell does not end the kernel" in reply["evalue"], reply
    reply, _ = k.run("broken =")
    assert reply["ename"] == "syntax" and "near <eof>" in reply["evalue"], reply
    reply, _ = k.run("x = = 1")
    assert reply["ename"] == "syntax", reply
    reply, _ = k.run('S = hm.system "s"\nS:simulate{ qq = 1 }')
    assert "unknown option 'qq'" in reply["evalue"] and "line 2:  S:simulate{ qq = 1 }" in "\n".join(reply["traceback"]), reply


def test_cells_that_break_the_library(k):
    reply, _ = k.run("setmetatable({}, { __mime = function() return 3 end })")
    assert "__mime returned" in reply["evalue"], reply
    k.run("_G.tostring = nil; string.format = nil; table.pack = nil; pairs = 3; _G.pairs = 3; _G.type = nil; rawset(_G, 'next', nil)")
    k.run("pairs = nil")
    assert k.text("string.format('%d', 1) .. tostring(2)") == '12', k.text("tostring(2)")


def test_queue_behind_an_error(k):
    codes = ["for _ = 1, 3e7 do end error 'no'", "late = 1", "late = 2"]
    ids = [k.client.execute(code) for code in codes]
    states = {}
    while len(states) < len(ids):
        m = k.client.get_shell_msg(timeout=PATIENCE)
        states[m["parent_header"]["msg_id"]] = m["content"]["status"]
    assert [states[i] for i in ids] == ["error", "aborted", "aborted"], states
    while True:
        m = k.client.get_iopub_msg(timeout=PATIENCE)
        if m["parent_header"].get("msg_id") == ids[-1] and m["content"].get("execution_state") == "idle":
            break
    assert k.text("rawget(_G, 'late') == nil and pcall(function() return late end) == false") == "true"


def test_formulas(k):
    k.run(SLEIGH)
    data = k.data("S:equations()")
    assert "m*x'' = lambda*sin(theta)" in data["text/plain"]
    assert "\\ddot{x}" in data["text/latex"] and "\\mathrm{blade}" in data["text/latex"], data
    assert data["text/markdown"].startswith("Chaplygin sleigh: Lagrange equations with multipliers\n\n$")
    assert "text/html" not in data
    assert "\\dot{x}" in k.data("x.dot^2/2")["text/latex"]
    assert "\\begin{pmatrix}" in k.data("hm.matrix{ {x, y}, {y, x} }")["text/latex"]
    assert "**1.** " in k.data('S:derivation "hamel"')["text/markdown"]
    k.run('hm.notebook{ math = "text" }')
    assert list(k.data("x.dot")) == ["text/plain"]
    k.run('hm.notebook{ math = "latex" }')
    reply, _ = k.run('hm.notebook{ math = "html" }')
    assert "'latex' or 'text'" in reply["evalue"], reply


def test_pictures_and_motions(k):
    k.run(SLEIGH)
    k.run("run = S:simulate{ q = {x = 0, y = 0, theta = 0}, v = {x = 1, theta = 0.3}, t = 20 }")
    data = k.data('run:plot("x", "theta")')
    assert data["image/svg+xml"].startswith('<svg style="max-width: 100%') and "θ" in data["image/svg+xml"] and "image/png" in data, data
    data = k.data("run:animate{ {'blade', at = {x, y}, along = {hm.cos(theta), hm.sin(theta)}} }")
    assert data["text/html"].startswith('<iframe sandbox="allow-scripts"') and "trust this notebook" in data["text/html"]
    assert data["text/plain"].startswith("motion: 600 frames from t = 0 to 20"), data["text/plain"]


def test_completion(k):
    k.run(SLEIGH)

    def complete(code):
        content = k.client.complete(code, len(code), reply=True, timeout=PATIENCE)["content"]
        return content["matches"], content["cursor_start"], content["cursor_end"]

    assert "S:equations" in complete("S:eq")[0]
    assert complete('-- α\nhm.system')[1:] == (5, 14)
    assert "hamel" in complete('S:equations "ha')[0]
    matches, begin, end = complete("S:simulate{ me")
    assert "method = " in matches and (begin, end) == (12, 14), matches


def test_inspection(k):
    def page(code):
        return k.client.inspect(code, len(code), reply=True, timeout=PATIENCE)["content"]

    assert "rtol" in page("S:simulate{ ")["data"]["text/plain"]
    assert page("hm.system")["found"]
    assert not page("nothing_of_that_name")["found"]


def test_is_complete(k):
    def state(code):
        sent = k.client.is_complete(code)
        while True:
            message = k.client.get_shell_msg(timeout=PATIENCE)
            if message["parent_header"]["msg_id"] == sent:
                return message["content"]["status"]

    assert [state(c) for c in ("x = 1", "for i = 1, 3 do", "x = = 1", "1 +", "f()")] == ["complete", "incomplete", "invalid", "incomplete", "complete"]


def test_history(k):
    k.run("first_of_history = 1")
    content = k.client.history(hist_access_type="tail", n=1, reply=True, timeout=PATIENCE)["content"]
    assert [entry[2] for entry in content["history"]] == ["first_of_history = 1"], content
    content = k.client.history(hist_access_type="search", pattern="first_of*", reply=True, timeout=PATIENCE)["content"]
    assert len(content["history"]) >= 1


SEARCH = """
K = hm.system "a search of seconds"
a, b, c = K:coordinates "a b c"
K:kinetic_energy((a.dot^2*(2 + hm.sin(b)) + b.dot^2*(2 + hm.cos(c)) + c.dot^2)/2)
K:potential_energy(hm.cos(a))
found = K:conserved{ degree = 2, angle = 2 }
"""


def test_interrupts(k):
    endless = ("while true do end", "local co = coroutine.wrap(function() while true do end end) co()", "while true do pcall(function() while true do end end) end",
               "S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9 }")
    k.run(OSCILLATOR)
    for i in range(20):
        reply, _ = k.run(endless[i % len(endless)], interrupt_after=0.15)
        assert reply["ename"] == "interrupted", (i, reply)
    begun = time.time()
    reply, _ = k.run(SEARCH, interrupt_after=0.5)
    assert reply["status"] == "error" and reply["ename"] == "interrupted", reply
    print(f"  search interrupted after {time.time() - begun:.2f} s")
    assert k.text("2 + 2") == "4"
    reply, _ = k.run("run = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e7 }", interrupt_after=1)
    assert reply["ename"] == "interrupted" and "run" in reply["evalue"], reply
    assert k.text("run.t[#run.t] > 0") == "true"
    reply, _ = k.run("local W = S:sweep{ over = {{'q.x', hm.range(0, 1, 100000)}}, q = {x = 1}, v = {x = 0}, t = 1e4, keep = {'x'} }", interrupt_after=1)
    assert reply["ename"] == "interrupted" and "W" in reply["evalue"], reply
    assert k.text("#W <= 100000 and ans == W") == "true"
    for _ in range(6):                                     # between cells they stop nothing, and the kernel lives
        k.manager.interrupt_kernel()
    time.sleep(0.5)                                        # the last one has arrived
    assert k.text("1 + 1") == "2"


def test_progress(k):
    """Runs and sweeps of more than a second say how far they are, at most four times a second, and leave a blank line."""
    k.run(OSCILLATOR)
    run = "run = S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9 }"
    sweep = "W = S:sweep{ over = {{'q.x', hm.range(0, 1, 100000)}}, q = {x = 1}, v = {x = 0}, t = 1e4, keep = {'x'} }"
    for code, words in (run, "oscillator: t = "), (sweep, "sweep: "), ("print 'before' " + run, "oscillator: t = "):
        begun = time.time()
        _, messages = k.run(code, interrupt_when=lambda m: "".join(c["text"] for _, c in m if c.get("name") == "stderr").count("to go ") >= 3)
        seconds = time.time() - begun
        # where the line is all that the cell shows, it is taken away
        assert [kind for kind, _ in messages].count("clear_output") == ("before" not in code), messages
        lines = "".join(c["text"] for kind, c in messages if c.get("name") == "stderr").split("\r")
        shown = [line for line in lines if words in line and line.rstrip().endswith("to go")]
        assert 3 <= len(shown) <= 4*seconds + 1, (seconds, lines)
        assert lines[0] == "" and lines[-2].strip() == "" and len(lines[-2]) >= len(lines[-3].rstrip()) and lines[-1] == "", lines
    _, messages = k.run("S:simulate{ q = {x = 1}, v = {x = 0}, t = 1e9, progress = false };", interrupt_after=1.5)
    assert [kind for kind, _ in messages] == ["error"], messages


def test_input(k):
    k.client.allow_stdin = True
    asked = []

    def answer(message):
        asked.append(message["content"])
        k.client.input("41")

    reply, messages = k.run("io.read('n') + 1", allow_stdin=True, stdin_hook=answer)
    assert reply["status"] == "ok" and messages[-1][1]["data"]["text/plain"] == "42" and asked, (reply, messages)
    reply, _ = k.run("got = io.read()", allow_stdin=True, stdin_hook=lambda m: None, interrupt_after=0.3)
    assert reply["ename"] == "interrupted", reply
    reply, _ = k.run("io.read()", allow_stdin=False)
    assert "no place to type in" in reply["evalue"], reply


def test_forged_messages(k):
    key = k.client.session.key
    k.client.session.key = b"another key"
    k.client.execute("forged = true")
    k.client.session.key = key
    assert k.text("rawget(_G, 'forged') == nil and not pcall(function() return forged + 0 end)") == "true"


def test_user_expressions(k):
    reply, _ = k.run("a = 20", user_expressions={"twice": "2*a", "bad": "nothing.x"})
    values = reply["user_expressions"]
    assert values["twice"]["data"]["text/plain"] == "40" and values["bad"]["status"] == "error", values


def test_encrypted_transport():
    if not hasattr(KernelManager, "transport_encryption"):
        print("  skipped: this jupyter_client has no encryption")
        return
    k = Kernel(transport_encryption="required")
    try:
        assert k.text("6*7") == "42"
    finally:
        k.end()


def test_start_and_end():
    k = Kernel()
    with open(f"/proc/{k.manager.provisioner.process.pid}/status") as f:
        memory = next(int(line.split()[1]) for line in f if line.startswith("VmRSS"))
    print(f"  first answer after {k.seconds:.2f} s, {memory/1024:.1f} MB")
    process = k.manager.provisioner.process
    k.client.execute("while true do pcall(function() while true do end end) end")
    time.sleep(0.3)
    begun = time.time()
    k.end()
    assert process.poll() is not None
    print(f"  ended within {time.time() - begun:.2f} s while a cell ran")


def main():
    wanted = sys.argv[1:]
    tests = {n[5:]: f for n, f in globals().items() if n.startswith("test_") and (not wanted or n[5:] in wanted)}
    failed = 0
    k = Kernel()
    for name, f in tests.items():
        begun = time.time()
        try:
            f(k) if f.__code__.co_argcount else f()
            print(f"ok {name} ({time.time() - begun:.2f} s)", flush=True)
        except Exception:
            import traceback
            failed += 1
            print(f"FAILED {name}\n{traceback.format_exc()}", flush=True)
    k.end()
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
