"""Detects the dialect of a recorded stream, and splits it into its responses.

A file may hold several responses in sequence. A new response begins at an event that begins one,
if the previous response has ended and has another id. Any other event after an ending belongs to
the response that ended.

A stream of another API is of no dialect, also where single events are called alike (``ping``).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from conformance.dialects import KIT
from conformance.dialects.recording import Dump
from conformance.dialects.short_text import clip
from mockserver.dialects import DIALECTS
from mockserver.foundation.json_fields import mapping, text
from mockserver.foundation.visible import visible

_ENOUGH = 200
# At least one of so many events is of the dialect; extensions and broken events are of none.
_SHARE = 4

_ANTHROPIC, _COHERE = "Anthropic's Messages", "Cohere's own API"
_BEDROCK, _LIVE = "Bedrock's Converse", "Gemini's Live API"
_BY_TYPE = {
    **dict.fromkeys(("message_start", "message_delta", "message_stop"), _ANTHROPIC),
    **{f"content_block_{step}": _ANTHROPIC for step in ("start", "delta", "stop")},
    **dict.fromkeys(("message-start", "message-end", "tool-plan-delta"), _COHERE),
    **{f"content-{step}": _COHERE for step in ("start", "delta", "end")},
}
# Of events that have no type.
_BY_FIELD = {
    "candidates": "Gemini's own API",
    "event_type": "Gemini's Interactions",
    **dict.fromkeys(("setupComplete", "serverContent"), _LIVE),
    "done": "Ollama's own API",
    "jsonrpc": "JSON-RPC, such as MCP",
    **dict.fromkeys(("messageStart", "contentBlockDelta", "contentBlockStop"), _BEDROCK),
    **dict.fromkeys(("messageStop", "contentBlockStart"), _BEDROCK),
}
_BY_OBJECT = {"text_completion": "OpenAI's legacy Completions"}
# Its events are called as those of Responses, and have an id each.
_REALTIME = ("session.", "response.", "conversation.", "input_audio_buffer.", "rate_limits.")


def recognise_dialect(events: Iterable[SentEvent]) -> str:
    """The dialect that recognises most of the first 200 events.

    Empty if that is fewer than a quarter of them, or not more than are known to be of another wire.
    """
    data = _first(events)
    own = [each for each in data if not recognise_other_wire(each)]
    counts = {name: sum(map(dialect.recognition.recognises, own)) for name, dialect in KIT.items()}
    best = max(counts, key=lambda name: counts[name])
    enough = counts[best] * _SHARE >= len(data) and counts[best] > len(data) - len(own)
    return best if enough else ""


def _first(events: Iterable[SentEvent]) -> list[dict[str, Any]]:
    data = (one.data for one in events if one.kind == "event" and isinstance(one.data, dict))
    return list(islice(data, _ENOUGH))


def recognise_other_wire(data: Mapping[str, Any]) -> str:
    """The API whose event this is, if that is known and no dialect; else empty."""
    type_ = text(data.get("type"))
    if "event_id" in data and type_.startswith(_REALTIME):
        return "OpenAI's Realtime API"
    by_field = () if type_ or "choices" in data else data
    names = (_BY_TYPE.get(type_), _BY_OBJECT.get(text(data.get("object"))))
    return next(filter(None, (*names, *map(_BY_FIELD.get, by_field))), "")


def describe_unknown(events: Sequence[SentEvent]) -> str:
    """What was seen in a stream of no dialect: the API that it is of, and its events."""
    data = _first(events)
    if not data:
        what = "has no event that is a JSON object" if events else "is empty"
        return f"the stream {what}, so nothing says which dialect it is in"
    types = dict.fromkeys(map(_name, data))
    more = len(types) - _SHOWN
    shown = ", ".join([*types][:_SHOWN]) + (f" and {more} more" if more > 0 else "")
    others = Counter(filter(None, map(recognise_other_wire, data)))
    if others:
        api = max(others, key=lambda name: others[name])
        return f"these are events of {api}, which streamproof does not play: {shown}"
    return f"its events are of no dialect that streamproof plays: {shown}"


def _name(data: Mapping[str, Any]) -> str:
    """The type of an event, or its first fields if it has none."""
    return visible(clip(text(data.get("type")) or f"{{{', '.join(islice(data, 3))}}}", 40))


_SHOWN = 4
KNOWN_DIALECTS = f"it plays {', '.join(KIT)}"
"""The hint about a stream of no dialect."""


@dataclass(frozen=True, slots=True)
class Response:
    """One response, with its events numbered from 0.

    ``first`` is the number of its first event in the recording.
    """

    first: int
    events: tuple[SentEvent, ...]
    framing: Framing | None


def split_responses(dump: Dump, dialect: str) -> list[Response]:
    """The responses of a recording, at least one; an empty recording is one without events."""
    starts = [0, *_beginnings(dump.events, dialect)]
    ends = [*starts[1:], len(dump.events)]
    return [_cut(dump, start, end) for start, end in zip(starts, ends, strict=True)]


def _beginnings(events: Sequence[SentEvent], dialect: str) -> Iterator[int]:
    """The numbers of the events that begin the second and later responses."""
    ends, begins = DIALECTS[dialect].ending.is_terminal, KIT[dialect].recognition.begins
    current, ended = "", False
    for event in events:
        id_ = begins(mapping(event.data)) if event.kind == "event" else ""
        if id_ and ended and id_ != current:
            yield event.n
            ended = False
        current = id_ or current
        ended = ended or event.kind == "done" or ends(event.type, event.data)


def _cut(dump: Dump, start: int, end: int) -> Response:
    events = tuple(replace(event, n=event.n - start) for event in dump.events[start:end])
    framing = dump.framing and _framing(dump.framing, start, end)
    return Response(start, events, framing)


def _framing(framing: Framing, start: int, end: int) -> Framing:
    """The framing of a range of events; the headers of the file go to its first response."""

    def within(numbers: Sequence[int]) -> tuple[int, ...]:
        found = numbers[bisect_left(numbers, start) : bisect_left(numbers, end)]
        return tuple(n - start for n in found)

    last: Any = framing.unterminated
    return replace(
        framing,
        names={n - start: framing.names[n] for n in range(start, end) if n in framing.names},
        lines=framing.lines[start:end],
        ids=within(framing.ids),
        garbled=within(framing.garbled),
        unterminated=last - start if last is not None and start <= last < end else None,
        content_type="" if start else framing.content_type,
    )
