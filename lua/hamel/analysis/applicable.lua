-- applicable.lua: S:forms(): which formalisms apply to a system, with which dependent velocities, and why the others do not.
local forms = require "hamel.forms"
local object = require "hamel.base.object"
local System = require "hamel.system"
local protected = require "hamel.base.protected"

local Overview = object.class "Overview"

-- The reason of a refusal without the place in the user's file
local function reason_of(message)
  return (tostring(message):gsub("^[^\n]-:%d+: ", "", 1))
end

-- S:equations, whose errors are results here; an interrupt is raised
local function try(system, name, given)
  local fine, message = protected(system.equations, system, name, given)
  if not fine and tostring(message):find("interrupted", 1, true) then error(message, 0) end
  return fine, message
end

-- Calls visit with every choice of m of the names until it returns a result or `limit` choices were made
local function choose(names, m, limit, visit)
  local chosen = {}
  local function extend(from)
    if #chosen == m then
      limit = limit - 1
      return visit(table.move(chosen, 1, m, 1, {}))
    end
    for i = from, #names do
      chosen[#chosen + 1] = names[i]
      local found = extend(i + 1)
      if found or limit <= 0 then return found end
      chosen[#chosen] = nil
    end
  end
  return extend(1)
end

-- Dependent velocities with which a form that refused its own choice applies
local function other_choice(system, name)
  local m = #system.constraints
  if m == 0 or m >= #system.coordinate_names then return nil end
  return choose(system.coordinate_names, m, 40, function(dependent)
    if try(system, name, { dependent = dependent }) then return dependent end
  end)
end

local function judge(system, form)
  local row = { name = form.name, title = form.title, another_motion = form.another_motion }
  local fine, message = try(system, form.name)
  row.applies, row.reason = fine, not fine and reason_of(message) or nil
  if not fine and form.takes.dependent then
    row.dependent = other_choice(system, form.name)
    row.applies = row.dependent ~= nil
  end
  return row
end

--- Lists the forms of the equations and whether they apply to the system, also by name: S:forms().maggi.
--- Each entry: name, title, applies, reason (if it does not apply, or not with the velocities chosen first), dependent (if it applies only with these
--- dependent velocities), another_motion (true: for comparison).
function System:forms()
  if #self.coordinate_names == 0 then object.fail("%s has no coordinates yet: S:coordinates \"x y\"", self.name) end
  local list, names = setmetatable({ _system = self }, Overview.meta), {}
  for name in pairs(forms) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do
    list[i] = judge(self, forms[name])
    list[name] = list[i]
  end
  return list
end

local function verdict_text(row)
  local text
  if not row.applies then text = "no: " .. row.reason
  elseif row.dependent then text = ("yes, with dependent = {\"%s\"}"):format(table.concat(row.dependent, "\", \""))
  else text = "yes" end
  return text .. (row.applies and row.another_motion and " (another motion, for comparison)" or "")
end

local function line(row) return ("  %-18s %s"):format(row.name, verdict_text(row)) end

function Overview.meta.__tostring(list)
  local out = { ("%s: forms"):format(list._system.name) }
  for _, row in ipairs(list) do out[#out + 1] = line(row) end
  return table.concat(out, "\n")
end

function Overview.meta.__blocks(list)
  local rows = {}
  for i, row in ipairs(list) do rows[i] = { row.name, row.title, verdict_text(row) } end
  return { title = ("%s: forms"):format(list._system.name), head = { "form", "equations", "applies" }, rows = rows, notes = {} }
end

return Overview
