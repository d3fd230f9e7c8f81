"""Turns a captured response into the steps of ``sends`` that play the same events."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.contract.framing import Framing
from conformance.contract.transcript import SentEvent
from mockserver.dialects import Dialect
from mockserver.foundation.faults import Place
from mockserver.foundation.json_text import dump
from mockserver.scenario.script import Close, CloseHow, Comment, Raw, Send, Sends, SendStep
from mockserver.wire.event import Event
from mockserver.wire.files import url_in_scenario
from streamproof._captures.exchange import map_strings, write_sse
from streamproof._captures.file_text import can_write, write_inline, write_step
from streamproof._captures.shortest import SlotValues, find_shortest_send

_AT = Place("")


_RAW_SIZE = 10_000
_SAMPLE = 300
# Fewer events are not shorter for it.
_SHARING = 3


@dataclass(frozen=True, slots=True)
class Way:
    """How a dialect says the same: the form that a request chooses, and the generation.

    ``shared`` are the fields that all events have, and that are written once.
    """

    form: str
    generation: str = ""
    shared: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Written:
    """The steps of one turn, in the order of the recorded events.

    Each event but a last ``[DONE]``, which the mock sends by itself, has the step of its number.
    A ``Close`` may follow. ``vary`` are the variations of lines that the capture had.
    """

    steps: tuple[SendStep, ...]
    way: Way
    vary: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of characters of the steps in a file; raw text counts as very long."""
        raws = sum(isinstance(step, Raw) for step in self.steps)
        return raws * _RAW_SIZE + sum(len(write_inline(write_step(step))) for step in self.steps)


def write_response(
    events: Sequence[SentEvent],
    framing: Framing | None,
    dialect: Dialect,
    turn: int = 0,
    close: CloseHow | None = None,
    *,
    way: Way | None = None,
    echoes: bool = True,
    written: Callable[[int], None] = lambda _: None,
) -> Written:
    """The shortest steps that play a response; ``close`` is how it ended, None if unknown.

    If not ``echoes``, values that repeat the request are written as they were recorded. ``written``
    is called after each event with the number of characters of its step.
    """
    way = way or Way(dialect.forms.default)
    writer = _Writer(dialect, turn, way, echoes=echoes)
    for event in events:
        writer.learn(event)
    names = framing.names if framing else {}
    steps: list[SendStep] = []
    closes = close in (None, "clean")
    for event in events:
        # The mock sends [DONE] by itself after an event that ends the response.
        is_last = event.type == dialect.framing.closing and event is events[-1]
        if event is events[-1] and _is_cut_off(event, framing):
            step: SendStep | None = Raw(_write_raw(event, names.get(event.n, "")).rstrip("\n"))
        elif is_last and writer.ended and closes:
            step = None
        else:
            step = writer.step(event, names.get(event.n, ""))
        steps += [step] if step else []
        written(len(write_inline(write_step(step))) if step else 0)
    if close is None:
        close = "clean" if writer.ended or any(map(_is_done, events)) else "cut"
    if close != "clean" or not steps:
        steps.append(Close(close))
    added = writer.ended and close == "clean"
    return Written(tuple(steps), way, tuple(_find_variations(events, framing, dialect, added)))


def find_shared(events: Iterable[SentEvent], dialect: Dialect) -> dict[str, Any]:
    """The fields that all events have in common and that a file may say once."""
    if dialect.writing.shared_fields is None:
        return {}
    data = (event.data for event in events if event.kind == "event")
    having = (dialect.writing.shared_fields(each) for each in data if isinstance(each, dict))
    several = [each for each in having if each is not None]
    if len(several) < _SHARING:
        return {}
    first, *others = several
    return {
        name: value
        for name, value in first.items()
        if can_write(value)
        and all(name in each and dump(each[name]) == dump(value) for each in others)
    }


def choose_way(events: Sequence[SentEvent], dialect: Dialect) -> Way:
    """The way in which the first events of a response are the shortest to write."""
    sample = events[:_SAMPLE]
    ways = [
        Way(form, generation)
        for generation in ("", *dialect.writing.generations[1:])
        for form in dialect.forms.names
    ]
    if len(ways) == 1:
        return ways[0]
    return min(ways, key=lambda way: write_response(sample, None, dialect, way=way).size)


