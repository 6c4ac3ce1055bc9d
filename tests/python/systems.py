"""Systems that several tests use."""
import importlib.util
import os
import signal
import threading
import time
import unittest

import hamel as hm
from hamel import cos, sin

START = dict(q=dict(x=0, y=0, theta=0), v=dict(x=1, theta=0.3))
PATIENCE = 120            # seconds, on a busy machine


def interrupt_after(seconds):
    """SIGINT when this process has worked for so many seconds, which a busy machine stretches. The thread that waits for it."""
    begun, end = time.process_time(), time.monotonic() + PATIENCE

    def interrupt():
        while time.process_time() < begun + seconds and time.monotonic() < end:
            time.sleep(0.002)
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    return thread


def missing(name):
    return unittest.skipIf(importlib.util.find_spec(name) is None, f"{name} is missing")


def sleigh():
    S = hm.System("Chaplygin sleigh")
    x, y, theta = S.coordinates("x y theta")
    m, J = S.positive(m=1, J="1/2")
    S.kinetic_energy(m/2*(x.dot**2 + y.dot**2) + J/2*theta.dot**2)
    S.constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))
    return S, x, y, theta
