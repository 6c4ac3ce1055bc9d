"""The double pendulum: equations of Lagrange, a chaotic motion, its energy."""
import hamel as hm
from hamel import cos, sin

S = hm.System("double pendulum")
a, b = S.coordinates("a b")
m, l, g = S.positive("m=1 l=1 g=9.81")
x1, y1 = l*sin(a), -l*cos(a)
x2, y2 = x1 + l*sin(b), y1 - l*cos(b)
S.kinetic_energy(m/2*(hm.dt(x1)**2 + hm.dt(y1)**2 + hm.dt(x2)**2 + hm.dt(y2)**2))
S.potential_energy(m*g*(y1 + y2))
print(S.equations("lagrange"))

run = S.simulate(q=dict(a=2, b=1), v=dict(a=0, b=0), t=10, rtol=1e-12, atol=1e-12)
times, angles, energies = run.series("a", "energy", n=101)
print(f"a({times[50]:g}) = {angles[50]:.17g}")
print(f"energy = {energies[100]:.17g}")
