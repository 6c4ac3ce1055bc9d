#!/usr/bin/env python3
"""arm_pin.py HAMEL [JOINTS]: x' of an arm with joints in space (mechanisms.lua) beside the articulated-body algorithm of Pinocchio (PyPI: pin).

Both sides compute the accelerations at one state, which must agree to 1e-9 of the largest. The call from Python costs about as much as the
algorithm: its time is measured on an arm of one joint and subtracted. Times are the best of many, taken in turn; exit status 77 where pin is missing.
"""
import subprocess
import sys
import time

import numpy as np

try:
    import pinocchio as pin
except ImportError:
    print("skipped: pin is not installed")
    sys.exit(77)

hamel = sys.argv[1] if len(sys.argv) > 1 else "build/hamel"
joints = int(sys.argv[2]) if len(sys.argv) > 2 else 36


def arm(n):
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    parent = 0
    for i in range(n):
        joint = pin.JointModelRZ() if i % 2 == 0 else pin.JointModelRY()
        place = pin.SE3(np.eye(3), np.array([0.3, 0.0, 0.2]) if i > 0 else np.zeros(3))
        parent = model.addJoint(parent, joint, place, f"q{i + 1}")
        inertia = pin.Inertia(3.0, np.array([0.15, 0.02, 0.1]), np.diag([0.02, 0.025, 1 / 60]))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
    return model


def best_of_calls(n, rounds=200, calls=50):
    """Seconds of one call of pin.aba with an arm of n joints."""
    model = arm(n)
    data = model.createData()
    q, v, force = np.array([0.2 * (i + 1) for i in range(n)]), np.full(n, 0.1), np.zeros(n)
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            pin.aba(model, data, q, v, force)
        best = min(best, (time.perf_counter() - start) / calls)
    return best, pin.aba(model, data, q, v, force)


def ours(n, make):
    """Microseconds of one evaluation, and the accelerations at the state of best_of_calls; make: the function of mechanisms.lua."""
    answer = subprocess.run([hamel, "tests/bench/arm_pin.lua", str(n), make], capture_output=True, text=True, check=True).stdout.split()
    return float(answer[0]), np.array([float(x) for x in answer[1:]])


before = best_of_calls(joints)
overhead = best_of_calls(1)
us, accelerations = ours(joints, "arm")
us_of_bodies, of_bodies = ours(joints, "arm_of_bodies")
after = best_of_calls(joints)
difference = max(np.abs(a - before[1]).max() / np.abs(a).max() for a in (accelerations, of_bodies))
if not difference < 1e-9:
    print(f"the accelerations differ by {difference:.1e} of the largest")
    sys.exit(1)
theirs = 1e6 * (min(before[0], after[0]) - overhead[0])
print(f"arm of {joints} joints: pin {theirs:.2f} us, ours {us:.2f} us, by bodies {us_of_bodies:.2f} us; a call from Python {1e6 * overhead[0]:.2f} us, difference {difference:.1e}")
