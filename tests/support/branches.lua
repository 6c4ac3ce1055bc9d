-- branches.lua: how specs find special points on a branch.
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

return branches
