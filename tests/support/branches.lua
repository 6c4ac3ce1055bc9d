-- branches.lua: how specs place special points on a branch, and find them.
local branches = {}

--- The special points of that kind, in order.
function branches.of_kind(branch, kind)
  local list = {}
  for _, special in ipairs(branch.special) do if special.kind == kind then list[#list + 1] = special end end
  return list
end

--- The n-th special point of that kind; n is 1 where it is not given.
function branches.first(branch, kind, n)
  return branches.of_kind(branch, kind)[n or 1] or error("no " .. kind .. " on the branch:\n" .. tostring(branch), 2)
end

--- factor (p - root) (p - root) ..., of an expression or number p: what vanishes at the roots.
function branches.polynomial(p, factor, roots)
  local product = factor
  for _, root in ipairs(roots) do product = product*(p - root) end
  return product
end

return branches
