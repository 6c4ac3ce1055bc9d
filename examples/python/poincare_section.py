"""Henon and Heiles: where the motion crosses x = 0 upwards."""
import hamel as hm

S = hm.System("Henon-Heiles")
x, y = S.coordinates("x y")
S.kinetic_energy((x.dot**2 + y.dot**2)/2)
S.potential_energy((x**2 + y**2)/2 + x**2*y - y**3/3)

section, _ = S.section(when=x, direction="rising", of=["y", y.dot], q=dict(x=0, y=0.1), v=dict(x=0.35, y=0), t=200)
print(f"{len(section)} points")
for point in section[:3]:
    print(f"{point[0]:.17g} {point[1]:.17g}")
