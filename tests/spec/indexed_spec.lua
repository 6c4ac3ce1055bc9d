-- indexed_spec.lua: formulas in index notation, read and compared with the same formulas written as Lua; texts that cannot be read.
local check = require "check"
local hm = require "hamel"
local indexed = require "hamel.algebra.indexed"

local q, mu = { hm.functions_of_time "q1 q2 q3" }, { hm.functions_of_time "mu1 mu2" }
local A = { { q[1], q[2]*q[1], hm.t }, { hm.sin(q[1]), q[2], q[3]^2 } }
local L = q[1].dot^2*q[2] + q[2].dot^2/2

local function read(text, each, more)
  local names = { q = q, mu = mu, A = A, L = L, t = hm.t, e = 1, x = hm.symbols "x" }
  for name, value in pairs(more or {}) do names[name] = value end
  return indexed.read(text, names, { b = 2, s = 3, k = 3, c = { 1, 2 } }, each, names.repeated)
end

-- The formulas that a text gives for its free index against those of a function
local function same(text, each, formula, more)
  local found, why = read(text, each, more)
  assert.truthy(found, why)
  for _, case in ipairs(found) do assert.is_true((case.e - formula(table.unpack(case.list))):is_zero(), text .. ": " .. tostring(case.e)) end
  return #found
end

describe("a formula in index notation", function()
  it("has sums, indices, rates and derivatives", function()
    assert.equal(3, same("dL/dq_s - d/dt dL/dq_s' + sum_b mu_b sum_k (dA_bk/dq_s - dA_bs/dq_k) q_k' - sum_b mu_b' A_bs = 0", "s", function(s)
      local e = hm.diff(L, q[s]) - hm.dt(hm.diff(L, q[s].dot))
      for b = 1, 2 do
        e = e - mu[b].dot*A[b][s]
        for k = 1, 3 do e = e + mu[b]*(hm.diff(A[b][k], q[s]) - hm.diff(A[b][s], q[k]))*q[k].dot end
      end
      return e
    end))
    same("q_(e+b)'' = d(q_b q_b')/dt", "b", function(b) return q[1 + b].ddot - hm.dt(q[b]*q[b].dot) end)
    same("sum_(k=2)^3 q_k", nil, function() return q[2] + q[3] end)
    same("dA_bs/dt", "b s", function(b, s) return hm.partial(A[b][s], hm.t) end)
    same("∂L/∂q_1'", nil, function() return 2*q[1].dot*q[2] end)
  end)
  it("keeps the order of products, quotients, powers and signs", function()
    same("-1/2 x^2 q_1/x 3", nil, function() return -hm.rational(3, 2)*hm.symbols "x"*q[1] end)
    same("x^-2 - (x - 2)^2 [q_1 + {q_2}]", nil, function()
      local x = hm.symbols "x"
      return x^-2 - (x - 2)^2*(q[1] + q[2])
    end)
    same("2 sin x q_1 + sin(x q_1)", nil, function()
      local x = hm.symbols "x"
      return 2*hm.sin(x)*q[1] + hm.sin(x*q[1])
    end)
    -- a sum ends with its term
    same("sum_b mu_b q_b + x", nil, function() return mu[1]*q[1] + mu[2]*q[2] + hm.symbols "x" end)
  end)
  it("sums repeated indices where the caller says so", function()
    local function b(i, m, n) return hm.number(n and 100*i + 10*m + n or 10*i + m) end
    local names = { B = b, repeated = true }
    same("B^s_b mu^b + B^s_(b,c) mu^b mu^c'", "s", function(s)
      local e = hm.number(0)
      for i = 1, 2 do
        e = e + b(s, i)*mu[i]
        for j = 1, 2 do e = e + b(s, i, j)*mu[i]*mu[j].dot end
      end
      return e
    end, names)
    same("B_sb (mu_b + mu_b')", "s", function(s) return b(s, 1)*(mu[1] + mu[1].dot) + b(s, 2)*(mu[2] + mu[2].dot) end, names)
    assert.is_nil((read("B_sb mu_b", "s", { B = b })))
  end)
  it("takes brackets with indices, own rates and what is left out from the names", function()
    same("[b, c; s] + q_b' + ...", "b c s", function(b_, c, s) return hm.number(b_ + 10*c + 100*s) + mu[b_] + 7 end,
      { ["[]"] = function(i, j, k) return i + 10*j + 100*k end, ["q'"] = mu, ["..."] = 7 })
    same("delta q_1 delta q_2", nil, function() return mu[1]*mu[2] end, { ["delta q"] = mu })
  end)
  it("says what cannot be read, and where", function()
    for text, words in pairs{
      ["q_1 +"] = "a factor is expected", ["(q_1"] = "closing bracket", ["q_1)"] = "the formula has ended",
      ["zz q_1"] = "at 'zz q_1': nothing is known of 'zz'",
      ["q_j"] = "'j' is no index", ["sum_j q_1"] = "the sum over j has no range", ["q_b"] = "b is neither summed nor free",
      ["q_5"] = "'q_5' in 'q_5' has no value at 5", ["x_1"] = "has no index", ["A_1"] = "has no value at 1", ["q_1 + ..."] = "leaves something out",
      ["q_1 = q_2 = q_3"] = "the formula has ended", [""] = "a factor is expected", ["sum_(k=1) q_k"] = "the last value of the sum",
    } do
      local found, why = read(text)
      assert.is_nil(found, text)
      assert.truthy(why:find(words, 1, true), text .. ": " .. why)
    end
    assert.truthy(select(2, read("q_1", "z")):find("the free index z has no range", 1, true))
  end)
end)

describe("P:printed in index notation", function()
  local function line(text, typed)
    local P = hm.paper{ title = "a text", quiet = true }
    P:printed(text, typed, { q = q, A = A, mu = mu, ranges = { b = 2, s = 3 }, each = "s" })
    return P:misprint("(1)", "a misprint", q[1], hm.number(0))
  end
  local function formula(s) return mu[1]*A[1][s] + mu[2]*A[2][s] end
  it("compares every choice of the free indices", function()
    assert.equal("misprint", line("sum_b mu_b A_bs = 0", formula).verdict)
    assert.equal("misprint", line("sum_b mu_b A_bs", { formula(1), formula(2), formula(3) }).verdict)
    assert.equal("FAILED", line("sum_b mu_b' A_bs", formula).verdict)
    local wrong = line("sum_b mu_b A_bs", { formula(1), formula(2), formula(2) })
    assert.equal("FAILED", wrong.verdict)
    assert.truthy(wrong.details[2]:find("typed otherwise at s = 3", 1, true))
    assert.equal("FAILED", line("sum_b mu_b A_bs", { formula(1), formula(2) }).verdict)
    assert.equal("FAILED", line("sum_b nu_b A_bs", formula).verdict)
  end)
  it("wants the indices of a table or a function", function()
    check.raises({ "P:printed", "each" }, function() hm.paper{ title = "t", quiet = true }:printed("q_s", formula) end)
  end)
end)
