"""Rules on the framing of a stream, on the fields and types of parts, and on their release."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.dialects import wire
from conformance.dialects.departures import defects, departure_from
from conformance.dialects.vercel.generations import RELEASES, Sign, signs
from conformance.dialects.vercel.stream import event_topics
from conformance.findings.finding import Defect, Rule, prose_defect, topics
from mockserver.dialects.vercel.parts import UI
from mockserver.foundation.schemas import validator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.dialects.vercel.generations import Releases
    from conformance.dialects.vercel.stream import Part, Parts


def _framing(stream: Parts) -> Iterator[Defect]:
    """The stream is server-sent events with JSON data, without names and ids."""
    yield from wire.defects(stream)
    if stream.framing:
        yield from wire.named(stream.framing, ", which no client reads", "should")
        # No client needs [DONE], and only UI messages are documented to end with it.
        if stream.dialect == UI:
            yield from wire.without_done(stream.sent, "should")


FRAMING = Rule(
    id="framing",
    holds="text/event-stream; one JSON object as data; no event: and no id: (should); a stream of "
    "UI messages has [DONE] at the end (should), any other may have it",
    source="AI SDK UI § Stream Protocols; WHATWG HTML § 9.2.6; @ai-sdk/gateway",
    check=_framing,
)


_AS_ITS_TYPE = "a part as the types of the SDK have it"


def _part_types(stream: Parts) -> Iterator[Defect]:
    """Every part has the fields that its type must have."""
    problem = partial(departure_from, validator(f"events/{stream.dialect}"))
    yield from defects(stream.sent, stream.lost, problem, _AS_ITS_TYPE)


PART_TYPES = Rule(
    id="part-types",
    holds="every part has a type, the fields that its type must have in one of its releases, and "
    "in them what may stand there; other fields are legal",
    source="ai; @ai-sdk/provider",
    check=_part_types,
)


def _extensions(stream: Parts) -> Iterator[Defect]:
    """Every part is of a type that the SDK's own client knows.

    Consumers of ``fullStream`` skip unknown types, since every major version has added some. The
    clients of the gateway and of UI messages end the stream there.
    """
    for type_ in dict.fromkeys(one.type for one in stream.extensions):
        events = [one for one in stream.extensions if one.type == type_]
        more = f" (and {len(events) - 1} more)" if len(events) > 1 else ""
        yield prose_defect(
            f"the type {type_!r} is none of the SDK's{more}: its client ends the stream here",
            right="types of the SDK, and data-* in a stream of UI messages",
            about=topics(*(f"event:{one.n}" for one in events)),
            event=events[0].n,
        )


EXTENSIONS = Rule(
    id="extensions",
    holds="every part is of a type that a release of the SDK has, or data-* where it is a UI "
    "message's",
    source="ai; @ai-sdk/gateway",
    check=_extensions,
    level="should",
)


def _one_generation(stream: Parts) -> Iterator[Defect]:
    """One release of the SDK can have streamed all of the parts."""
    left = RELEASES[stream.dialect]
    foreign: list[tuple[Part, Sign, Releases]] = []
    for part in [*stream.parts, *stream.late]:
        before = left
        for sign in signs(stream.dialect, part):
            if left & sign.releases:
                left &= sign.releases
            else:
                foreign.append((part, sign, left))
                left = before
                break
    if foreign:
        yield _blend(stream, foreign)


def _blend(stream: Parts, foreign: list[tuple[Part, Sign, Releases]]) -> Defect:
    part, sign, left = foreign[0]
    what = f"{part.type} has {sign.what}" if sign.what else f"{part.type} is a part"
    whose = f"of {_listed(sign.releases)}" if sign.releases else "as no release has it"
    before = "" if left == RELEASES[stream.dialect] else f", and the rest is of {_listed(left)}"
    more = f" (and {len(foreign) - 1} more)" if len(foreign) > 1 else ""
    return prose_defect(
        f"{what} {whose}{before}{more}",
        right="parts that one release of the SDK streams, and no blend of several",
        about=topics("generation", *(f"event:{one.n}" for one, _, _ in foreign)),
        event=part.n,
        needs=event_topics([part]),
    )


def _listed(releases: Releases) -> str:
    return " or ".join(sorted(releases))


ONE_GENERATION = Rule(
    id="one-generation",
    holds="all parts can be of one release: types, names of fields, usage, reasons to finish",
    source="ai; @ai-sdk/provider",
    check=_one_generation,
)
