-- A session at the prompt of Hamel 0.1.0.
local hm = require "hamel"
hm.use()
local help, apropos, examples, show = hm.help, hm.apropos, hm.examples, hm.show
local ans
s = system "sleigh"
x, y, th = s:coordinates "x y theta"
m, I, a = positive "m I a"
xG, yG = x + a*cos(th), y + a*sin(th)
ans = s:constraint("blade", y.dot*cos(th) - x.dot*sin(th))
if ans ~= nil then print(ans) end
ans = s
if ans ~= nil then print(ans) end
ans = s:forms()
if ans ~= nil then print(ans) end
values = { m = 1, I = 0.5, a = 0.3 }
ans = s
if ans ~= nil then print(ans) end
ans = s:forms()
if ans ~= nil then print(ans) end
ans = s:holonomic()
if ans ~= nil then print(ans) end
values = { m = 1, I = 0.5, a = 0.3 }
