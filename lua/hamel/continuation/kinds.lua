-- kinds.lua: the kinds of special points of branches and curves, as results, files, `stop` and the help spell them.
return { "fold", "branch", "hopf", "neutral", "flip", "torus", "grazing", "touch", "corner", "rest", "turn", "cusp", "double-zero", "zero-Hopf", "Hopf-Hopf",
  "generalised Hopf", "strong resonance 1:1", "strong resonance 1:2", "strong resonance 1:3", "strong resonance 1:4", "fold-flip", "fold-torus",
  "flip-torus", "torus-torus", "halving", "end" }
