"""Methods of objects of the library: functions with the object for their first argument."""


class Method:
    __slots__ = ("_self", "_function")

    def __init__(self, owner, function):
        self._self, self._function = owner, function

    def __call__(self, *arguments, **options):
        return self._function(self._self, *arguments, **options)

    def __repr__(self):
        return f"a method of {str(self._self).splitlines()[0]}"
