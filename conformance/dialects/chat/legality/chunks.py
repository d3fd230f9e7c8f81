"""Rules on chunks: their framing and fields, what is the same in all, usage, and errors."""

from collections.abc import Iterator
from typing import Any, Literal

from conformance.dialects import wire
from conformance.dialects.chat.stream import Chat, Chunk
from conformance.dialects.event_schemas import Invalid, invalid_events
from conformance.findings.finding import Defect, Kind, Level, rule, topics
from mockserver.foundation.schemas import validator


class Named(wire.Named):
    """An event has a name, which no event in the reference's examples has."""

    message = wire.Named.message + "; the reference's examples have none"


@rule(
    holds="text/event-stream; one JSON object as data; [DONE] at the end; no event: and no id: "
    "(should)",
    source="OpenAI § stream; WHATWG HTML § 9.2.6; openai",
    kinds=(*wire.FRAMING, Named, wire.NoDone),
)
def framing(chat: Chat) -> Iterator[Defect]:
    yield from wire.defects(chat)
    if chat.framing:
        # No clause forbids names, and OpenAI's SDKs read such events, except error and thread.*. A
        # browser's EventSource does not deliver them as messages.
        yield from wire.named(chat.framing, Named)
        if not chat.failures:
            yield from wire.without_done(chat.sent)


class InvalidChunk(Invalid):
    """A chunk does not have the fields that it must have."""

    right = "a chunk as OpenAI's types have it, or an error"


@rule(
    holds="every chunk, choice, delta and fragment of a call has the fields that it must have, and "
    "in them what may stand there",
    source="OpenAI § Chat completion chunk object; openai",
    kinds=(InvalidChunk,),
)
def chunk_types(chat: Chat) -> Iterator[Defect]:
    yield from invalid_events(
        chat.sent, chat.lost, lambda _: validator("events/chat"), InvalidChunk
    )


class AfterError(Kind):
    """Events come after an error."""

    more: int

    message = "the stream goes on behind an error[[ (and {more} more)]]"
    right = "nothing behind an error but [DONE]"


@rule(
    holds="nothing follows an error but [DONE]",
    # OpenAI's reference has no words about an error inside a stream.
    source="openai; observed",
    level="should",
    kinds=(AfterError,),
)
def error_last(chat: Chat) -> Iterator[Defect]:
    if not chat.failures:
        return
    error = chat.failures[0]
    after = [one for one in chat.sent if one.kind == "event" and one.n > error]
    yield from wire.late(after, AfterError(len(after) - 1), topics(f"event:{error}"))


_STABLE: dict[str, Level] = {"id": "must", "created": "must", "model": "should"}


class FieldChanged(Kind):
    """A chunk has another id, time or model than the first chunk."""

    field: str
    value: Any
    first_value: Any

    message = "the {field} is {value!r} here and {first_value!r} at first"
    right = "the same {field} in every chunk"
    same_by = ("field",)


@rule(
    holds="id and time are the same in every chunk, and the model is (should)",
    source="OpenAI § Chat completion chunk object",
    kinds=(FieldChanged,),
)
def chunk_stable(chat: Chat) -> Iterator[Defect]:
    for name, level in _STABLE.items():
        found = [(chunk.n, chunk.data[name]) for chunk in chat.chunks if name in chunk.data]
        others = [(n, value) for n, value in found if value != found[0][1]]
        if others:
            n, value = others[0]
            kind, about = FieldChanged(name, value, found[0][1]), topics(f"stable:{name}")
            needs = topics(*(f"event:{at}" for at, _ in (found[0], *others)))
            yield Defect(kind, about, n, level=level, needs=needs)


class Misplaced(Kind):
    """Usage is not only in the last chunk, without a choice."""

    place: Literal["with a choice", "twice", "not last"]
    more: int

    message = "usage {place:phrase}[[ (and {more} more)]]"
    right = "usage in the last chunk, whose choices are empty, and null or nothing elsewhere"
    same_by = ("place",)
    phrases = {
        "place": {
            "with a choice": "stands in a chunk with a choice",
            "twice": "is told twice",
            "not last": "stands in a chunk that is not the last",
        }
    }


@rule(
    holds="usage is told once, in a chunk without choices, which is the last",
    source="OpenAI § stream_options.include_usage",
    kinds=(Misplaced,),
)
def usage_once(chat: Chat) -> Iterator[Defect]:
    found = [chunk for chunk in chat.chunks if chunk.data.get("usage")]
    if wrong := [(each, place) for each in found if (place := _wrong_place(chat, each, found))]:
        chunk, place = wrong[0]
        kind, needs = Misplaced(place, len(wrong) - 1), wire.event_topics(found)
        yield Defect(kind, topics("usage"), chunk.n, needs=needs)


def _wrong_place(
    chat: Chat, chunk: Chunk, found: list[Chunk]
) -> Literal["", "with a choice", "twice", "not last"]:
    if chunk.data["choices"]:
        return "with a choice"
    if chunk is not found[-1]:
        return "twice"
    return "not last" if chunk is not chat.chunks[-1] else ""
