"""Parses case ids such as ``any/parallel-calls@openresponses+crlf``: scenario, dialect, variations.

Case ids identify tests and known failures, and are part of URLs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mockserver.faults import Problem, UserError

_ID = re.compile(
    r"(?P<scenario>[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?:@(?P<dialect>[a-z0-9-]+))?"
    r"(?P<variations>(?:\+[a-z0-9-]+(?::[a-z0-9.-]+)*)*)\Z"
)


@dataclass(frozen=True, slots=True)
class CaseId:
    """A parsed case id; ``dialect`` is empty if the id has none."""

    scenario: str
    dialect: str = ""
    variations: tuple[str, ...] = ()

    def __str__(self) -> str:
        dialect = f"@{self.dialect}" if self.dialect else ""
        return self.scenario + dialect + "".join(f"+{name}" for name in self.variations)


@lru_cache(maxsize=256)
def parse(text: str) -> CaseId:
    """Parse a case id. Raises UserError."""
    if not (match := _ID.match(text)):
        raise UserError(
            Problem(
                f"{text[:80]!r} is not a case id",
                hint="an id is FOLDER/SCENARIO, FOLDER/SCENARIO@DIALECT or …@DIALECT+VARIATION",
            )
        )
    variations = tuple(match["variations"].split("+")[1:])
    return CaseId(match["scenario"], match["dialect"] or "", variations)
