"""A mass on a spring with a force of one's own: a function of time, coordinates and velocities."""
import math

import hamel as hm

S = hm.System("oscillator")
x = S.coordinates("x")
m, k = S.positive("m=1 k=4")
S.kinetic_energy(m*x.dot**2/2)
S.potential_energy(k*x**2/2)
S.force(x, lambda t, q, v: math.sin(t) - 0.1*v["x"]*abs(v["x"]) - 0.5*q["x"]**3)

run = S.simulate(q=dict(x=1), v=dict(x=0), t=20)
x_end, v_end = run.at(20, "x", "x'")
print(f"x(20) = {x_end:.17g}, x'(20) = {v_end:.17g}")
