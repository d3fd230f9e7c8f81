"""Rules on the framing of a stream, on the fields of single events, and on errors as the last."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from conformance.contract.finding import Defect, Rule, topics
from conformance.dialects import wire
from conformance.dialects.departures import Departure, defects, departure
from mockserver.contract import errors_of
from mockserver.shipped import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat


def _framing(chat: Chat) -> Iterator[Defect]:
    """The stream is server-sent events without names that hold JSON, and ends with ``[DONE]``."""
    yield from wire.defects(chat.sent, chat.framing)
    yield from wire.named(chat.framing, but=": SDKs pass over what is named")
    if not chat.failures:
        yield from wire.without_done(chat.sent, chat.framing)


FRAMING = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; no event: and no id:; [DONE] at the end",
    source="OpenAI § stream; WHATWG HTML § 9.2.6; openai",
    check=_framing,
)


_RIGHT = "a chunk as OpenAI's types have it, or an error"


def _chunk_types(chat: Chat) -> Iterator[Defect]:
    """Every event is a chunk, a notice of Copilot's proxy, or an error."""
    yield from defects(chat.sent, chat.lost, _problem, _RIGHT)


def _problem(data: Any) -> Departure | None:
    return departure(list(errors_of(_validator(), data)))


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema("events/chat"))


CHUNK_TYPES = Rule(
    id="chunk-types",
    holds="every chunk, choice, delta and fragment of a call has the fields that it must have, and "
    "in them what may stand there",
    source="OpenAI § Chat completion chunk object; openai",
    check=_chunk_types,
)


def _error_last(chat: Chat) -> Iterator[Defect]:
    """Nothing follows an error but ``[DONE]``."""
    if not chat.failures:
        return
    error = chat.failures[0]
    after = [one for one in chat.sent if one.kind == "event" and one.n > error]
    if after:
        more = f" (and {len(after) - 1} more)" if len(after) > 1 else ""
        yield Defect(
            f"the stream goes on behind an error{more}",
            right="nothing behind an error but [DONE]",
            about=topics(*(f"late:{one.n}" for one in after)),
            event=after[0].n,
            needs=topics(f"event:{error}"),
        )


ERROR_LAST = Rule(
    id="error-last",
    holds="nothing follows an error but [DONE]",
    # OpenAI's reference has no words about an error inside a stream.
    source="openai; observed",
    check=_error_last,
    level="should",
)
