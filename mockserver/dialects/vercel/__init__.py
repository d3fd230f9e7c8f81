"""The AI SDK's three dialects: provider parts (AI Gateway), ``fullStream``, and UI messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.format_1 import nulls_removed
from mockserver.dialects.profile import Profile
from mockserver.dialects.vercel import lookups, parts, provider
from mockserver.dialects.vercel.check import check
from mockserver.dialects.vercel.chunks import Chunks
from mockserver.dialects.vercel.complete import complete
from mockserver.dialects.vercel.core import Core
from mockserver.dialects.vercel.non_streaming import non_streaming_answer
from mockserver.dialects.vercel.provider import Provider
from mockserver.dialects.vercel.requests import fullstream, gateway, ui
from mockserver.dialects.vercel.requests.refusal import plain, refusal
from mockserver.dialects.vercel.script import translate
from mockserver.dialects.vercel.variations import VARIATIONS
from mockserver.scenario.script import Says, Sends
from mockserver.wire.slots import Values, values
from mockserver.wire.variation import Variation

if TYPE_CHECKING:
    from mockserver.dialects.dialect import Inbound, LookUp, NonStreamingAnswer
    from mockserver.dialects.vercel.spelling import Layer
    from mockserver.faults import Problem
    from mockserver.scenario.script import Send
    from mockserver.wire.event import Step


def _same_steps(steps: Sequence[Step], form: str) -> Sequence[Step]:  # noqa: ARG001
    return steps


@dataclass(frozen=True, slots=True)
class _Vercel:
    """One of the three dialects, by the attributes in which they differ."""

    name: str
    operations: tuple[str, ...]
    layer: Layer
    id_prefix: str
    read: Callable[[Any, Mapping[str, str]], Inbound]
    refuse: Callable[[int, str, str | None], dict[str, Any] | str] = refusal
    capabilities: frozenset[str] = frozenset({"codes"})
    response_headers: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = ("",)
    transform: Callable[[Sequence[Step], str], Sequence[Step]] = _same_steps
    request_headers: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    closing: str = "[DONE]"
    generations: tuple[str, ...] = ()
    profiles: tuple[Profile, ...] = ()
    unsupported: Mapping[str, str] = field(default_factory=dict)
    says_call_complete: bool = True
    names_events: bool = False

    @property
    def variations(self) -> tuple[Variation, ...]:
        return tuple(each for each in VARIATIONS if each.applies_to(self.name))

    def is_terminal(self, type_: str, data: Any) -> bool:  # noqa: ARG002
        return type_ == "error" or parts.is_last(type_)

    def is_last(self, type_: str) -> bool:
        return parts.is_last(type_)

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        return check(self.name, script, conduct)

    def of_format_1(self, send: Send) -> Send:
        reason = [("reason",)] if send.type in parts.FINISHES else []
        return nulls_removed(send, sent=reason, ignored=[("type",)]) if send.known else send

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:  # noqa: ARG002
        if isinstance(script, Says):
            return tuple(complete(self.name, translate(script.steps, self.layer)))
        return tuple(complete(self.name, script.steps, script.generation))

    def apply_form(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        return self.transform(steps, form)

    def non_streaming_answer(self, steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:
        return (
            non_streaming_answer(self.transform(steps, form))
            if self.name == parts.GATEWAY
            else None
        )

    def inbound(
        self,
        body: Any,
        headers: Mapping[str, str],
        path: str = "",  # noqa: ARG002
    ) -> Inbound:
        return self.read(body, headers)

    def sample(self) -> Values:
        return values(id=f"{self.id_prefix}1", created_at=0, model="mock", timestamp=_EPOCH)

    def refusal(
        self, status: int, message: str, *, param: str | None = None
    ) -> dict[str, Any] | str:
        return self.refuse(status, message, param)


_EPOCH = "1970-01-01T00:00:00.000Z"

GATEWAY = _Vercel(
    parts.GATEWAY,
    ("language-model",),
    Provider(),
    "gen_",
    gateway.inbound,
    request_headers=gateway.READS_HEADERS,
    forms=provider.FORMS,
    transform=provider.apply_form,
    lookups=lookups.LOOKUPS,
)
FULLSTREAM = _Vercel(
    parts.FULLSTREAM,
    ("full-stream",),
    Core(),
    "resp_",
    fullstream.inbound,
    generations=(parts.USUAL, *(each for each in parts.GENERATIONS if each != parts.USUAL)),
)
UI = _Vercel(
    parts.UI,
    ("chat",),
    Chunks(),
    "msg_",
    ui.inbound,
    plain,
    capabilities=frozenset(),
    response_headers={"x-vercel-ai-ui-message-stream": "v1", "x-accel-buffering": "no"},
)

VERCEL = (GATEWAY, FULLSTREAM, UI)
