"""Functions of the library and methods of its objects, as Python calls them."""


class Function:
    """A function of the library; its help is the page of the manual."""

    __slots__ = ("_function", "__name__")

    def __init__(self, function, name):
        self._function, self.__name__ = function, name

    def __call__(self, *arguments, **options):
        return self._function(*arguments, **options)

    def __repr__(self):
        return f"<function hamel.{self.__name__}>"

    @property
    def __doc__(self):
        return self._function._support.page_of_function(self.__name__)


def _in_order(value):
    """Values to vary by name: dictionaries have an order in Python, tables of Lua have none."""
    over = value.get("over") if isinstance(value, dict) else None
    return {**value, "over": [[name, values] for name, values in over.items()]} if isinstance(over, dict) else value


class Method:
    """A method of an object, which is its first argument; its help is the page of the manual."""

    __slots__ = ("_self", "_function", "__name__")

    def __init__(self, owner, function, name):
        self._self, self._function, self.__name__ = owner, function, name

    def __call__(self, *arguments, **options):
        if self.__name__ == "sweep":
            arguments, options = [_in_order(one) for one in arguments], _in_order(options)
        return self._function(self._self, *arguments, **options)

    def __repr__(self):
        return f"<method {self.__name__} of {str(self._self).splitlines()[0]}>"

    @property
    def __doc__(self):
        return self._function._support.page(self._self, self.__name__)


def bind(owner, function, name):
    """Called by the extension: a function found in an object, or in the library, whose owner is None."""
    return Function(function, name) if owner is None else Method(owner, function, name)


class Support:
    """The functions of lua/hamel/python.lua."""

    def __init__(self, table):
        self._table = table

    def __getattr__(self, name):
        function = self._table._index(name)
        self.__dict__[name] = function
        return function
