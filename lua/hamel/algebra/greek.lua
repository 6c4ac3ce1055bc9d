-- greek.lua: Greek letters by their LaTeX names.
return {
  alpha = "α", beta = "β", gamma = "γ", delta = "δ", epsilon = "ϵ", zeta = "ζ", eta = "η", theta = "θ", iota = "ι", kappa = "κ", lambda = "λ", mu = "μ",
  nu = "ν", xi = "ξ", pi = "π", rho = "ρ", sigma = "σ", tau = "τ", upsilon = "υ", phi = "ϕ", chi = "χ", psi = "ψ", omega = "ω", Gamma = "Γ", Delta = "Δ",
  Theta = "Θ", Lambda = "Λ", Xi = "Ξ", Pi = "Π", Sigma = "Σ", Upsilon = "Υ", Phi = "Φ", Psi = "Ψ", Omega = "Ω", varphi = "φ", vartheta = "ϑ",
  varepsilon = "ε",
}
