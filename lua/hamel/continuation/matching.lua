-- matching.lua: which of the eigenvalues or multipliers at one point of a branch continues which at another one; lists of them: tracks.lua.
local matching = {}

-- Lets the sides of sums go on where one of them has passed infinity since the list before
local function go_on(before, order, turned)
  if turned == nil then return end
  for _, at in ipairs{ 1, -1 } do
    local largest, most = nil, -math.huge
    for i, item in ipairs(order) do
      local height = item.at == at and before.turned ~= turned and item.place[3] + before[i].place[3] or -math.huge
      if height > most then largest, most = i, height end
    end
    for i, item in ipairs(order) do
      if item.at == at then
        local facing = (before[i].facing or 1)*(i == largest and -1 or 1)
        if facing ~= (item.facing or 1) then
          order[i] = { e = item.e, place = item.place, at = at, side = -item.side, sign = -item.sign, facing = facing, rounding = item.rounding,
            fine = item.fine, coarse = item.coarse }
        end
      end
    end
  end
end

--- The square of the distance from where a member is expected, farther by d, to another one.
function matching.distance(a, rate, d, b)
  local sum = 0
  for i, value in ipairs(a.place) do sum = sum + (value + (rate and d*rate[i] or 0) - b.place[i])^2 end
  return sum
end

local function nearest_first(one, other)
  if one.distance ~= other.distance then return one.distance < other.distance end
  return one.i < other.i or one.i == other.i and one.k < other.k
end

local CLEAR = 1/9                      -- square of how much nearer the member that continues another one is than all others

-- Which members of a matched list are clearly those that were expected? Others at the same place do no harm
local function add_clear(order, all)
  order.clear = {}
  for i in ipairs(order) do order.clear[i] = true end
  local own = {}
  for _, pair in ipairs(all) do if pair.item == order[pair.i] then own[pair.i] = pair.distance end end
  for _, pair in ipairs(all) do
    local mine = order[pair.i]
    local is_rival = pair.item ~= mine and matching.distance(mine, nil, 0, pair.item) > order.fine^2
    if is_rival and own[pair.i] > CLEAR*pair.distance then order.clear[pair.i] = false end
  end
end

--- The list `now` in the order in which it continues the list `before`, farther by the length d; nil: it has other members. Two that cross are told apart
-- by their rates
function matching.matched(before, now, d)
  if #before ~= #now then return nil end
  local all, taken = {}, {}
  local order = { fine = now.fine, coarse = now.coarse, odd = now.odd, rates = {} }
  for i, a in ipairs(before) do
    for k, b in ipairs(now) do all[#all + 1] = { i = i, k = k, item = b, distance = matching.distance(a, before.rates and before.rates[i], d, b) } end
  end
  table.sort(all, nearest_first)
  for _, pair in ipairs(all) do
    if not order[pair.i] and not taken[pair.k] then order[pair.i], taken[pair.k] = now[pair.k], true end
  end
  add_clear(order, all)
  go_on(before, order, now.turned)
  order.turned = now.turned
  for i, item in ipairs(order) do
    local rate = {}
    for k, value in ipairs(item.place) do rate[k] = d > 0 and (value - before[i].place[k])/d or 0.0 end
    order.rates[i] = rate
  end
  return order
end

return matching
