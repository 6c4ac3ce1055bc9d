"""The class of everything that the library returns and Python has no type for: systems, expressions, runs, tables of results."""
from . import _core
from ._bound import Method


class HamelError(Exception):
    """A message of the library: what happened, where, what to do."""


class Verdict(tuple):
    """True, False or None with what explains it: true in conditions only where the verdict is True."""

    def __bool__(self):
        return self[0] is True


def _number_list(value):
    """A list of numbers as an array: NumPy's, or Python's own where NumPy is missing; None for anything else."""
    if not isinstance(value, _core.Object):
        return None
    data = _core.numbers(value)
    if data is None or len(data) == 0:
        return None
    return _doubles(data)


def _package(name, method, result):
    """A package that one method needs, which hamel does not install by itself."""
    from importlib import import_module
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(f"{method} returns {result}, and the package {name} is not installed: pip install {name}", name=name) from None


def _doubles(data):
    try:
        import numpy
        return numpy.frombuffer(data)
    except ImportError:
        from array import array
        result = array("d")
        result.frombytes(data)
        return result


def _block_columns(value):
    """The columns of a block of the core as arrays; None for anything else."""
    found = _core.block(value)
    if found is None:
        return None
    data, rows, columns = found
    return [_doubles(memoryview(data)[8*rows*k:8*rows*(k + 1)]) for k in range(columns)]


