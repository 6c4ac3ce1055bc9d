"""Values of other types in numbers, texts, lists and dictionaries, for the library. Exact numbers stay exact."""
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

from ._bound import Function


def _exact(numerator, denominator):
    if denominator == 1:
        return int(numerator)
    import hamel
    return hamel._support.number(f"{numerator}/{denominator}")


def exact_float(o):
    """A Float of SymPy: the double that it is, or the exact number where it has more digits."""
    import sympy
    if o._prec <= 53:
        return float(o)
    exact = sympy.Rational(o)
    return _exact(exact.p, exact.q)


def _wide_number(o):
    """A number of NumPy for which Python has no type, such as longdouble."""
    if o.dtype.kind == "c":
        raise TypeError(_refusal(complex(o)))
    value = float(o)
    if value != o and o == o:
        raise TypeError(f"{o!r} has more digits than a double: float(value) rounds it, fractions.Fraction(*value.as_integer_ratio()) keeps it exactly")
    return value


def _from_sympy(o):
    if o.is_Rational:
        return _exact(o.p, o.q)
    if o.is_Float:
        return exact_float(o)
    raise TypeError(f"{o} is an expression of SymPy: hamel.from_sympy(e, S) makes it one of the system S")


def plain(o):
    """What the library gets for o; o itself where it is a function."""
    if isinstance(o, Function):
        return o._function
    if isinstance(o, Fraction):
        return _exact(o.numerator, o.denominator)
    if isinstance(o, Decimal) and o.is_finite():
        return _exact(*o.as_integer_ratio())
    if hasattr(o, "is_Rational"):
        return _from_sympy(o)
    if isinstance(o, type) or isinstance(o, (complex, bytes, bytearray, set, frozenset)):
        raise TypeError(_refusal(o))
    if hasattr(o, "keys") and hasattr(o, "__getitem__"):
        names = list(o.keys())
        if all(isinstance(name, str) for name in names):
            return {name: o[name] for name in names}
    if hasattr(o, "tolist"):
        values = o.tolist()
        return _wide_number(o) if type(values) is type(o) else values
    if hasattr(o, "to_numpy"):
        return o.to_numpy().tolist()
    if hasattr(o, "__float__"):
        return float(o)
    if callable(o):
        return o
    if isinstance(o, Iterable):
        return list(o)
    raise TypeError(_refusal(o))


def on_lists(name, *operands):
    """Arithmetic and comparisons with lists of numbers of the library, entry by entry: NumPy's."""
    import operator
    try:
        import numpy
    except ImportError:
        raise TypeError("arithmetic with a list of numbers needs NumPy; list(values) is a list of Python") from None
    return getattr(operator, name)(*[numpy.asarray(one) for one in operands])


def _refusal(o):
    if isinstance(o, complex):
        return f"{o} is a complex number: those of Hamel are real"
    if isinstance(o, (set, frozenset)):
        return "a set has no order: give Hamel a list"
    what = o.__name__ if isinstance(o, type) else type(o).__name__
    return f"{'the class ' if isinstance(o, type) else 'an object of type '}'{what}' is nothing that Hamel takes: numbers, texts, lists, dictionaries, functions and its own objects"
