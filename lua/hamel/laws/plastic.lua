-- Plastic impact: the normal velocity vanishes, contact persists where the forces press. Newton's law with e = 0; Carnot's loss of energy.
return {
  name = "plastic",
  law = "newton",
  title = "plastic impact",
  source = "Carnot 1803",
  parameters = {},
}
