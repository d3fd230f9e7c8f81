"""chunk-types: every event is a chunk, a notice of Copilot's proxy, or an error."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.finding import Rule
from conformance.dialects.departures import Departure, defects, departure
from mockserver.contract import errors_of
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.contract.finding import Defect
    from conformance.dialects.chat.stream import Chat

_RIGHT = "a chunk as OpenAI's types have it, or an error"


def _check(chat: Chat) -> Iterator[Defect]:
    yield from defects(chat.sent, chat.lost, _problem, _RIGHT)


def _problem(data: Any) -> Departure | None:
    return departure(list(errors_of(_validator(), data)))


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("events/chat"))


RULE = Rule(
    id="chunk-types",
    holds="every chunk, choice, delta and fragment of a call has the fields that it must have, and "
    "in them what may stand there",
    source="OpenAI § Chat completion chunk object; openai",
    check=_check,
)
