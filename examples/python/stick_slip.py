"""A block on a moving belt, held by a spring: it sticks, is torn off, slides back and sticks again."""
import hamel as hm

S = hm.System("block on a belt")
x = S.coordinates("x")
S.kinetic_energy(x.dot**2/2)
S.potential_energy(x**2/2)
S.friction("belt", slip=x.dot - hm.rational(1, 5), normal=1, coefficient=0.3, static=0.5)

run = S.simulate(q=dict(x=0), v=dict(x=0.2), t=20, rtol=1e-12, atol=1e-13)
for switch in run.switches:
    print(f"{switch.t:.17g} {switch['from']} to {switch.to}")
