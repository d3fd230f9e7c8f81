"""The dialect ``openresponses``: OpenResponses (release 2026-04-24) and OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Sequence

from mockserver.dialects.dialect import (
    CALL_ENDS,
    CODES,
    REFUSALS,
    UNPADDED,
    Answers,
    Dialect,
    Ending,
    Forms,
    NonStreamingAnswer,
    StreamErrors,
)
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
from mockserver.dialects.requests import Requests
from mockserver.dialects.writing import Script, Writing
from mockserver.scenario.script import Says
from mockserver.wire.event import Step, bounded, without_declinable
from mockserver.wire.framing import Framing


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
    steps=_steps,
    ending=Ending(
        is_terminal=lambda type_, _data: type_ in events.TERMINAL,
        is_last=lambda type_: type_ in events.TERMINAL,
    ),
    framing=Framing(event_line=True, closing="[DONE]"),
    requests=Requests(
        ("responses",), inbound, refusal, echoes={**ECHO_DEFAULTS, **VENDOR_ECHO_DEFAULTS}
    ),
    answers=Answers("resp_", non_streaming=_non_streaming_answer),
    capabilities=frozenset({REFUSALS, CODES, CALL_ENDS}),
    writing=Writing(check, doubts, lambda turn, _generation: ResponseSoFar(turn)),
    forms=Forms(("", UNPADDED), _apply_form),
    errors=StreamErrors(ERRORS, numbered),
    variations=VARIATIONS,
    profiles=PROFILES,
)
