std = "lua54"
max_line_length = 140
exclude_files = { "build*/**" }
ignore = { "212/self", "212/_.*" }
files["tests/spec"] = { std = "lua54+busted" }
