-- elsewhere.lua: advice for names that users look for in the wrong object. One row, one word.
return {
  gamma = "Hamel's symbols are in S:transposition() and S:derivation \"hamel\"",
  check = "S:compare{...} runs other forms of the equations, S:reference{...} another integrator",
  c = "S:export_c \"model.c\" writes C",
  export_c = "S:export_c \"model.c\" writes C",
  sweep = "it belongs to a system: S:sweep{...}",
  simulate = "it belongs to a system: S:simulate{...}",
  run = "a system is run by S:simulate{...}",
  cite = "help \"maggi\" names the source of a form",
  kinetic_energy = "it belongs to a system: S:kinetic_energy(T)",
  constraint = "it belongs to a system: S:constraint(\"name\", f)",
  coordinates = "it belongs to a system: x, y = S:coordinates \"x y\"",
  with = "values go into a run: S:simulate{ parameters = { m = 2 } }",
}
