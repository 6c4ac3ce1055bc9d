"""A ball that bounces ever lower: infinitely many impacts before a finite time, then rest."""
import hamel as hm

S = hm.System("bouncing ball")
h = S.coordinates("h")
S.kinetic_energy(h.dot**2/2)
S.force(h, -9.81)
S.unilateral("floor", h, law=hm.newton(0.9))

run = S.simulate(q=dict(h=1), v=dict(h=0), t=10, rtol=1e-12, atol=1e-13)
for impact in run.impacts[:3]:
    print(f"impact at {impact.t:.17g}: {impact.before.v.h:.17g} to {impact.after.v.h:.17g}")
print(f"{len(run.impacts)} impacts, h(9) = {run.at(9).h:.17g}, force of the floor {run.at(9).lambda_.floor:.17g}")
