"""turn-request: the request is what the scenario says that it must be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jsonschema import Draft202012Validator

from conformance.contract.finding import Rule, topics
from conformance.rules.requests.evidence import unread, wrong
from mockserver.wire.slots import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.rules.requests.evidence import SentBack

_MOST = 3


def _check(sent: SentBack) -> Iterator[Defect]:
    if sent.turn.request is None:
        return
    errors = Draft202012Validator(sent.turn.request).iter_errors(sent.body)
    for _, error in zip(range(_MOST), errors, strict=False):
        where = ".".join(map(str, error.absolute_path)) or "the body"
        clause = dump({str(error.validator): error.validator_value})[:200]
        yield wrong(
            f"{where} is not as this turn needs it: it does not satisfy {clause}",
            right="the request that the scenario's sources ask for",
            about=topics(f"at:{where}"),
            # What else is wrong with a request may well be why.
            needs=topics("request"),
        )


RULE = Rule(
    id="turn-request",
    holds="the request satisfies what the scenario says of it",
    source="scenario",
    check=_check,
    unfit=unread,
)
