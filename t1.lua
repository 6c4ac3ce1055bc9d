local hm=require"hamel"
local function try(n,f) local ok,e=pcall(f) if not ok then print(n,"ERR",e) end end
local function mk(lin)
 local U=hm.system"nhF" local x,y,z=U:coordinates"x y z" local m=U:parameters"m=-0.1"
 U:kinetic_energy((x.dot^2+y.dot^2+z.dot^2)/2)
 U:potential_energy(x^2/2+y^2+z^2/2+x*z/3) U:constraint("c",z.dot-(y+hm.rational(lin,10))*x.dot)
 U:force(x,m*x.dot-x.dot^3/3) U:force(y,-y.dot/4)
 return U end
local U=mk(0)
try("z",function() print(U:continue{steady={q={x=0,y=0,z=0.2},v={x=0,y=0,z=0},keep={"z"}},along="m",from=-1,to=1}) end)
try("x",function() print(U:continue{steady={q={x=0,y=0,z=0.2},v={x=0,y=0,z=0},keep={"x"}},along="m",from=-1,to=1}) end)
try("along z",function() print(U:continue{steady={q={x=0,y=0,z=0.2},v={x=0,y=0,z=0},keep={"z"}},along="z",from=-1,to=1}) end)
local S=hm.system"ring" local x,y=S:coordinates"x y" local a=S:parameters"a=1"
S:kinetic_energy((x.dot^2+y.dot^2)/2) S:potential_energy((x^2+y^2-a)^2) S:dissipation((x.dot^2+y.dot^2)/2)
try("ring",function() print(S:continue{equilibrium={q={x=1,y=0}},along="a",from=0.5,to=2}) end)
try("ring",function() print(S:continue{steady={q={x=1,y=0},v={x=0,y=0},keep={"y"}},along="a",from=0.5,to=2}) end)
local S=hm.system"ring" local x,y=S:coordinates"x y" local a=S:parameters"a=1"
S:kinetic_energy((x.dot^2+y.dot^2)/2) S:potential_energy((x^2+y^2-a)^2)
try("ring0",function() print(S:continue{steady={q={x=1,y=0},v={x=0,y=0},keep={"y"}},along="a",from=0.5,to=2}) end)
try("ring1",function() print(S:continue{steady={q={x=0.8,y=0.6},v={x=0,y=0},keep={"x"}},along="a",from=0.5,to=2}) end)
