"""The dialect ``chat``: chat completions as OpenAI and GitHub Copilot's proxy stream them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mockserver.dialects.chat import chunks
from mockserver.dialects.chat.answers import ERRORS, non_streaming_answer
from mockserver.dialects.chat.checks import check, warn
from mockserver.dialects.chat.chunks import ChunkCompletion, ChunkTranslator, shared_fields, spell
from mockserver.dialects.chat.profiles import PROFILES
from mockserver.dialects.chat.requests import FORMS, WITH_USAGE, read_request, refuse
from mockserver.dialects.chat.variations import VARIATIONS
from mockserver.dialects.dialect import (
    CODES,
    REFUSALS,
    UNPADDED,
    Answers,
    Dialect,
    Ending,
    Forms,
    StreamErrors,
)
from mockserver.dialects.requests import Requests
from mockserver.dialects.writing import Script, Writing, complete
from mockserver.scenario.script import NoUsage, Says
from mockserver.wire.event import Event, Step, drop_declinable
from mockserver.wire.framing import Framing

_LACKS = {
    "citations": "chat has no chunk that carries a citation",
    "queued": "chat has no chunk that says that a response is queued",
    "other-reasons": "chat has no finish reason but its own five",
    "hosted-tools": "chat has no tools that the upstream runs or asks approval for",
    "phases": "chat has no phases of a text",
    "encrypted": "chat has no field for encrypted reasoning; that of Copilot's proxy is its own",
}


def _is_terminal(_type: str, data: Any) -> bool:
    return bool(chunks.finish_reasons(data)) or chunks.error_in(data) is not None


def _steps(script: Script, _turn: int) -> tuple[Step, ...]:
    if not isinstance(script, Says):
        return complete(ChunkCompletion(), script.steps)
    reports_usage = not any(isinstance(step, NoUsage) for step in script.steps)
    return complete(ChunkCompletion(reports_usage), ChunkTranslator().translate(script.steps))


def _apply_form(steps: Sequence[Step], form: str) -> Sequence[Step]:
    if UNPADDED in form.split():
        steps = drop_declinable(steps)
    if WITH_USAGE in form.split():
        return [_add_nulls(step) if isinstance(step, Event) else step for step in steps]
    return [step for step in steps if not (isinstance(step, Event) and step.on_request)]


def _add_nulls(event: Event) -> Event:
    nulls = {name: None for name in event.nulls_on_request if name not in event.data}
    return replace(event, data={**event.data, **nulls}) if nulls else event


CHAT = Dialect(
    name="chat",
    steps=_steps,
    ending=Ending(_is_terminal, is_last=lambda type_: type_ == chunks.DONE),
    framing=Framing(event_line=False, closing=chunks.DONE),
    requests=Requests(
        ("chat/completions",), read_request, refuse, "requests/chat", authorization="Bearer"
    ),
    answers=Answers("chatcmpl-", non_streaming=non_streaming_answer),
    unsupported=_LACKS,
    capabilities=frozenset({REFUSALS, CODES}),
    writing=Writing(
        check,
        warn,
        completion=lambda _turn, _generation: ChunkCompletion(),
        spell=spell,
        shared_fields=shared_fields,
    ),
    forms=Forms(FORMS, _apply_form),
    errors=StreamErrors(ERRORS),
    variations=VARIATIONS,
    deviations=("no-done",),
    profiles=PROFILES,
)
