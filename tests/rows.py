"""Tables that one test checks row by row, so that a row costs no test item of its own."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def row(name: object) -> Iterator[None]:
    """Name the row in the report of a failure that occurs while it is checked."""
    try:
        yield
    except BaseException as error:
        error.add_note(f"in the row {name}")
        raise
