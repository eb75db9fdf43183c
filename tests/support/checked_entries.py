"""Kernels over records are entered without a look at types; here they are looked at.

An entry takes what it is given for what the kernel was compiled for: an array with
other strides would be read as if it had none.
"""

from numba import typeof

from cvscore._numba import bound


class CheckedEntries(dict):
    """Entries that fail where the dispatcher would have compiled another form."""

    def __setitem__(self, function, enter):
        (compiled_for,) = bound._compiled_forms[function].overloads

        def checked(*arguments):
            given = tuple(map(typeof, arguments))
            assert given == compiled_for, (function, given, compiled_for)
            return enter(*arguments)

        super().__setitem__(function, checked)


def check_entries():
    """Check all entries of this process from now on."""
    bound._entries = CheckedEntries()
