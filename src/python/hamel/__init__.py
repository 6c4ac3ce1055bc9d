"""Hamel: analytical dynamics with constraints, from Python.

>>> import hamel as hm
>>> S = hm.System("pendulum")
>>> phi = S.coordinates("phi")
>>> S.kinetic_energy(phi.dot**2/2)
>>> S.potential_energy(-hm.cos(phi))
>>> run = S.simulate(q={"phi": 1}, v={"phi": 0}, t=10)

Names are those of the Lua library; options are keyword arguments, lists count from 0, powers are written x**2.
"""
import os as _os
import threading as _threading

from . import _core

_core.start(_os.path.join(_os.path.dirname(__file__), "lua"), _threading.main_thread().ident)

from . import _bound, _convert  # noqa: E402
from ._object import HamelError, Object, OWN as _OWN, Verdict  # noqa: E402

_core.use(Object, _OWN, HamelError, Verdict, _bound.bind, _convert.plain, _convert.on_lists, _core.run("return (require 'hamel.python')"))
_library = _core.as_library(_core.run("return (require 'hamel')"))
_support = Object._support = _bound.Support(_core.run("return (require 'hamel.python')"))

System = _library.system
__version__ = _library.version


def lua(text):
    """Runs Lua text in the same state and returns its results: hamel.lua("return hm.version")."""
    return _core.run("local hm = require 'hamel'; " + text)


def __getattr__(name):
    if name in ("to_sympy", "from_sympy"):
        from . import sympy
        return getattr(sympy, name)
    if name.startswith("_"):
        raise AttributeError(name)
    value = _library._plain(name) if name in _OWN else getattr(_library, name)
    if isinstance(value, _bound.Method):
        value = _bound.Function(value._function, name)
    if isinstance(value, _bound.Function):
        globals()[name] = value                  # found at once from now on
    return value


def __dir__():
    return sorted(set(_support.names(_library)) | {"System", "HamelError", "Object", "lua", "to_sympy", "from_sympy"})


def load_ipython_extension(shell):
    """%load_ext hamel: cells that begin with %%hamel are Lua, in the same state."""
    from . import _notebook
    _notebook.load(shell)
