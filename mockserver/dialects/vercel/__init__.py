"""The AI SDK's three dialects: provider parts (AI Gateway), ``fullStream``, and UI messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mockserver.dialects.dialect import (
    CALL_ENDS,
    CODES,
    Answers,
    Dialect,
    Ending,
    ErrorShape,
    Forms,
    NonStreamingAnswer,
    StreamErrors,
)
from mockserver.dialects.requests import Requests
from mockserver.dialects.vercel import errors, lookups, parts
from mockserver.dialects.vercel.check import check
from mockserver.dialects.vercel.chunks import Chunks
from mockserver.dialects.vercel.complete import PartsSoFar, complete, written
from mockserver.dialects.vercel.core import Core
from mockserver.dialects.vercel.doubts import doubts
from mockserver.dialects.vercel.non_streaming import non_streaming_answer
from mockserver.dialects.vercel.provider import Provider
from mockserver.dialects.vercel.requests import fullstream, gateway, ui
from mockserver.dialects.vercel.requests.refusal import plain, refusal
from mockserver.dialects.vercel.script import translate
from mockserver.dialects.vercel.specifications import FORMS, apply_form
from mockserver.dialects.vercel.variations import VARIATIONS
from mockserver.dialects.writing import Script, Writing
from mockserver.scenario.script import Says
from mockserver.wire.event import bounded
from mockserver.wire.framing import Framing

if TYPE_CHECKING:
    from mockserver.dialects.vercel.layer import Layer
    from mockserver.wire.event import Step


_LACKS = {
    "hosted-tools": "the AI SDK has the tools of any provider, in parts that 'sends' can write",
    "phases": "the AI SDK has no phases of a text",
}


def _steps(name: str, layer: Layer, script: Script, _turn: int) -> tuple[Step, ...]:
    if isinstance(script, Says):
        return tuple(bounded(complete(name, translate(script.steps, layer))))
    return tuple(bounded(complete(name, script.steps, script.generation)))


def _non_streaming_answer(steps: Sequence[Step], form: str) -> NonStreamingAnswer | None:
    return non_streaming_answer(apply_form(steps, form))


def _dialect(
    name: str, layer: Layer, requests: Requests, answers: Answers, errors: Mapping[str, ErrorShape]
) -> Dialect:
    """A dialect with what the three have in common."""
    return Dialect(
        name=name,
        steps=partial(_steps, name, layer),
        ending=Ending(
            is_terminal=lambda type_, _data: type_ == "error" or parts.is_last(type_),
            is_last=parts.is_last,
        ),
        framing=Framing(event_line=False, closing="[DONE]"),
        requests=requests,
        answers=answers,
        unsupported=_LACKS,
        capabilities=frozenset({CODES, CALL_ENDS}),
        writing=Writing(
            partial(check, name),
            partial(doubts, name),
            completion=lambda _turn, generation: PartsSoFar.of(name, generation),
            spell=written,
            generations=_FULLSTREAM_GENERATIONS if name == parts.FULLSTREAM else (),
        ),
        errors=StreamErrors(errors),
        variations=tuple(each for each in VARIATIONS if each.applies_to(name)),
    )


_FULLSTREAM_GENERATIONS = (
    parts.USUAL,
    *(each for each in parts.GENERATIONS if each != parts.USUAL),
)

GATEWAY = replace(
    _dialect(
        parts.GATEWAY,
        Provider(),
        Requests(
            ("language-model",), gateway.inbound, refusal, gateway.READS_HEADERS, lookups.OF_GATEWAY
        ),
        Answers("gen_", non_streaming=_non_streaming_answer),
        errors.OF_GATEWAY,
    ),
    forms=Forms(FORMS, apply_form),
)
FULLSTREAM = _dialect(
    parts.FULLSTREAM,
    Core(),
    Requests(("full-stream",), fullstream.inbound, refusal),
    Answers("resp_"),
    errors.OF_FULLSTREAM,
)
UI = replace(
    _dialect(
        parts.UI,
        Chunks(),
        Requests(("chat", "completion"), ui.inbound, plain, lookups=lookups.OF_CHAT),
        Answers("msg_", {"x-vercel-ai-ui-message-stream": "v1", "x-accel-buffering": "no"}),
        errors.OF_UI,
    ),
    capabilities=frozenset({CALL_ENDS}),
)

VERCEL = (GATEWAY, FULLSTREAM, UI)
