std = "lua54"
max_line_length = 160
exclude_files = { "build*/**" }
ignore = { "212/self", "212/_.*", "581" }
files["tests/spec"] = { std = "lua54+busted" }
