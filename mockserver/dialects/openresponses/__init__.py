"""The dialect ``openresponses``: OpenResponses (release 2026-04-24) and OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockserver.dialects.dialect import NonStreamingAnswer
from mockserver.dialects.format_1 import nulls_removed
from mockserver.dialects.openresponses import events
from mockserver.dialects.openresponses.check import check
from mockserver.dialects.openresponses.complete import complete
from mockserver.dialects.openresponses.profiles import PROFILES
from mockserver.dialects.openresponses.request import inbound, refusal
from mockserver.dialects.openresponses.response import ECHO_DEFAULTS
from mockserver.dialects.openresponses.script import translate
from mockserver.dialects.openresponses.variations import VARIATIONS
from mockserver.dialects.profile import Profile
from mockserver.scenario.script import Says, Sends
from mockserver.wire.slots import Values, values
from mockserver.wire.variation import Variation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mockserver.dialects.dialect import Inbound, LookUp
    from mockserver.faults import Problem
    from mockserver.scenario.script import Send
    from mockserver.wire.event import Step


@dataclass(frozen=True, slots=True)
class _OpenResponses:
    name: str = "openresponses"
    aliases: tuple[str, ...] = ()
    operations: tuple[str, ...] = ("responses",)
    lookups: Mapping[str, LookUp] = field(default_factory=dict)
    closing: str = "[DONE]"
    generations: tuple[str, ...] = ()
    variations: tuple[Variation, ...] = VARIATIONS
    profiles: tuple[Profile, ...] = PROFILES
    unsupported: Mapping[str, str] = field(default_factory=dict)
    says_call_complete: bool = True
    names_events: bool = True
    id_prefix: str = "resp_"
    capabilities: frozenset[str] = frozenset({"refusals", "codes"})
    response_headers: Mapping[str, str] = field(default_factory=dict)
    forms: tuple[str, ...] = ("",)
    request_headers: tuple[str, ...] = ()

    def is_terminal(self, type_: str, data: Any) -> bool:  # noqa: ARG002
        return type_ in events.TERMINAL

    def is_last(self, type_: str) -> bool:
        return type_ in events.TERMINAL

    def check(self, script: Says | Sends, conduct: str) -> list[Problem]:
        return check(script, conduct)

    def of_format_1(self, send: Send) -> Send:
        return nulls_removed(send)

    def steps(self, script: Says | Sends, turn: int) -> tuple[Step, ...]:
        sends = translate(script.steps) if isinstance(script, Says) else script.steps
        return tuple(complete(sends, turn))

    def apply_form(self, steps: Sequence[Step], form: str) -> Sequence[Step]:  # noqa: ARG002
        return steps

    def non_streaming_answer(self, steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:  # noqa: ARG002
        response = events.final_response(steps)
        return NonStreamingAnswer(200, response) if response is not None else None

    def inbound(
        self,
        body: Any,
        headers: Mapping[str, str],  # noqa: ARG002
        path: str = "",  # noqa: ARG002
    ) -> Inbound:
        return inbound(body)

    def sample(self) -> Values:
        return values(id="resp_1", created_at=0, model="mock", **ECHO_DEFAULTS)

    def refusal(self, status: int, message: str, *, param: str | None = None) -> dict[str, Any]:
        return refusal(status, message, param)


OPENRESPONSES = _OpenResponses()
