"""Newton's cradle with gaps of a hundredth: the speeds after the strokes."""
import hamel as hm

S = hm.System("cradle")
names = ["a", "b", "c", "d", "f"]
q = S.coordinates(" ".join(names))
S.kinetic_energy(sum(one.dot**2/2 for one in q))
for i in range(4):
    S.unilateral(f"pair{i + 1}", q[i + 1] - q[i] - 1, law=hm.newton(0.95))

places, speeds = {name: i*1.01 for i, name in enumerate(names)}, dict.fromkeys(names, 0)
places["a"], speeds["a"] = -1, 1
run = S.simulate(q=places, v=speeds, t=3)
for name in names:
    print(f"{name} {run.at(3).v[name]:.17g}")
