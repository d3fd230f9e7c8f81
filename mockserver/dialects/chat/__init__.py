"""The dialect ``chat``: chat completions as OpenAI and GitHub Copilot's proxy stream them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.check import check
from mockserver.dialects.chat.complete import complete
from mockserver.dialects.chat.non_streaming import non_streaming_answer
from mockserver.dialects.chat.profiles import PROFILES
from mockserver.dialects.chat.request import WITH_USAGE, inbound, refusal
from mockserver.dialects.chat.script import translate
from mockserver.dialects.chat.variations import VARIATIONS
from mockserver.dialects.format_1 import nulls_removed
from mockserver.dialects.profile import Profile
from mockserver.scenario.script import Says, Sends
from mockserver.wire.event import Event
from mockserver.wire.slots import Values, values
from mockserver.wire.variation import Variation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.dialects.dialect import Inbound, LookUp, NonStreamingAnswer
    from mockserver.faults import Problem
    from mockserver.scenario.script import Send
    from mockserver.wire.event import Step


_LACKS = {
    "citations": "chat has no chunk that carries a citation",
    "queued": "chat has no chunk that says that a response is queued",
    "other-reasons": "chat has no finish reason but its own five",
}


@dataclass(frozen=True, slots=True)
class _Chat:
    name: str = "chat"
    aliases: tuple[str, ...] = ("copilot",)
    operations: tuple[str, ...] = ("chat/completions",)
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    closing: str = "[DONE]"
    generations: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = VARIATIONS
    profiles: tuple[Profile, ...] = PROFILES
    unsupported: Mapping[str, str] = field(default_factory=lambda: _LACKS)
    says_call_complete: bool = False
    names_events: bool = False
    id_prefix: str = "chatcmpl-"
    capabilities: frozenset[str] = frozenset({"refusals", "codes"})
    response_headers: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = (WITH_USAGE, "")
    request_headers: tuple[str, ...] = ()

    def is_terminal(self, type_: str, data: Any) -> bool:  # noqa: ARG002
        return bool(chunks.finish_reasons(data)) or chunks.error_in(data) is not None

    def is_last(self, type_: str) -> bool:
        return type_ == chunks.DONE

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        return check(script, conduct)

    def of_format_1(self, send: Send) -> Send:
        in_choice = send.type in (chunks.DELTA, chunks.FINISH)
        return nulls_removed(send) if send.known and not in_choice else send

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:  # noqa: ARG002
        sends = translate(script.steps) if isinstance(script, Says) else script.steps
        return tuple(complete(sends))

    def apply_form(self, steps: Sequence[Step], form: str) -> Sequence[Step]:
        if form == WITH_USAGE:
            return steps
        return [step for step in steps if not (isinstance(step, Event) and step.on_request)]

    def non_streaming_answer(self, steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:  # noqa: ARG002
        return non_streaming_answer(steps)

    def inbound(
        self,
        body: Any,
        headers: Mapping[str, str],  # noqa: ARG002
        path: str = "",  # noqa: ARG002
    ) -> Inbound:
        return inbound(body)

    def sample(self) -> Values:
        return values(id="chatcmpl-1", created_at=0, model="mock")

    def refusal(self, status: int, message: str, *, param: str | None = None) -> dict[str, Any]:
        return refusal(status, message, param)


CHAT = _Chat()