def _is_cut_off(last: SentEvent, framing: Framing | None) -> bool:
    """Whether the last event of a response ends within its JSON, as JSON Lines do, or its line."""
    return last.kind == "raw" and (framing is None or framing.unterminated == last.n)


def _is_done(event: SentEvent) -> bool:
    return event.kind == "done"


class _Writer:
    def __init__(self, dialect: Dialect, turn: int, way: Way, *, echoes: bool) -> None:
        self._dialect = dialect
        self._completion = dialect.writing.completion(turn, way.generation)
        self._slots = SlotValues(dialect, echoes=echoes)
        self._way = way
        self._types: dict[str, bool] = {}
        self.ended = False

    def learn(self, event: SentEvent) -> None:
        """Learn which values an event has at the places of slots; call it before any ``step``."""
        if event.kind == "event" and isinstance(event.data, dict):
            ways = self._dialect.writing.spell(event.type, event.data)
            # The last way to write an event is by its own fields.
            if (send := ways[-1]) and self._is_known(send.type):
                made = self._complete(replace(send, shared=self._way.shared))
                self._slots.learn(made, write_file_urls(event.data))

    def step(self, event: SentEvent, name: str) -> SendStep:
        """The step of an event, ``name`` being the value of its ``event:`` line."""
        if event.kind == "comment":
            return Comment(event.data)
        send = self._send(event, name) if event.kind == "event" else None
        if send is None:
            closing = _is_done(event) and self._dialect.framing.closing == event.type
            self.ended = self.ended and not closing
            return Raw(_write_raw(event, name))
        data = self._sent(self._completion.event(send))
        self.ended = self.ended or self._dialect.ending.is_terminal(send.type, data)
        return send

    def _send(self, event: SentEvent, name: str) -> Send | None:
        data = write_file_urls(event.data)
        if not isinstance(data, dict) or not can_write(data):
            return None
        if name and self._dialect.framing.event_line and name != event.type:
            return None
        for send in self._ways(event.type, data):
            found = find_shortest_send(send, data, self._complete, self._slots)
            if found and not self._refused(found):
                return found
        return None

    def _complete(self, send: Send) -> Mapping[str, Any]:
        return self._sent(self._completion.preview(send))

    def _sent(self, event: Event) -> Mapping[str, Any]:
        """The data of an event in the form of the request; empty if it leaves the event out."""
        sent = self._dialect.forms.apply([event], self._way.form)
        return next((each.data for each in sent if isinstance(each, Event)), {})

    def _ways(self, type_: str, data: Mapping[str, Any]) -> Iterator[Send]:
        for send in self._dialect.writing.spell(type_, data):
            if self._is_known(send.type):
                yield replace(send, shared=self._way.shared)
        if type_:
            yield Send(type_, known=False)

    def _is_known(self, type_: str) -> bool:
        if type_ not in self._types:
            self._types[type_] = bool(type_) and not self._refused(Send(type_))
        return self._types[type_]

    def _refused(self, send: Send) -> bool:
        """Whether a scenario file must not have this step, whatever its upstream is."""
        sends = Sends((send,), (_AT,), self._way.generation)
        return bool(self._dialect.writing.check(sends, "violation", frozenset()))


def write_file_urls(value: Any) -> Any:
    """A value with the URLs of a mock's own files as scenarios write them."""
    return map_strings(value, url_in_scenario)


def _write_raw(event: SentEvent, name: str) -> str:
    # Escaped: text with half a character cannot be in a file as it is.
    errors = "backslashreplace" if event.kind == "event" else "replace"
    return write_sse(event, name).encode("utf-8", errors).decode()


def _find_variations(
    events: Sequence[SentEvent], framing: Framing | None, dialect: Dialect, adds_end: bool
) -> Iterator[str]:
    """The variations of lines that play the framing of a capture.

    ``adds_end`` is whether the mock sends ``[DONE]`` by itself.
    """
    if framing is None:
        return
    sent = [event for event in events if event.kind == "event"]
    if dialect.framing.event_line and sent and not framing.names:
        yield "no-event-line"
    if dialect.framing.closing and adds_end and not any(map(_is_done, events)):
        yield "no-done"
    lines = {"\r\n": "crlf", "\r": "cr"}
    if len(framing.newlines) == 1:
        yield from (lines[end] for end in framing.newlines if end in lines)
