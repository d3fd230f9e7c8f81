"""turn-roles: the system's text reaches the upstream as the system's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.findings import Defect, topics
from conformance.turns.evidence import texts
from conformance.turns.rule import TurnRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.turns.evidence import SentBack

_RIGHT = "a message of the role system or developer, or instructions, with that text"


def _check(sent: SentBack) -> Iterator[Defect]:
    rightly = [*texts(sent.told, "system"), *texts(sent.told, "developer")]
    for text in texts(sent.due, "system"):
        if not any(text in each for each in rightly):
            said = any(text in each for each in texts(sent.told, "user"))
            how = "went upstream as a user's" if said else "did not reach the upstream"
            yield Defect(f"the system's text {how}: {text[:80]!r}", _RIGHT, topics("system"))


RULE = TurnRule(
    id="turn-roles",
    holds="system text reaches the upstream as system or developer",
    source="OpenAI § Chat completion messages; OpenResponses § instructions",
    check=_check,
)
