"""The bytes of a case's answers for the results page, and what each request got of them.

The bytes are shown once for a case and not for each run. A value that differs between requests,
such as an id, is shown by its name there, and each run lists its own values.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.report import summary
from conformance.report.wire import Key, render_again
from conformance.report.wire_text import Span, of_body, of_plan, visible
from mockserver.foundation.faults import Fault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.contract.transcript import Request, SentEvent
    from conformance.report.wire import AnsweredWith
    from mockserver.cases.case import Case
    from mockserver.cases.render import Rendered, Renderings

_MOST_EVENTS = 20_000
_MOST_VALUE = 300


@dataclass(frozen=True, slots=True)
class OwnValue:
    """A value in an answer that differs between requests, as one request got it."""

    name: str
    value: Sequence[Span]


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request was sent: the number of bytes, and the values that only it got.

    ``label`` names the answer if the case has several, ``extent`` is how much of it was sent, and
    ``left`` is how the client disconnected. If the bytes cannot be rendered again, ``unknown`` says
    why, and ``events`` has the recorded events.
    """

    bytes: int = 0
    label: str = ""
    extent: str = ""
    left: str = ""
    own: Sequence[OwnValue] = ()
    unknown: str = ""
    events: str = ""


@dataclass(frozen=True, slots=True)
class Sent:
    """The bytes of one answer; ``label`` names it if the case has several."""

    label: str
    spans: Sequence[Span]


class Answers:
    """Collects the answers of a case; requests that got the same answer share it."""

    def __init__(self, case: Case | Fault, renderings: Renderings) -> None:
        self._case, self._renderings = case, renderings
        self._same: dict[Key, dict[str, set[bytes]]] = {}
        self._rendered: dict[Key, Rendered] = {}

    def answer(self, request: Request) -> AnsweredWith | Fault:
        """Render the answer to a request again, or return the reason why that is impossible."""
        if isinstance(self._case, Fault):
            return self._case
        try:
            got = render_again(self._case, request, self._renderings)
        except Fault as fault:
            return fault
        self._rendered[got.key] = got.rendered
        same = self._same.setdefault(got.key, {})
        for name, value in got.values.items():
            same.setdefault(name, set()).add(value)
        return got

    def reply(self, request: Request, got: AnsweredWith | Fault) -> Reply:
        """Describe what a request was sent, once ``answer`` was called for all requests."""
        if isinstance(got, Fault):
            problem = got.problems[0]
            why = "; ".join(filter(None, (problem.message, problem.hint)))
            return Reply(unknown=why, events=_clipped_events(request))
        return Reply(
            bytes=got.wire.bytes,
            label=self._label(got.key),
            extent=_extent(got),
            left=request.left.how if request.left else "",
            own=[
                OwnValue(name, _clipped(value))
                for name, value in got.values.items()
                if not self._is_same(got.key, name)
            ],
        )

    def _is_same(self, key: Key, name: str) -> bool:
        return len(self._same[key][name]) == 1

    def _label(self, key: Key) -> str:
        """The turn, attempt and form of an answer, in words; empty if it is the only one."""
        turn, attempt, form = key
        asked = f", asked with {form}" if form else ""
        label = f" by turn {turn + 1} at attempt {attempt}{asked}"
        return label if len(self._rendered) > 1 else ""

    def all(self) -> list[Sent]:
        """The answers in order; slots are filled if all requests got the same value."""
        return [
            Sent(
                self._label(key),
                _spans(rendered, {n: min(v) for n, v in self._same[key].items() if len(v) == 1}),
            )
            for key, rendered in sorted(self._rendered.items(), key=lambda pair: pair[0])
        ]


def _spans(rendered: Rendered, values: Mapping[str, bytes]) -> list[Span]:
    plain = rendered.answer
    return of_body(plain.body) if plain else of_plan(rendered.plan, values)


def _extent(got: AnsweredWith) -> str:
    writes = len(got.rendered.plan.byte_writes)
    return "all of them" if got.writes == writes else f"up to write {got.writes} of {writes}"


def _clipped(value: bytes) -> list[Span]:
    more = [] if len(value) <= _MOST_VALUE else [Span("text", "…")]
    return [*visible(value[:_MOST_VALUE]), *more]


def _clipped_events(request: Request) -> str:
    events = _events(request)
    return events if len(events) <= _MOST_EVENTS else events[:_MOST_EVENTS] + "\n… and so on"


def _events(request: Request) -> str:
    """The recorded events of an answer, or the plain answer, as text."""
    if request.answer:
        return "\n".join(summary.of_answer(request.status, request.answer))
    return "\n".join(map(_event, request.events))


def _event(event: SentEvent) -> str:
    data = json.dumps(event.data, ensure_ascii=False, separators=(",", ":"))
    return f"{event.kind} {event.type} {data}"
