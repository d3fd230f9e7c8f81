"""The dialect ``openresponses``: OpenResponses (release 2026-04-24) and OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Sequence

from mockserver.dialects.dialect import UNPADDED, Dialect, NonStreamingAnswer, Script
from mockserver.dialects.openresponses import events
from mockserver.dialects.openresponses.check import check
from mockserver.dialects.openresponses.complete import ResponseSoFar, complete
from mockserver.dialects.openresponses.doubts import doubts
from mockserver.dialects.openresponses.errors import ERRORS, numbered
from mockserver.dialects.openresponses.profiles import PROFILES
from mockserver.dialects.openresponses.request import inbound, refusal
from mockserver.dialects.openresponses.response import ECHO_DEFAULTS, VENDOR_ECHO_DEFAULTS
from mockserver.dialects.openresponses.script import translate
from mockserver.dialects.openresponses.variations import VARIATIONS
from mockserver.scenario.script import Says
from mockserver.wire.bounds import bounded
from mockserver.wire.event import Step
from mockserver.wire.steps import without_declinable


def _steps(script: Script, turn: int) -> tuple[Step, ...]:
    sends = translate(script.steps) if isinstance(script, Says) else script.steps
    return tuple(bounded(complete(sends, turn)))


def _non_streaming_answer(steps: Sequence[Step], _form: str) -> NonStreamingAnswer | None:
    response = events.final_response(steps)
    return NonStreamingAnswer(200, response) if response is not None else None


def _apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    return without_declinable(steps) if form == UNPADDED else steps


OPENRESPONSES = Dialect(
    name="openresponses",
    operations=("responses",),
    id_prefix="resp_",
    closing="[DONE]",
    names_events=True,
    capabilities=frozenset({"refusals", "codes"}),
    variations=VARIATIONS,
    profiles=PROFILES,
    errors=ERRORS,
    resumed=numbered,
    steps=_steps,
    completion=lambda turn, _generation: ResponseSoFar(turn),
    check=check,
    doubts=doubts,
    is_terminal=lambda type_, _data: type_ in events.TERMINAL,
    is_last=lambda type_: type_ in events.TERMINAL,
    forms=("", UNPADDED),
    apply_form=_apply_form,
    non_streaming_answer=_non_streaming_answer,
    inbound=inbound,
    refusal=refusal,
    echoes={**ECHO_DEFAULTS, **VENDOR_ECHO_DEFAULTS},
)
