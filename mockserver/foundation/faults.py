"""The exceptions that are shown to users: whose fault it is, where, and what to do next.

The tree of exceptions, with their exit codes::

    Fault                 one or more problems, never shown as a traceback
    ├── ScenarioError     a scenario file is wrong            exit 4
    ├── UserError         the command or the request is       exit 4
    │   └── InputError    a file that is read is              exit 4
    ├── AdapterError      the adapter cannot be driven        exit 3
    └── KitError          streamproof itself is wrong         exit 4
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

from mockserver.foundation.visible import visible_lines


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file; lines and columns count from 1, and 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: what is wrong, where, and a hint what to do next.

    ``within`` leads from the value at ``place`` to the field that is wrong, until somebody who has
    the file gives it a place of its own. As a string it is safe to print, whatever it quotes.
    """

    message: str
    place: Place | None = None
    hint: str = ""
    within: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        hint = f"\n    {self.hint}" if self.hint else ""
        return visible_lines(f"{where}{self.message}{hint}")


class Fault(Exception):
    """One or more problems with the same culprit, such as a scenario or the command."""

    culprit: ClassVar[str] = "the kit"
    exit_code: ClassVar[int] = 4

    def __init__(self, *problems: Problem | str) -> None:
        self.problems = tuple(Problem(p) if isinstance(p, str) else p for p in problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class ScenarioError(Fault):
    """A scenario file is wrong; each problem carries its file, line and column."""

    culprit = "the scenario"


class UserError(Fault):
    """The command line, a path or a setting is wrong."""

    culprit = "the command"


class InputError(UserError):
    """A file that was to be read is not what it should be."""

    culprit = "the input"


class AdapterError(Fault):
    """The adapter or its description cannot be used."""

    culprit = "the adapter"
    exit_code = 3


class KitError(Fault):
    """streamproof itself is wrong; users should report it."""

    culprit = "streamproof itself"


_MOST_BEGUN = 4


def nearest(word: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known words that are similar to a word, best first; letter case is ignored."""
    originals = {candidate.lower(): candidate for candidate in known}
    close = get_close_matches(word.lower(), originals, n=most, cutoff=0.55)
    return [originals[match] for match in close]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the most similar known word, or with all known words if they are few.

    A word that several known ones begin with, as ``vercel`` does, means all of these.
    """
    known = sorted(known)
    begun = [each for each in known if each.startswith(f"{word.lower()}-")]
    if 1 < len(begun) <= _MOST_BEGUN:
        return f"did you mean {' or '.join(map(repr, begun))}?"
    close = nearest(word, known, most=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if 0 < len(known) <= 24:
        return f"known here: {', '.join(known)}"
    return ""
