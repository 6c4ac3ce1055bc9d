-- export_c with a prefix and further functions: two models in one program give our mass matrix, Jacobian, reactions and energy
local hm, check, mechanics = require "hamel", require "check", require "mechanics"
local core = require "hamel.core"
local near = check.near

local function pendulum()
  local S = hm.system "pendulum"
  local x, y = S:coordinates "x y"
  local m, g, l = S:positive "m=2 g=9.81 l=3/2"
  S:kinetic_energy(m/2*(x.dot^2 + y.dot^2))
  S:potential_energy(m*g*y)
  S:constraint("rod", x^2 + y^2 - l^2)
  S:force(x, -x.dot*hm.abs(x.dot)/10)
  return S, { q = { x = 0.9, y = -1.2 }, v = { x = 0.4, y = 0.3 } }
end

local function sleigh()
  local S = check.sleigh(hm)
  return S, { q = { x = 0, y = 0, theta = 0.3 }, v = { x = math.cos(0.3), y = math.sin(0.3), theta = 0.2 } }
end

-- Prints f, M, J, lambda, energy of both at their starts, one number a line
local main = [[
#include <stdio.h>
#define DECLARE(P) \
  int P##_f(double, const double *, const double *, double *); int P##_mass(double, const double *, const double *, double *); \
  int P##_jacobian(double, const double *, const double *, double *); int P##_lambda(double, const double *, const double *, double *); \
  int P##_energy(double, const double *, const double *, double *);
DECLARE(rod)
DECLARE(blade)
static void show(int failed, int n, const double *values) {
  if (failed) printf("failed\n");
  for (int i = 0; i < n; i++) printf("%.17g\n", values[i]);
}
#define SHOW(P, x, states, rates, rows) do { double out[200]; \
  int failed = P##_f(0, x, NULL, out); show(failed, states, out); failed = P##_mass(0, x, NULL, out); show(failed, rates * rates, out); \
  failed = P##_jacobian(0, x, NULL, out); show(failed, states * states, out); failed = P##_lambda(0, x, NULL, out); show(failed, rows, out); \
  failed = P##_energy(0, x, NULL, out); show(failed, 1, out); } while (0)
int main(void) {
  const double rod[] = {@ROD@}, blade[] = {@BLADE@};
  SHOW(rod, rod, 5, 2, 1);
  SHOW(blade, blade, 6, 3, 1);
  return 0;
}
]]