class Object(_core.Object):
    """Fields and methods are those of the library; lists count from 0. Options are keyword arguments: S.simulate(q={"x": 0}, t=20)."""

    __slots__ = ("__weakref__", "_kept")
    _support = None
    _op_priority = 0                                 # SymPy's numbers leave sums and products with our expressions to us

    # ---- declarations that read better in Python

    def positive(self, *text, **values):
        """Positive parameters: S.positive("m=1 J=1/2"), S.positive(m=1, J="1/2")."""
        return self._declare("positive", text, values)

    def parameters(self, *text, **values):
        """Parameters of any sign: S.parameters("a=1"), S.parameters(a=1)."""
        return self._declare("parameters", text, values)

    def _declare(self, name, text, values):
        function = self._index(name)
        if text or not values:
            return function(self, *text, **values)
        unit = values.pop("unit", None)
        words = " ".join(key if value is None else f"{key}={value}" for key, value in values.items())
        return function(self, words, **({} if unit is None else {"unit": unit}))

    # ---- runs and sweeps as arrays

    def series(self, *what, **options):
        """Times and values of expressions over a run, an array each; the expressions one by one or in a list."""
        if len(what) == 1 and isinstance(what[0], (list, tuple)):
            what = tuple(what[0])
        if self._support.kind(self) != "Trajectory":
            return self._plain("series")(*what, **options)
        columns = _block_columns(self._support.series(self, *what, **options))
        if columns is None:
            columns = [_number_list(one) for one in self._index("series")(self, *what, **options)]
        return tuple(columns)

    @property
    def states(self):
        """The stored states of a run, one row each: times are run.t. The array belongs to the run and is read-only."""
        if self._support.kind(self) != "Trajectory":
            return self._plain("states")
        try:
            return self._kept
        except AttributeError:
            pass
        numpy = _package("numpy", "states", "an array of NumPy")
        found = self._support.states(self)
        block = _core.block(found)
        if block is None:
            self._kept = numpy.array([_number_list(one) for one in found])
        else:
            data, rows, columns = block
            self._kept = numpy.frombuffer(data).reshape(columns, rows)[1:].T
        self._kept.flags.writeable = False
        return self._kept

    def dataframe(self, *what, **options):
        """Expressions over a run, all coordinates and velocities where none is named, or the rows of a sweep, as a table of pandas."""
        if self._support.kind(self) not in ("Trajectory", "Sweep"):
            return self._plain("dataframe")(*what, **options)
        pandas = _package("pandas", "dataframe", "a table of pandas")
        if self._support.kind(self) == "Sweep":
            return pandas.DataFrame(self._columns())
        names, columns = self._named_series(what, options)
        return pandas.DataFrame(dict(zip(names, columns[1:])), index=pandas.Index(columns[0], name="t"))

    def dataset(self, *what, **options):
        """The same as a dataset of xarray: of a run over the time t, of a sweep over the number of the run."""
        if self._support.kind(self) not in ("Trajectory", "Sweep"):
            return self._plain("dataset")(*what, **options)
        xarray = _package("xarray", "dataset", "a dataset of xarray")
        if self._support.kind(self) == "Sweep":
            columns = self._columns()
            index = columns.pop("index")
            return xarray.Dataset({name: ("index", values) for name, values in columns.items()}, {"index": index})
        names, columns = self._named_series(what, options)
        data = {name: ("t", values) for name, values in zip(names, columns[1:])}
        return xarray.Dataset(data, {"t": columns[0]}, {"system": self.system.name, "status": self.status})

    def _named_series(self, what, options):
        if len(what) == 1 and isinstance(what[0], (list, tuple)):
            what = tuple(what[0])
        what = what or tuple(self._support.state_names(self))
        return [str(one) for one in what], self.series(*what, **options)

    # Whole numbers and texts stay what they are
    def _columns(self):
        columns = {}
        for name, values in self._support.columns(self):
            whole = name in ("index", "steps") or not isinstance(values._index(1), (int, float))
            columns[name] = list(values) if whole else _number_list(values)
        return columns

    def _plain(self, name):
        """The library's own field or method of this name."""
        try:
            value = self._index(name)
        except HamelError as error:
            raise AttributeError(str(error)) from None
        return Method(self, value, name) if callable(value) else value

    # ---- numbers

    def _value(self, kind):
        value = self._support.value(self)
        if value is None:
            raise TypeError(f"{str(self).splitlines()[0]} is no number, {kind}() cannot convert it; functions of expressions are hamel's, such as hamel.sin(x), "
                            "and e.eval(x=2) is the value of an expression")
        return value

    def __float__(self):
        return float(self._value("float"))

    def __int__(self):
        return int(self._value("int"))

    def __format__(self, specification):
        value = self._support.value(self)
        return format(str(self) if value is None else value, specification)

    def __abs__(self):
        return self._support.function_named("abs")(self)

    def __matmul__(self, other):
        return self*other if isinstance(other, Object) and self._support.kind(self) == self._support.kind(other) == "Matrix" else NotImplemented

    def __bool__(self):
        if self._support.is_expression(self):
            raise TypeError("an expression is neither true nor false: a == b says whether both are written the same, (a - b).is_zero() looks for a proof")
        return self._support.size(self) != 0

    # ---- what Python expects of a container

    def __len__(self):
        size = self._support.size(self)
        if size is None:
            raise TypeError(f"{str(self).splitlines()[0]} is no list and has no length")
        return size

    def _sympy_(self):
        from .sympy import to_sympy
        return to_sympy(self)

    def __array__(self, dtype=None, copy=None):
        import numpy
        numbers = _number_list(self)
        if numbers is not None:
            return numpy.asarray(numbers, dtype)
        if self._support.is_list(self):
            return numpy.array(list(self), dtype)
        single = numpy.empty((), object)
        single[()] = self
        return single

    def __getitem__(self, key):
        if isinstance(key, tuple):
            value = self
            for one in key:
                value = value[one]
            return value
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        if isinstance(key, list) or getattr(key, "ndim", 0) > 0:
            return self._chosen(key)
        if hasattr(key, "__index__") and not isinstance(key, bool):
            size, key = len(self), key.__index__()
            if not -size <= key < size:
                raise IndexError(f"there is no entry {key}: " + (f"they count from 0 to {size - 1}" if size else "the list is empty"))
            return self._index(key % size + 1)
        value = self._index(key)
        if value is None:
            raise KeyError(key)
        return value

    def _chosen(self, key):
        """The entries that a mask or a list of numbers chooses, as an array."""
        numbers = _number_list(self)
        if numbers is None:
            raise TypeError("a mask or a list of numbers chooses entries of a list of numbers, such as run.t")
        import numpy
        return numpy.asarray(numbers)[key]

    def __iter__(self):
        if self._support.is_list(self):
            return iter([self._index(i + 1) for i in range(len(self))])
        if self._support.size(self) is None:
            raise TypeError(f"{str(self).splitlines()[0]} is no list: dir() of it shows its fields and methods")
        return iter(self.keys())

    def __contains__(self, key):
        return key in list(self)

    def keys(self):
        """The names in a table of results."""
        names = self._support.keys(self)
        return [names._index(i + 1) for i in range(len(names))]

    def items(self):
        """Names and values of a table of results."""
        return [(name, self._index(name)) for name in self.keys()]

    # ---- what people look at

    def __dir__(self):
        names = self._support.names(self)
        kind = self._support.kind(self)
        own = {name for name in _ADDED.get(kind, ())}
        if self._support.size(self) is not None and not self._support.is_list(self):
            own |= {"keys", "items"}
        return sorted(set(names) | own)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return dict(self._support.bundle(self).items())

    def __copy__(self):
        if self._support.is_expression(self):
            return self                              # expressions never change
        raise TypeError("objects of Hamel cannot be copied; declare another system, or keep a run with run.save('x.hamel')")

    def __deepcopy__(self, known):
        return self.__copy__()

    def __reduce__(self):
        raise TypeError("objects of Hamel cannot be pickled; keep a run with run.save('x.hamel'), read it with hamel.load")


_ADDED = {"Trajectory": ("series", "states", "dataframe", "dataset"), "Sweep": ("dataframe", "dataset"), "System": ("positive", "parameters")}
OWN = frozenset(name for name in Object.__dict__ if not name.startswith("_"))
