"""Chaplygin's sleigh: a blade that does not slip sideways, the force on it, and what is conserved."""
import hamel as hm
from hamel import cos, sin

S = hm.System("Chaplygin sleigh")
x, y, theta = S.coordinates("x y theta")
m, J, a = S.positive("m=1 J=1/2 a=1/5")
cx, cy = hm.dt(x + a*cos(theta)), hm.dt(y + a*sin(theta))
S.kinetic_energy(m/2*(cx**2 + cy**2) + J/2*theta.dot**2)
S.constraint("blade", x.dot*sin(theta) - y.dot*cos(theta))

run = S.simulate(q=dict(x=0, y=0, theta=0), v=dict(x=1, theta=3), t=20)
print(f"x(20) = {run.at(20).x:.17g}")
print(f"blade = {run.at(2).lambda_.blade:.17g}")
print(f"steps = {len(run)}")
