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
from types import SimpleNamespace as _SimpleNamespace

from . import _core

_core.start(_os.path.join(_os.path.dirname(__file__), "lua"))

from ._object import HamelError, Object, OWN as _OWN, Verdict  # noqa: E402

_functions = _core.run("return (require 'hamel.python')")
_core.use(Object, _OWN, HamelError, Verdict, _functions)
_library = _core.as_library(_core.run("return (require 'hamel')"))
_functions = _core.run("return (require 'hamel.python')")
Object._support = _SimpleNamespace(keys=_functions._index("keys"))
_support = _SimpleNamespace(**{name: _functions._index(name) for name in _functions.keys()})
Object._support = _support

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
    return getattr(_library, name)


def __dir__():
    return sorted(set(list(_support.names(_library))) | {"System", "HamelError", "Object", "lua", "to_sympy", "from_sympy"})
