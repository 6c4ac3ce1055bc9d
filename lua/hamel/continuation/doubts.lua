-- doubts.lua: why special points are doubtful, by the `reason` that results and files give, in words.
return {
  ["passing by"] = "solutions may only pass each other here, nearer than the tolerance",
  counts = "the number of multipliers outside the unit circle changes otherwise here than the places found say",
  kind = "rounding hides how many eigenvalues pass, so that this may be a Hopf point",
  many = "the 60 points that are added to a step do not show whether special points are hidden here; a smaller `largest` shows more",
  runs = "errors of runs hide whether one pair of multipliers passes or two real ones do; smaller rtol, atol and tolerance tell more",
}
