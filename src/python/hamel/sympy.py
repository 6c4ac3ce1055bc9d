"""Expressions to SymPy and back. Coordinates are functions of dynamicsymbols._t, as in sympy.physics.mechanics; velocities are their derivatives."""
import sympy
from sympy.physics.vector import dynamicsymbols

import hamel
from ._object import HamelError, Object

_TIME = dynamicsymbols._t
_TO = {"abs": sympy.Abs, "log": sympy.log, "min": sympy.Min, "max": sympy.Max, "atan2": sympy.atan2, "sign": sympy.sign}
_FROM = {"Abs": "abs", "Min": "min", "Max": "max", "log": "log"}


def _number(text):
    return sympy.pi if text == "pi" else sympy.Rational(text)


def _symbol(part):
    if part.is_time:
        return _TIME
    if not part.is_dynamic:
        return sympy.Symbol(part.text, positive=True) if part.is_positive else sympy.Symbol(part.text, real=True)
    function = sympy.Function(part.text)(_TIME)
    return function.diff(_TIME, part.order) if part.order else function


def to_sympy(e):
    """A number, an expression, or a list of them, for SymPy."""
    if isinstance(e, (list, tuple)):
        return [to_sympy(one) for one in e]
    if not isinstance(e, Object):
        return sympy.sympify(e)
    known = {}

    def convert(expression):
        part = hamel._support.part(expression)
        if part.key in known:
            return known[part.key]
        if part.kind == "number":
            value = _number(part.text)
        elif part.kind == "float":
            value = sympy.Float(part.text)
        elif part.kind == "symbol":
            value = _symbol(part)
        else:
            operands = [convert(one) for one in part.operands]
            if part.kind == "sum":
                value = sympy.Add(*operands)
            elif part.kind == "product":
                value = sympy.Mul(*operands)
            elif part.kind == "power":
                value = operands[0]**operands[1]
            else:
                function = _TO.get(part.text) or getattr(sympy, part.text, None)
                if function is None:
                    raise HamelError(f"to_sympy: SymPy has no function '{part.text}'")
                value = function(*operands)
        known[part.key] = value
        return value

    return convert(e)


def from_sympy(e, system):
    """A SymPy expression in the names of a system."""
    e = sympy.sympify(e)

    def named(name):
        return system._index("symbol")(system, name)

    def convert(s):
        if s.is_Rational:
            return hamel.rational(int(s.p), int(s.q))
        if s.is_Float:
            return hamel.number(float(s))
        if s is sympy.pi:
            return hamel.pi
        if s is sympy.E:
            return hamel.exp(1)
        if s == _TIME or s == sympy.Symbol("t"):
            return hamel.t
        if isinstance(s, sympy.Derivative):
            value = named(s.args[0].func.__name__)
            for _ in range(s.derivative_count):
                value = value.dot
            return value
        if s.is_Symbol:
            return named(s.name)
        if isinstance(s, sympy.core.function.AppliedUndef):
            return named(s.func.__name__)
        if s.is_Add or s.is_Mul:
            result = convert(s.args[0])
            for one in s.args[1:]:
                result = result + convert(one) if s.is_Add else result*convert(one)
            return result
        if s.is_Pow:
            return convert(s.args[0])**convert(s.args[1])
        if isinstance(s, sympy.exp):
            return hamel.exp(convert(s.args[0]))
        name = s.func.__name__
        function = hamel._support.function_named(_FROM.get(name, name))
        if function is None or s.is_number and not s.args:
            raise HamelError(f"from_sympy: '{s}' has no counterpart in Hamel")
        return function(*[convert(one) for one in s.args])

    return convert(e)
