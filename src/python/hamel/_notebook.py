"""IPython: %%hamel cells in Lua, in the state that Python's objects live in. %load_ext hamel loads it."""
import hamel


def _given(shell, names):
    """Python's variables of these names as globals of Lua."""
    for name in names:
        if name not in shell.user_ns:
            raise NameError(f"%%hamel -i {name}: Python has no variable '{name}'")
        hamel.lua("return function(name, value) _G[name] = value end")(name, shell.user_ns[name])


def _taken(shell, names):
    for name in names:
        value = hamel.lua(f"return rawget(_G, '{name}')")
        if value is None:
            raise NameError(f"%%hamel -o {name}: the cell made no global '{name}' (a local ends with the cell)")
        shell.user_ns[name] = value


def _options(line):
    given, taken, target = [], [], None
    for word in line.split():
        if word in ("-i", "-o"):
            target = given if word == "-i" else taken
        elif target is None or not word.isidentifier():
            raise ValueError(f"%%hamel -i x -o run: '{word}' is no name after -i or -o")
        else:
            target.append(word)
            target = None
    return given, taken


def load(shell):
    def cell(line, text=None):
        """%%hamel [-i name] [-o name]: Lua; -i brings a variable of Python in, -o takes a global of Lua out. The value of `return` is shown."""
        if text is None:
            return hamel.lua(line)
        given, taken = _options(line)
        _given(shell, given)
        value = hamel.lua("\n" + text)
        _taken(shell, taken)
        return value
    shell.register_magic_function(cell, magic_kind="line_cell", magic_name="hamel")
