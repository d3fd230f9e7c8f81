"""Rules on the framing of a stream, and on the fields and types of parts."""

from collections.abc import Iterator

from conformance.dialects import wire
from conformance.dialects.event_schemas import Invalid, invalid_events
from conformance.dialects.vercel.stream import Parts
from conformance.findings.finding import Defect, Kind, rule
from mockserver.dialects.vercel.parts import UI
from mockserver.foundation.schemas import validator


class Named(wire.Named):
    """An event has a name, which no client reads."""

    message = wire.Named.message + ", which no client reads"


@rule(
    holds="text/event-stream; one JSON object as data; no event: and no id: (should); a stream of "
    "UI messages has [DONE] at the end (should), any other may have it",
    source="AI SDK UI § Stream Protocols; WHATWG HTML § 9.2.6; @ai-sdk/gateway",
    kinds=(*wire.FRAMING, Named, wire.NoDone),
)
def framing(stream: Parts) -> Iterator[Defect]:
    yield from wire.defects(stream)
    if stream.framing:
        yield from wire.named(stream.framing, Named)
        # No client needs [DONE], and only UI messages are documented to end with it.
        if stream.dialect == UI:
            yield from wire.without_done(stream.sent, "should")


class InvalidPart(Invalid):
    """A part does not have the fields that its type must have."""

    right = "a part as the types of the SDK have it"


@rule(
    holds="every part has a type, the fields that its type must have in one of its releases, and "
    "in them what may stand there; other fields are legal",
    source="ai; @ai-sdk/provider",
    kinds=(InvalidPart,),
)
def part_types(stream: Parts) -> Iterator[Defect]:
    schema = validator(f"events/{stream.dialect}")
    yield from invalid_events(stream.sent, stream.lost, lambda _: schema, InvalidPart)


class UnknownType(Kind):
    """A part is of a type that the SDK does not have."""

    type: str
    more: int

    message = (
        "the type {type!r} is none of the SDK's[[ (and {more} more)]]: its client ends the stream "
        "here"
    )
    right = "types of the SDK, and data-* in a stream of UI messages"
    same_by = ("type",)


@rule(
    holds="every part is of a type that a release of the SDK has, or data-* where it is a UI "
    "message's",
    source="ai; @ai-sdk/gateway",
    level="should",
    kinds=(UnknownType,),
)
def extensions(stream: Parts) -> Iterator[Defect]:
    """Every part is of a type that the SDK's own client knows.

    Consumers of ``fullStream`` skip unknown types, since every major version has added some. The
    clients of the gateway and of UI messages end the stream there.
    """
    for type_ in dict.fromkeys(one.type for one in stream.extensions):
        events = [one for one in stream.extensions if one.type == type_]
        yield Defect(UnknownType(type_, len(events) - 1), wire.event_topics(events), events[0].n)
