"""Case ids: ``any/parallel-calls@openresponses+crlf`` is a scenario, a dialect and variations.

The same word is the id of a test, of a URL and of a known failure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mockserver.dialects.aliases import canonical, canonical_scenario
from mockserver.faults import Problem, UserError

_ID = re.compile(
    r"(?P<scenario>[a-z0-9][a-z0-9._-]*(?:/[a-z0-9][a-z0-9._-]*)*)"
    r"(?:@(?P<dialect>[a-z0-9-]+))?"
    r"(?P<variations>(?:\+[a-z0-9-]+)*)\Z"
)


@dataclass(frozen=True, slots=True)
class CaseId:
    """A case id in its pieces; ``dialect`` is empty where the id leaves it open."""

    scenario: str
    dialect: str = ""
    variations: tuple[str, ...] = ()

    def __str__(self) -> str:
        dialect = f"@{self.dialect}" if self.dialect else ""
        return self.scenario + dialect + "".join(f"+{name}" for name in self.variations)


@lru_cache(maxsize=256)
def parse(text: str) -> CaseId:
    """A case id in its pieces, dialects under their own names. Raises UserError."""
    if not (match := _ID.match(text)):
        raise UserError(
            Problem(
                f"{text[:80]!r} is not a case id",
                hint="write FOLDER/SCENARIO, FOLDER/SCENARIO@DIALECT or …@DIALECT+VARIATION",
            )
        )
    variations = tuple(match["variations"].split("+")[1:])
    scenario, dialect = canonical_scenario(match["scenario"]), canonical(match["dialect"] or "")
    return CaseId(scenario, dialect, variations)
