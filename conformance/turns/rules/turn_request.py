"""turn-request: the request is what the scenario says that it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator

from conformance.findings import Defect, topics
from conformance.turns.rule import TurnRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.turns.evidence import SentBack

_MOST = 3


def _check(sent: SentBack) -> Iterator[Defect]:
    if sent.turn.request is None:
        return
    errors = Draft202012Validator(sent.turn.request).iter_errors(sent.request.body)
    for _, error in zip(range(_MOST), errors, strict=False):
        where = ".".join(map(str, error.absolute_path)) or "the body"
        path = "/".join(map(str, error.schema_path))
        yield Defect(
            f"{where} is not as this turn needs it: {error.message[:200]}",
            right=f"what the scenario's request says ({path})",
            about=topics(f"at:{where}"),
        )


RULE = TurnRule(
    id="turn-request",
    holds="the request satisfies what the scenario says of it",
    source="the scenario's own sources",
    check=_check,
)
