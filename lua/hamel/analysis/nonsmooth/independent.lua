-- independent.lua: contacts that do not act on each other: an impact at one changes no velocity with which another is met.
local core = require "hamel.core"

-- Numbers joined into classes: find(i), join(i, k)
local function classes(n)
  local parent = {}
  for i = 1, n do parent[i] = i end
  local function find(i)
    while parent[i] ~= i do i = parent[i] end
    return i
  end
  return find, function(i, k) parent[find(i)] = find(k) end
end

local function is_zero(e) return core.number_value(e) == 0 end

--- Do the gaps of a list share no velocity, by masses and constraints? E: the equations of the motion in the velocities of the coordinates.
return function(E, gaps)
  local n = #E.dyn
  local find, join = classes(n)
  for i = 1, n do
    for k = 1, n do if not is_zero(E.M[i][k]) then join(i, k) end end
  end
  for _, row in ipairs(E.A) do
    local first
    for i = 1, n do
      if not is_zero(row[i]) then
        first = first or i
        join(first, i)
      end
    end
  end
  local taken = {}
  for number, gap in ipairs(gaps) do
    for j, q in ipairs(E.kin) do
      if not is_zero(core.diff(gap.gap, q)) then
        for i, slope in ipairs(core.gradient(E.k[j], E.dyn)) do
          if not is_zero(slope) then
            local class = find(i)
            if taken[class] and taken[class] ~= number then return false end
            taken[class] = number
          end
        end
      end
    end
  end
  return true
end
