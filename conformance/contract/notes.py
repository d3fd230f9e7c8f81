"""The notes of a run: what a driver saw, what the adapter wrote to stderr, and tracebacks."""

import re
from collections.abc import Iterable

STDERR = "on stderr it said:\n"
"""The beginning of the note with what an adapter wrote to stderr during its run."""
STDERR_SHARED = "on stderr the adapter's process said, during this run or others beside it:\n"
"""The beginning of that note if the process played other runs at the same time."""

# A line that names an exception, as Python, Node and the JVM write it.
_EXCEPTION = re.compile(
    r"^(?:Uncaught |Exception in thread \S+ )?((?:[A-Za-z_][\w$]*\.)*[A-Z]\w*"
    r"(?:Error|Exception|Interrupt|Exit|Warning)\b(?: \[\w+\])?(?::.*)?)$"
    r"|^(Error(?: \[\w+\])?:.*)$",
    re.MULTILINE,
)


def stderr_note(said: str, *, shared: bool = False) -> tuple[str, ...]:
    """The note with what an adapter wrote to stderr; none if that is nothing.

    ``shared`` is whether another run can have been the cause.
    """
    return (f"{STDERR_SHARED if shared else STDERR}{said}",) if said else ()


def first_seen(notes: Iterable[str]) -> str:
    """The first line of the first note about what a driver saw; empty if there is none."""
    seen = (note for note in notes if not note.startswith((STDERR, STDERR_SHARED, "Traceback ")))
    return next(seen, "").partition("\n")[0]


def exception_in(notes: Iterable[str]) -> str:
    """The last exception that notes name, with the first line of its message; empty if none."""
    found = [match[1] or match[2] for note in notes for match in _EXCEPTION.finditer(note)]
    return found[-1] if found else ""


_CLASS = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning))\b")


def error_class(said: str) -> str:
    """The class of the last error that a text names, without its module; empty if none."""
    return next(iter(_CLASS.findall(said)[-1:]), "")
