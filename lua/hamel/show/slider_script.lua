-- slider_script.lua: what a page with sliders does when one is moved, in JavaScript: it integrates the motion anew by Runge-Kutta steps of fixed size.
return [==[
// ---- sliders: the motion integrated anew with other parameters
// x' at (t, x), or null where it does not hold
function rates(p, t, x) {
  const out = new Array(live.states + live.margins).fill(0);
  rate([t, ...x.slice(0, live.controlled), ...p], out);
  for (let i = 0; i < live.margins; i++) if (!(out[live.states + i] > 0)) return null;
  return out.slice(0, live.states).every(Number.isFinite) ? out.slice(0, live.states) : null;
}
function runge(p, t, x, h) {
  const ahead = (f, s) => x.map((a, i) => a + s * f[i]), k1 = rates(p, t, x), k2 = k1 && rates(p, t + h / 2, ahead(k1, h / 2));
  const k3 = k2 && rates(p, t + h / 2, ahead(k2, h / 2)), k4 = k3 && rates(p, t + h, ahead(k3, h));
  return k4 && x.map((a, i) => a + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]));
}
function conditionsAt(p, t, x) {
  const m = live.rows, n = live.controlled - live.kin, out = new Array(m + m * n).fill(0);
  conditions([t, ...x.slice(0, live.controlled), ...p], out);
  return { residual: out.slice(0, m), rows: Array.from({ length: m }, (_, i) => out.slice(m + i * n, m + (i + 1) * n)) };
}
const largest = list => list.reduce((most, a) => Math.max(most, Math.abs(a)), 0);
// G y = b by elimination; dependent rows get 0
function solve(G, b) {
  const n = b.length, A = G.map((row, i) => [...row, b[i]]), free = new Set(A.keys()), order = [], scale = largest(G.flat()) || 1;
  for (let k = 0; k < n; k++) {
    let best = -1;
    for (const i of free) if (best < 0 || Math.abs(A[i][i]) > Math.abs(A[best][best])) best = i;
    if (!(Math.abs(A[best][best]) > 1e-12 * scale)) break;
    free.delete(best); order.push(best);
    for (let i = 0; i < n; i++) if (i !== best) {
      const f = A[i][best] / A[best][best];
      for (let j = 0; j <= n; j++) A[i][j] -= f * A[best][j];
    }
  }
  return b.map((_, i) => order.includes(i) ? A[i][n] / A[i][i] : 0);
}
// the velocities of the start onto the constraints, by the shortest change
function startOf(p) {
  const x = live.start.slice();
  for (let round = 0; live.rows && round < 12; round++) {
    const c = conditionsAt(p, begin, x);
    if (largest(c.residual) < 1e-13) break;
    const y = solve(c.rows.map(a => c.rows.map(b => a.reduce((sum, v, k) => sum + v * b[k], 0))), c.residual);
    c.rows.forEach((row, i) => row.forEach((a, k) => { x[live.kin + k] -= a * y[i]; }));
  }
  return x;
}
// states at the frames, as far as the equations hold
function motionOf(p, steps) {
  const list = [startOf(p)];
  for (let k = 1; k < data.times.length; k++) {
    const h = (data.times[k] - data.times[k - 1]) / steps;
    let x = list[k - 1];
    for (let j = 0; j < steps && x; j++) x = runge(p, data.times[k - 1] + j * h, x, h);
    if (!x) break;
    list.push(x);
  }
  return list;
}
// fills the frames; a sentence on what is wrong, or ""
function integrate(p) {
  const fine = motionOf(p, 2 * live.steps), coarse = motionOf(p, live.steps), n = Math.min(fine.length, coarse.length);
  let off = 0, residual = 0;
  for (let k = 0; k < n; k++)
    fine[k].slice(0, live.controlled).forEach((a, i) => { off = Math.max(off, Math.abs(a - coarse[k][i]) / Math.max(1, Math.abs(a))); });
  for (const k of [0, n - 1]) residual = Math.max(residual, largest(conditionsAt(p, data.times[k], fine[k]).residual));
  const gap = new Array(live.gap).fill(0);
  data.frames = data.times.map((t, k) => {
    const out = new Array(data.frames[0].length).fill(0), at = Math.min(k, n - 1);
    wanted([data.times[at], ...fine[at].slice(0, live.controlled), ...gap, ...p], out);
    return out;
  });
  for (const s of data.shapes) if (s.track) s.track = data.times.slice(0, n).map((t, k) => [t, ...pick(data.frames[k], s.of)]);
  live.accuracy = off; live.residual = residual; live.reached = data.times[n - 1];
  if (n < data.times.length) return "the equations are singular after t = " + data.times[n - 1].toPrecision(4);
  if (residual > 1e-6) return "the constraints are off by " + residual.toPrecision(2);
  return off > 1e-4 ? "inaccurate: the steps are off by " + off.toPrecision(2) : "";
}
function attachSliders() {
  const box = document.getElementById("sliders"), values = live.parameters.slice(), note = document.createElement("span");
  box.style.display = "flex"; note.className = "wrong";
  for (const s of live.sliders) {
    const label = document.createElement("label"), range = document.createElement("input"), shown = document.createElement("output");
    range.type = "range"; range.min = s.low; range.max = s.high; range.step = "any"; range.value = s.value; range.dataset.name = s.name;
    const tell = () => { shown.value = "= " + (+(+values[s.place]).toPrecision(4)) + (s.unit ? " " + s.unit : ""); };
    range.oninput = () => { values[s.place] = +range.value; tell(); note.textContent = integrate(values); draw(); };
    tell(); label.append(s.name, range, shown); box.append(label);
  }
  box.append(note);
}
]==]
