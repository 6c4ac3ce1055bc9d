-- doubts.lua: why special points are doubtful, by the `reason` that results and files give, in words.
return {
  ["passing by"] = "solutions may only pass each other here, nearer than the tolerance",
  kind = "rounding hides how many eigenvalues pass, so that this may be a Hopf point",
}