local function state(S, start, extra)
  local list = {}
  for _, values in ipairs{ start.q, start.v } do for _, name in ipairs(S.coordinate_names) do list[#list + 1] = ("%.17g"):format(values[name]) end end
  for _ = 1, extra do list[#list + 1] = "0" end
  return table.concat(list, ", ")
end

describe("export_c with parts", function()
  it("writes two models that link into one program and give our numbers", function()
    local folder = assert(core.host.private_folder())
    local P, start_p = pendulum()
    local B, start_b = sleigh()
    local with = { "mass", "jacobian", "lambda", "energy" }
    P:export_c(folder .. "/rod.c", { prefix = "rod", with = with })
    B:export_c(folder .. "/blade.c", { prefix = "blade", with = with })
    check.write(folder .. "/main.c", (main:gsub("@ROD@", state(P, start_p, 1)):gsub("@BLADE@", state(B, start_b, 0))))
    assert(os.execute(("cd %s && cc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -O1 -ffp-contract=off main.c rod.c blade.c -lm -o try"):format(folder)))
    local pipe, numbers = assert(io.popen(folder .. "/try")), {}
    for line in pipe:lines() do numbers[#numbers + 1] = assert(tonumber(line), line) end
    pipe:close()
    for _, name in ipairs(core.host.list(folder)) do os.remove(folder .. "/" .. name) end
    os.remove(folder)
    local at = 0
    local function take(n)
      at = at + n
      return table.move(numbers, at - n + 1, at, 1, {})
    end
    for _, case in ipairs{ { P, start_p, 5, "rod", "m" }, { B, start_b, 6, "blade", "m" } } do
      local S, start, states = case[1], case[2], case[3]
      local n = #S.coordinate_names
      local here, f, M, J = S:accelerations(start), take(states), take(n*n), take(states*states)
      for i, name in ipairs(S.coordinate_names) do near(f[n + i], here.a[name], 1e-12, name) end
      near(M[1], S._values[case[5]], 1e-15)
      -- energies and reactions
      near(take(1)[1], here.lambda[case[4]], 1e-12, "lambda")
      near(take(1)[1], S:simulate{ q = start.q, v = start.v, t = 1e-3 }[1].energy, 1e-13, "energy")
      -- the Jacobian against that of the core
      local E = S:equations()
      local compile = require "hamel.model.compile"
      local w = compile.workspace(E, (compile.model(E)))
      local x = {}
      for _, values in ipairs{ start.q, start.v } do for _, name in ipairs(S.coordinate_names) do x[#x + 1] = values[name] + 0.0 end end
      for i = #x + 1, states do x[i] = 0.0 end
      w:set_state(0, x)
      local ours = w:jacobian(0, x)
      for i = 1, states*states do near(J[i], type(ours[1]) == "table" and ours[(i - 1)//states + 1][(i - 1)%states + 1] or ours[i], 1e-12, "J " .. i) end
    end
    assert.equal(#numbers, at)
  end)

  it("gives the reactions of eliminating forms, too", function()
    local folder = assert(core.host.private_folder())
    local S, start = sleigh()
    S:export_c(folder .. "/m.c", { form = "maggi", with = { "lambda", "mass", "jacobian" } })
    local file = assert(io.open(folder .. "/main.c", "w"))
    -- the states of the form: x, y, theta, x', theta'
    file:write(([[
#include <stdio.h>
int hamel_lambda(double, const double *, const double *, double *);
int main(void) {
  double x[] = {0, 0, %.17g, %.17g, %.17g}, lambda[1];
  int failed = hamel_lambda(0, x, NULL, lambda);
  printf("%%.17g\n", lambda[0]);
  return failed;
}
]]):format(start.q.theta, start.v.x, start.v.theta))
    file:close()
    assert(os.execute(("cd %s && cc -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -O1 main.c m.c -lm -o try"):format(folder)))
    local pipe = assert(io.popen(folder .. "/try"))
    near(tonumber(pipe:read "a"), S:accelerations(start).lambda.blade, 1e-12)
    assert.is_true(pipe:close())
    for _, name in ipairs(core.host.list(folder)) do os.remove(folder .. "/" .. name) end
    os.remove(folder)
  end)

  it("answers mistakes", function()
    local S = pendulum()
    check.raises({ "with: there is no 'masss'", "did you mean 'mass'" }, S.export_c, S, "/tmp/x.c", { with = { "masss" } })
    check.raises({ "prefix = '2d'", "no name in C" }, S.export_c, S, "/tmp/x.c", { prefix = "2d" })
    local F = mechanics.body("free", "x")
    check.raises({ "lambda", "has no constraints" }, F.export_c, F, "/tmp/x.c", { with = { "lambda" } })
  end)
end)

describe("S:export_c with constraints that depend on each other", function()
  local function system(values)
    local S = hm.system "told twice"
    local x, y = S:coordinates "x y"
    local l, m = S:positive(values)
    S:kinetic_energy(m*(x.dot^2 + y.dot^2)/2)
    S:potential_energy(9.81*m*y)
    S:constraint("rod", x^2 + y^2 - l^2)
    S:constraint("again", 2*x^2 + 2*y^2 - 2*l^2)
    return S
  end

  -- The program's exit code and the numbers that it prints
  local function tried(text, arguments)
    local folder = assert(core.host.private_folder())
    local file = assert(io.open(folder .. "/m.c", "w"))
    file:write(text)
    file:close()
    local compiled = os.execute(("cc -O1 -ffp-contract=off -DHAMEL_MAIN %s/m.c -lm -o %s/m"):format(folder, folder))
    local pipe = io.popen(("%s/m %s; echo $?"):format(folder, arguments))
    local numbers = {}
    for line in pipe:lines() do numbers[#numbers + 1] = tonumber(line) or line end
    pipe:close()
    os.execute("rm -r " .. folder)
    return compiled, table.remove(numbers), numbers
  end

  it("leaves the redundant ones out, and gives the accelerations of S:accelerations", function()
    local S, name = system "l=1 m=1.5", os.tmpname() .. ".c"
    local written = S:export_c(name)
    os.remove(name)
    local compiled, failed, f = tried(written.text, "0 0.6 -0.8 0.4 0.3")
    assert.are.equal(true, compiled)
    assert.are.equal(0, failed)
    local a = S:accelerations{ q = { x = 0.6, y = -0.8 }, v = { x = 0.4, y = 0.3 } }.a
    near(f[3], a.x, 1e-13)
    near(f[4], a.y, 1e-13)
    assert.are.equal(true, written.text:find("imply it: 'again'", 1, true) ~= nil)
    check.raises({ "imply 'again'", "maggi" }, S.export_c, S, name, { with = { "lambda" } })
    check.raises({ "needs independent constraints", "'again'" }, S.export_c, S, name, { form = "vakonomic" })
  end)

  it("writes parameters without a value as such: nothing is computed until they are given", function()
    local S, name = system "l m", os.tmpname() .. ".c"
    local written = S:export_c(name)
    os.remove(name)
    assert.are.equal(true, written.text:find("p[0] = l, which must be given", 1, true) ~= nil)
    local compiled, failed = tried(written.text, "0 0.6 -0.8 0.4 0.3 2>/dev/null")
    assert.are.equal(true, compiled)
    assert.are.equal(1, failed)
  end)

  it("refuses arguments of the trial program that are not finite numbers, and names them", function()
    local S, name = system "l=1 m=1.5", os.tmpname() .. ".c"
    local text = S:export_c(name).text
    os.remove(name)
    for _, case in ipairs{ { "0 0.6 abc 0.4 0.3", "y = 'abc'" }, { "0 0.6 -0.8 1.0x 0.3", "x' = '1.0x'" }, { "nan 0.6 -0.8 0.4 0.3", "t = 'nan'" },
      { "0 1e999 -0.8 0.4 0.3", "x = '1e999'" }, { "0 0.6 -0.8 0.4 ''", "y' = ''" }, { "0 0.6 -0.8 0.4 0.3 1", "5 numbers are required, 6 are given" },
      { "", "5 numbers are required, 0 are given" } } do
      local compiled, code, lines = tried(text, case[1] .. " 2>&1")
      assert.are.equal(true, compiled)
      assert.are.equal(2, code, case[1])
      assert.truthy(lines[1]:find(case[2], 1, true), lines[1])
      assert.truthy(lines[2]:find("usage: ", 1, true), lines[2])
      assert.are.equal(2, #lines)
    end
  end)
end)
