-- kinematics.lua: the public name of equations/kinematics.lua, for forms that users write.
return require "hamel.equations.kinematics"
