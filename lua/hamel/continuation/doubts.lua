-- doubts.lua: why special points are doubtful, by the `reason` that results and files give, in words.
return {
  ["passing by"] = "two solutions may only pass each other here, at less than the tolerance",
  counts = "the number of multipliers outside the unit circle changes here by another number than the special points found account for",
  kind = "rounding hides how many eigenvalues pass, so that this may be a Hopf point",
  many = "the 60 points that are added to a step do not show whether special points are hidden here; a smaller `largest` shows more",
  runs = "the errors of the runs are too large to decide whether a pair of multipliers passes or two real ones; take smaller rtol, atol and tolerance",
}
