"""turn-roles: the system's text reaches the upstream as the system's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import texts, unread, wrong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_OTHERS = {"user": "a user's", "assistant": "the model's"}
_RIGHT = "a message of the role system or developer, or instructions, with that text"


def _check(sent: SentBack) -> Iterator[Defect]:
    rightly = [*texts(sent.told, "system"), *texts(sent.told, "developer")]
    for text in texts(sent.due, "system"):
        if not any(text in each for each in rightly):
            yield wrong(
                f"the system's text {_how(sent, text)}: {text[:80]!r}", _RIGHT, topics("system")
            )


def _how(sent: SentBack, text: str) -> str:
    for role, whose in _OTHERS.items():
        if any(text in each for each in texts(sent.told, role)):
            return f"went upstream as {whose}"
    return "did not reach the upstream"


RULE = Rule(
    id="turn-roles",
    holds="system text reaches the upstream as system or developer",
    source="OpenAI § Chat completion messages; OpenResponses § instructions; "
    "stream-mapping § System Role Handling",
    check=_check,
    unfit=unread,
)
