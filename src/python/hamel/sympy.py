"""Expressions to SymPy and back. Coordinates are functions of dynamicsymbols._t, as in sympy.physics.mechanics; velocities are their derivatives."""
import sympy
from sympy.core.function import AppliedUndef
from sympy.physics.vector import dynamicsymbols

import hamel
from ._convert import exact_float
from ._object import HamelError, Object

_TIME = dynamicsymbols._t
_TO = {"abs": sympy.Abs, "log": sympy.log, "min": sympy.Min, "max": sympy.Max, "atan2": sympy.atan2, "sign": sympy.sign}
_FROM = {"Abs": "abs", "Min": "min", "Max": "max", "log": "log"}


def _number(text):
    return sympy.pi if text == "pi" else sympy.Rational(text)


# Multipliers and velocities of equations are no symbols of a system: by what they became in SymPy
_seen = {}


def _symbol(part):
    if part.is_time:
        return _TIME
    if not part.is_dynamic:
        return sympy.Symbol(part.text, positive=True) if part.is_positive else sympy.Symbol(part.text, real=True)
    function = sympy.Function(part.text)(_TIME)
    return function.diff(_TIME, part.order) if part.order else function


def _list(e):
    """The entries of a list or a matrix of the library; None for anything else."""
    support = hamel._support
    if support.is_expression(e):
        return None
    if support.kind(e) == "Matrix":
        return sympy.Matrix([[to_sympy(one) for one in row] for row in e])
    return [to_sympy(one) for one in e] if support.is_list(e) else None


def to_sympy(e):
    """A number, an expression, a matrix, or a list of them, for SymPy."""
    if isinstance(e, (list, tuple)):
        return [to_sympy(one) for one in e]
    if not isinstance(e, Object):
        return sympy.sympify(e)
    entries = _list(e)
    if entries is not None:
        return entries
    if not hamel._support.is_expression(e):
        raise TypeError(f"to_sympy takes expressions, matrices and lists of them, not {str(e).splitlines()[0]}")
    known = {}

    def convert(expression):
        value = known.get(expression)
        if value is None:
            part = hamel._support.part(expression)
            value = known[expression] = _node(part, convert)
            if part.kind == "symbol":
                _seen[value.expr if part.order else value] = hamel._support.base(expression)
        return value

    return convert(e)


def _node(part, convert):
    if part.kind == "number":
        return _number(part.text)
    if part.kind == "float":
        return sympy.Float(part.text)
    if part.kind == "symbol":
        return _symbol(part)
    operands = [convert(one) for one in part.operands]
    if part.kind == "sum":
        return sympy.Add(*operands)
    if part.kind == "product":
        return sympy.Mul(*operands)
    if part.kind == "power":
        return operands[0]**operands[1]
    function = _TO.get(part.text) or getattr(sympy, part.text, None)
    if function is None:
        raise HamelError(f"to_sympy: {part.key} has no counterpart in SymPy")
    return function(*operands)


# ---- from SymPy

_RECIPROCAL = {"sec": "cos", "csc": "sin", "cot": "tan", "sech": "cosh", "csch": "sinh", "coth": "tanh"}
_ORDER = {"StrictLessThan": "lt", "LessThan": "le", "StrictGreaterThan": "gt", "GreaterThan": "ge"}


def _refuse(s, why="has no counterpart in Hamel"):
    raise HamelError(f"from_sympy: {s} {why}")


def _is_time(s):
    return s == _TIME or s == sympy.Symbol("t")


class _Reader:
    """Expressions in the names of one system."""

    def __init__(self, system):
        self.system = system

    def named(self, name, s):
        """The system's symbol, or that of its equations which to_sympy gave."""
        try:
            return self.system._index("symbol")(self.system, name)
        except HamelError:
            if s in _seen:
                return _seen[s]
            raise

    def function_of_time(self, s):
        if len(s.args) != 1 or not _is_time(s.args[0]):
            _refuse(s, "is a function of something other than the time: hamel.func gives Hamel such functions")
        return self.named(s.func.__name__, s)

    def derivative(self, s):
        if not all(_is_time(variable) for variable in s.variables):
            _refuse(s, "is no derivative with respect to the time")
        inner = s.expr
        if not isinstance(inner, AppliedUndef):
            done = s.doit()
            return _refuse(s) if done.has(sympy.Derivative) and done == s else self.convert(done)
        value = self.function_of_time(inner)
        for _ in range(s.derivative_count):
            value = value.dot
        return value

    def condition(self, s):
        """x < y as what hamel.where takes."""
        method = _ORDER.get(type(s).__name__)
        if method is None:
            _refuse(s, "is no condition for hamel.where: those compare two numbers by <, <=, > or >=")
        difference = self.convert(s.lhs - s.rhs)
        return difference._index(method)(difference, 0)

    def piecewise(self, s):
        *cases, (last, always) = s.args
        if always != sympy.true:
            _refuse(s, "has no value elsewhere: the last condition must be True")
        value = self.convert(last)
        for expression, condition in reversed(cases):
            value = hamel.where(self.condition(condition), self.convert(expression), value)
        return value

    def step(self, s):
        at_zero = s.args[1] if len(s.args) > 1 else sympy.Rational(1, 2)
        if at_zero not in (0, 1, sympy.Rational(1, 2)):
            _refuse(s)
        x = self.convert(s.args[0])
        sign = hamel.sign(x)
        return (sign + 1)/2 + (at_zero.p*2 - at_zero.q)*hamel.rational(1, 2*int(at_zero.q))*(1 - sign**2)

    def constant(self, s):
        if s.is_Rational:
            return hamel._support.number(f"{s.p}/{s.q}")
        if s.is_Float:
            return hamel.number(exact_float(s))
        if s is sympy.pi:
            return hamel.pi
        if s is sympy.E:
            return hamel.exp(1)
        return None

    def call(self, s):
        name = s.func.__name__
        if name in _RECIPROCAL:
            return 1/hamel._support.function_named(_RECIPROCAL[name])(self.convert(s.args[0]))
        function = hamel._support.function_named(_FROM.get(name, name)) if s.args else None
        if function is None:
            _refuse(s)
        values = [self.convert(one) for one in s.args]
        while name in ("Min", "Max") and len(values) > 2:
            values[:2] = [function(*values[:2])]
        return function(*values)

    def convert(self, s):
        value = self.constant(s)
        if value is not None:
            return value
        if _is_time(s):
            return hamel.t
        if s.is_Symbol:
            return self.named(s.name, s)
        if isinstance(s, AppliedUndef):
            return self.function_of_time(s)
        if s.is_Add or s.is_Mul:
            result = self.convert(s.args[0])
            for one in s.args[1:]:
                result = result + self.convert(one) if s.is_Add else result*self.convert(one)
            return result
        if s.is_Pow:
            return self.convert(s.args[0])**self.convert(s.args[1])
        own = {sympy.Derivative: self.derivative, sympy.Piecewise: self.piecewise, sympy.Heaviside: self.step}.get(type(s), self.call)
        return own(s)


def from_sympy(e, system):
    """An expression of SymPy, a matrix, an equation, or a list of them, in the names of a system."""
    if isinstance(e, (list, tuple)):
        return [from_sympy(one, system) for one in e]
    e = sympy.sympify(e)
    if isinstance(e, sympy.MatrixBase):
        return hamel.matrix([from_sympy(row, system) for row in e.tolist()])
    if isinstance(e, sympy.Equality):
        return hamel.eq(from_sympy(e.lhs, system), from_sympy(e.rhs, system))
    if not isinstance(e, sympy.Expr):
        _refuse(e, "is no expression")
    return _Reader(system).convert(e)
