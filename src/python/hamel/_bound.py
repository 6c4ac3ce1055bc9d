"""Methods of objects of the library: functions with the object for their first argument."""


class Method:
    """A method of the library; its help is the page of the manual."""

    __slots__ = ("_self", "_function", "__name__")

    def __init__(self, owner, function, name):
        self._self, self._function, self.__name__ = owner, function, name

    def __call__(self, *arguments, **options):
        return self._function(self._self, *arguments, **options)

    def __repr__(self):
        return f"the method {self.__name__} of {str(self._self).splitlines()[0]}"

    def __getattribute__(self, name):
        if name == "__doc__":
            owner = object.__getattribute__(self, "_self")
            return owner._support.page(owner, object.__getattribute__(self, "__name__"))
        return object.__getattribute__(self, name)
