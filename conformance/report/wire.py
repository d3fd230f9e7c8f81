"""Renders the bytes that a run was sent again, and verifies them with the recorded checksum.

A transcript holds the events of an answer, and only the checksum of its bytes, to stay small. The
bytes are rendered from the scenario again; values that differ between requests are taken from the
events. If the checksums agree, exactly these bytes were sent; if not, the scenario or the kit has
changed since the run.

To be shown, the bytes of an answer are spans of text, with a mark before each write. A line feed is
a line break. Any other unprintable character, and any byte that is not UTF-8, is a span of the kind
``escape``, to distinguish it from text that looks like an escape.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from typing import Literal

from conformance.contract.transcript import BodyDigest, Request, SentEvent, digest_of
from mockserver.cases.case import Case
from mockserver.cases.render import Rendered, Renderings
from mockserver.dialects import DIALECTS
from mockserver.foundation.faults import UserError
from mockserver.scenario.script import CloseHow
from mockserver.wire import slots
from mockserver.wire.frames import Gate, Plan, Write
from mockserver.wire.slots import Values

CHANGED = "the scenario, or streamproof, has changed since: what is sent now is something else"
UNKNOWN = "the results file does not say what its bytes were"
_MOST = 20_000
# What a mark takes of that, so that a flood of writes is bounded too.
_A_MARK = 20

ENDS: dict[CloseHow, str] = {
    "clean": "the answer is over",
    "cut": "the connection is closed, before the answer is over",
    "reset": "the connection is reset",
    "half-close": "the upstream ends its side of the connection, before the answer is over",
    "stall": "nothing more comes; the connection stays open",
}
"""What becomes of the connection at the end of an answer, by the way in which it is closed."""


Key = tuple[int, int, str]
"""Identifies an answer of a case: turn, attempt, and the form of its events."""


@dataclass(frozen=True, slots=True)
class AnsweredWith:
    """The answer to one request: the rendering of the turn, and how much of it was sent.

    Requests with the same ``key`` got the same bytes, apart from ``values``. ``writes`` is the
    number of writes that were sent.
    """

    key: Key
    rendered: Rendered
    values: Values
    writes: int
    wire: BodyDigest


def render_again(case: Case, request: Request, renderings: Renderings) -> AnsweredWith:
    """Render the answer to a request again. Raises UserError if it is not what was sent."""
    if request.wire is None or request.turn is None:
        raise UserError(UNKNOWN)
    if request.turn >= len(case.scenario.turns):
        raise UserError(CHANGED)
    attempt = min(request.attempt, len(case.scenario.turns[request.turn].attempts))
    for form in DIALECTS[case.dialect].forms.names:
        rendered = renderings.get(case, request.turn, attempt, form)
        values = _values(rendered.plan, request.events)
        # A value that no event has shown is of a write that was not made.
        known = defaultdict(bytes, values)
        rendered = replace(rendered, plan=rendered.plan.filled(known))
        sent_writes = _made(rendered.plan, request, known)
        if _body(rendered, sent_writes, values) == request.wire:
            key = request.turn, attempt, form
            return AnsweredWith(key, rendered, values, len(sent_writes), request.wire)
    raise UserError(CHANGED)


def _made(plan: Plan, request: Request, values: Values) -> list[Write]:
    """The writes of a plan that were made for a request, by the number of bytes that it got."""
    assert request.wire is not None
    sizes = accumulate(len(slots.fill(write.pieces, values)) for write in plan.byte_writes)
    pairs = zip(plan.byte_writes, sizes, strict=True)
    return [write for write, size in pairs if size <= request.wire.bytes]


def _body(rendered: Rendered, sent_writes: Sequence[Write], values: Values) -> BodyDigest | None:
    """The length and checksum of a rendered body; None if a value is missing."""
    if rendered.answer is not None:
        return digest_of(rendered.answer.body)
    try:
        return digest_of(b"".join(slots.fill(write.pieces, values) for write in sent_writes))
    except KeyError:
        return None


def _values(plan: Plan, events: Sequence[SentEvent]) -> Values:
    filled = (
        pair
        for sent, event in zip(plan.sent, events, strict=False)
        for pair in slots.slot_values(sent.data, event.data)
    )
    return slots.encode_values(**dict(filled))


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of an answer: printable ``text``, the ``escape`` of an unprintable character, the
    name of a ``slot`` whose value differs by request, or a ``mark`` that describes a write."""

    kind: Literal["text", "escape", "slot", "mark"]
    text: str


def of_plan(plan: Plan, values: Mapping[str, bytes]) -> list[Span]:
    """The spans of a stream; a slot that ``values`` does not fill is shown by its name."""
    return [*_bounded(_stream(plan, values)), _mark(plan.closes_at, ENDS[plan.close])]


def of_body(body: bytes) -> list[Span]:
    """The spans of a body that is sent in one write."""
    return [*_bounded([body]), _mark(0.0, ENDS["clean"])]


def _stream(plan: Plan, values: Mapping[str, bytes]) -> Iterator[bytes | Span]:
    """The bytes of a stream, with spans for marks and for slots without a value."""
    numbers = count(1)
    for step in plan.writes:
        if isinstance(step, Gate):
            yield Span("mark", f"held until this text has come out ({step.name})")
            continue
        yield _mark(step.at, f"write {next(numbers)}")
        for piece in step.pieces:
            if isinstance(piece, slots.Slot):
                yield values.get(piece.name, Span("slot", piece.name))
            else:
                yield piece


def _mark(at: float, event: str) -> Span:
    return Span("mark", f"{at * 1000:.0f} ms: {event}")


def _bounded(segments: Iterable[bytes | Span]) -> Iterator[Span]:
    room, left_out = _MOST, 0
    for segment in segments:
        if isinstance(segment, bytes):
            left_out += max(0, len(segment) - room)
            yield from spans_of(segment[:room])
        elif room:
            yield segment
        room = max(0, room - (len(segment) if isinstance(segment, bytes) else _A_MARK))
    if left_out:
        yield Span("mark", f"… and {left_out:,} more bytes")


def spans_of(data: bytes) -> Iterator[Span]:
    """Bytes as spans of text and escapes."""
    text = data.decode("utf-8", "surrogateescape")
    at = 0
    for n, character in enumerate(text):
        if character == "\n" or character.isprintable():
            continue
        if at < n:
            yield Span("text", text[at:n])
        yield Span("escape", _escape(ord(character)))
        at = n + 1
    if at < len(text):
        yield Span("text", text[at:])


def _escape(code: int) -> str:
    """The Python escape of a character; ``\\x80`` and above are bytes that are not UTF-8."""
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if code >= 0x80:
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return repr(chr(code))[1:-1]
