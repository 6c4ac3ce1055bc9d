"""Lagrange's top, started upright: a rotation by a unit quaternion, and an event where the axis is lowest."""
import hamel as hm

S = hm.System("heavy top")
N = S.frame("N")
A, C, m, g, c = S.positive("A=1 C=1/2 m=1 g=9.81 c=1/2")
R = S.rotation("R", rates="p q r")
S.body("top", at=c*R.z, frame=R, mass=m, inertia=[A, A, C], about=S.origin)
S.gravity(-g*N.z)

up = R.z.dot(N.z)
run = S.simulate(q=dict(R=[1, 0, 0, 0]), v=dict(p=0.1, q=0.2, r=12), t=20, rtol=1e-12, atol=1e-13,
                 events=[dict(name="lowest", when=hm.dt(up), direction="rising")])
for event in run.events[:3]:
    print(f"lowest at {event.t:.17g}: {run.at(event.t, up):.17g}")
