-- Attitudes that a start leaves out and a joint between frames determines: the assembly with parallel frames.
local hm, check = require "hamel", require "check"
local near = check.near

local FIRST = { x = 0, y = 0, z = 0, A = {"zxz", 2, 2.5, 0.3} }

local function pair(kind, turned)
  local S = hm.system(kind)
  local A, B = S:rotation "A", S:rotation "B"
  local a = S:body("a", { at = S:point "x y z", frame = A, mass = 1, inertia = {1, 1, 1.5} })
  local b = S:body("b", { at = S:point "X Y Z", frame = B, mass = 1, inertia = {1, 1, 1} })
  local frame = turned and B:rotate("x", 0.7) or B
  S:joint("j", kind, a:point(0, 0, 0), b:point(0, 0, 0), { axis = kind == "prismatic" and { A.z, frame.z } or nil, frames = {A, frame} })
  return S, A, frame, B, b
end

describe("an attitude that a start leaves out", function()
  for _, form in ipairs{ "lagrange", "hamel" } do
    for _, turned in ipairs{ false, true } do
      it("is that of a fixed joint's other body, in " .. form .. (turned and ", for a turned frame" or ""), function()
        local S, A, B = pair("fixed", turned)
        local run = S:simulate{ form = form, q = FIRST, v = { x = 0, y = 0, z = 0, A = {1, 2, 3} }, t = 0.1 }
        for _, u in ipairs{ "x", "y", "z" } do near(run:at(0, A[u]:dot(B[u])), 1, 1e-9) end
        -- the negative quaternion is no second assembly
        assert.are.equal(0, #run.notes)
      end)
    end
  end
  it("is that of a prismatic joint's other body", function()
    local S, A, B = pair "prismatic"
    local run = S:simulate{ q = { x = 0, y = 0, z = 0, A = {1, 0, 0, 0}, Z = 1 }, v = { x = 0, y = 0, z = 0, A = {0, 0, 0}, Z = 1 }, t = 0.1 }
    near(run:at(0, A.x:dot(B.x)), 1, 1e-9)
  end)
  it("follows along a chain of joints", function()
    local S, A, _, B, b = pair "fixed"
    local C = S:rotation("C", { from = B })
    local c = S:body("c", { at = S:point "x3 y3 z3", frame = C, mass = 1, inertia = {1, 1, 1} })
    S:joint("k", "fixed", b:point(0, 0, 1), c:point(0, 0, 0), { frames = {B, C} })
    local run = S:simulate{ q = FIRST, v = { x = 0, y = 0, z = 0, A = {1, 2, 3} }, t = 0.1 }
    near(run:at(0, A.x:dot(C.x)), 1, 1e-9)
    near(run:at(0, A.z:dot(C.z)), 1, 1e-9)
  end)
end)
