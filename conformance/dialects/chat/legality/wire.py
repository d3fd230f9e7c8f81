"""Rules on the framing of a stream, on the fields of single events, and on errors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.dialects import wire
from conformance.dialects.departures import defects, departure_from
from conformance.findings.finding import Defect, Rule, topics
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.chat.stream import Chat


def _framing(chat: Chat) -> Iterator[Defect]:
    """The stream is server-sent events without names that hold JSON, and ends with ``[DONE]``."""
    yield from wire.defects(chat)
    if chat.framing:
        # No clause forbids names, and OpenAI's SDKs read such events, except error and thread.*. A
        # browser's EventSource does not deliver them as messages.
        yield from wire.named(chat.framing, "; the reference's examples have none", "should")
        if not chat.failures:
            yield from wire.without_done(chat.sent)


FRAMING = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; [DONE] at the end; no event: and no id: "
    "(should)",
    source="OpenAI § stream; WHATWG HTML § 9.2.6; openai",
    check=_framing,
)


_RIGHT = "a chunk as OpenAI's types have it, or an error"


def _chunk_types(chat: Chat) -> Iterator[Defect]:
    """Every event is a chunk, a notice of Copilot's proxy, or an error."""
    problem = partial(departure_from, validator("events/chat"))
    yield from defects(chat.sent, chat.lost, problem, _RIGHT)


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
    message = "the stream goes on behind an error"
    right = "nothing behind an error but [DONE]"
    yield from wire.late(after, message, right, topics(f"event:{error}"))


ERROR_LAST = Rule(
    id="error-last",
    holds="nothing follows an error but [DONE]",
    # OpenAI's reference has no words about an error inside a stream.
    source="openai; observed",
    check=_error_last,
    level="should",
)
