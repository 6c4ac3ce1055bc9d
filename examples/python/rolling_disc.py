"""A disc that rolls without slipping on a plane: the equations of Boltzmann and Hamel in its own rates, and the forces at the contact."""
import hamel as hm
from hamel import cos, sin

S = hm.System("rolling disc")
x, y, phi, theta, psi = S.coordinates("x y phi theta psi")             # contact point, heading, tilt, spin
m, r, A, C, g = S.positive("m=1 r=1/2 A=1/16 C=1/8 g=9.81")
cx, cy, cz = hm.dt(x - r*sin(theta)*sin(phi)), hm.dt(y + r*sin(theta)*cos(phi)), hm.dt(r*cos(theta))
S.kinetic_energy(m/2*(cx**2 + cy**2 + cz**2) + A/2*(theta.dot**2 + (phi.dot*cos(theta))**2) + C/2*(psi.dot + phi.dot*sin(theta))**2)
S.potential_energy(m*g*r*cos(theta))
S.constraint("roll x", x.dot + r*psi.dot*cos(phi))
S.constraint("roll y", y.dot + r*psi.dot*sin(phi))

run = S.simulate(q=dict(x=0, y=0, phi=0, theta=0.2, psi=0), v=dict(phi=0.5, theta=0, psi=6), t=5)
print(f"theta(5) = {run.at(5).theta:.17g}")
print(f"roll x = {run.at(5).lambda_['roll x']:.17g}")
for theta_k in run.series("theta", n=5)[1]:
    print(f"{theta_k:.17g}")
