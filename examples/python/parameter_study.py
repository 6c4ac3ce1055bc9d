"""A pendulum over its amplitude and length: a sweep as a table of pandas."""
import hamel as hm

S = hm.System("pendulum")
phi = S.coordinates("phi")
m, l, g = S.positive("m=1 l=1 g=9.81")
S.kinetic_energy(m*l**2*phi.dot**2/2)
S.potential_energy(-m*g*l*hm.cos(phi))

W = S.sweep(over=[["phi", [0.5, 1, 1.5]], ["l", [1, 2]]], v=dict(phi=0), t=2, keep=["phi", "max phi'"])
table = W.dataframe()
for start, l_k, end, fastest in zip(table["q.phi"], table["l"], table["phi"], table["max phi'"]):
    print(f"{start:g} {l_k:g} {end:.17g} {fastest:.17g}")
best = table.loc[table["max phi'"].idxmax()]
print(f"fastest: l = {best['l']:g}, phi = {best['q.phi']:g}")
