"""The dialect ``openresponses``: OpenResponses (release 2026-04-24) and OpenAI's Responses API."""

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
from mockserver.dialects.openresponses.checks import check
from mockserver.dialects.openresponses.completion import ResponseSoFar
from mockserver.dialects.openresponses.profiles import PROFILES
from mockserver.dialects.openresponses.requests import read_request, refuse
from mockserver.dialects.openresponses.response import (
    ECHO_DEFAULTS,
    ERRORS,
    VENDOR_ECHO_DEFAULTS,
    number,
)
from mockserver.dialects.openresponses.script import EventTranslator
from mockserver.dialects.openresponses.variations import VARIATIONS
from mockserver.dialects.openresponses.warnings import warn
from mockserver.dialects.requests import Requests
from mockserver.dialects.writing import Script, Writing, complete
from mockserver.scenario.script import Says
from mockserver.wire.event import Step, drop_declinable
from mockserver.wire.framing import Framing


def _steps(script: Script, turn: int) -> tuple[Step, ...]:
    if isinstance(script, Says):
        return complete(ResponseSoFar(turn), EventTranslator().translate(script.steps))
    return complete(ResponseSoFar(turn), script.steps)


def _non_streaming_answer(steps: Sequence[Step], _form: str) -> NonStreamingAnswer | None:
    response = events.final_response(steps)
    return NonStreamingAnswer(200, response) if response is not None else None


def _apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    return drop_declinable(steps) if form == UNPADDED else steps


OPENRESPONSES = Dialect(
    name="openresponses",
    steps=_steps,
    ending=Ending(
        is_terminal=lambda type_, _data: type_ in events.TERMINAL,
        is_last=lambda type_: type_ in events.TERMINAL,
    ),
    framing=Framing(event_line=True, closing="[DONE]"),
    requests=Requests(
        ("responses",),
        read_request,
        refuse,
        "requests/openresponses",
        authorization="Bearer",
        echoes={**ECHO_DEFAULTS, **VENDOR_ECHO_DEFAULTS},
    ),
    answers=Answers("resp_", non_streaming=_non_streaming_answer),
    capabilities=frozenset({REFUSALS, CODES, CALL_ENDS}),
    writing=Writing(check, warn, lambda turn, _generation: ResponseSoFar(turn)),
    forms=Forms(("", UNPADDED), _apply_form),
    errors=StreamErrors(ERRORS, number),
    variations=VARIATIONS,
    profiles=PROFILES,
)
