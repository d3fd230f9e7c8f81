"""The AI SDK's three dialects: provider parts (AI Gateway), ``fullStream``, and UI messages."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from mockserver.dialects.dialect import (
    CALL_ENDS,
    CODE,
    CODES,
    MESSAGE,
    Answers,
    Dialect,
    Ending,
    ErrorShape,
    Forms,
    StreamErrors,
)
from mockserver.dialects.requests import Requests
from mockserver.dialects.vercel import gateway, messages, parts, ui
from mockserver.dialects.vercel.checks import check, warn
from mockserver.dialects.vercel.completion import PartsSoFar, spell
from mockserver.dialects.vercel.script import Core, Layer, MessageChunks, PartTranslator, Provider
from mockserver.dialects.vercel.specifications import FORMS, apply_form
from mockserver.dialects.vercel.variations import VARIATIONS
from mockserver.dialects.writing import Script, Writing, complete
from mockserver.scenario.script import Says, Send
from mockserver.wire.event import Step
from mockserver.wire.framing import Framing

_LACKS = {
    "hosted-tools": "the AI SDK has the tools of any provider, in parts that 'sends' can write",
    "phases": "the AI SDK has no phases of a text",
}


def _steps(name: str, layer: Layer, script: Script, _turn: int) -> tuple[Step, ...]:
    if isinstance(script, Says):
        return complete(PartsSoFar.of(name), PartTranslator(layer).translate(script.steps))
    return complete(PartsSoFar.of(name, script.generation), script.steps)


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
            partial(warn, name),
            completion=lambda _turn, generation: PartsSoFar.of(name, generation),
            spell=spell,
            generations=_FULLSTREAM_GENERATIONS if name == parts.FULLSTREAM else (),
        ),
        errors=StreamErrors(errors),
        variations=tuple(each for each in VARIATIONS if each.applies_to(name)),
    )


_FULLSTREAM_GENERATIONS = (
    parts.USUAL,
    *(each for each in parts.GENERATIONS if each != parts.USUAL),
)

# The shapes of errors in streams

_OBJECT = Send("error", {"error": {"message": MESSAGE, "code": CODE}})
_TEXT = Send("error", {"error": MESSAGE})
_TEXT_OF_MESSAGE = Send("error", {"errorText": MESSAGE})


def _ends(*types: str) -> Callable[[str], tuple[Send, ...]]:
    """Makes the parts of these types that end a response for a reason."""
    return lambda reason: tuple(Send(type_, {"reason": reason}) for type_ in types)


def _ends_message(reason: str) -> tuple[Send, ...]:
    return Send("finish-step"), Send("finish", {"finishReason": reason})


def _incomplete(ends: tuple[Send, ...]) -> dict[str, ErrorShape]:
    return {"incomplete": ErrorShape("the finish reason length", ends, outcome="incomplete")}


def _shapes(ends: Callable[[str], tuple[Send, ...]]) -> dict[str, ErrorShape]:
    failed = ends("error")
    return {
        "alone": ErrorShape("an error part, and no finish", (_OBJECT,)),
        "object": ErrorShape("an error part, then the finish", (_OBJECT, *failed)),
        "string": ErrorShape("an error part whose error is a string", (_TEXT, *failed), code=False),
        **_incomplete(ends("length")),
    }


_OF_MESSAGE = (_TEXT_OF_MESSAGE, *_ends_message("error"))
_UI_ERRORS: Mapping[str, ErrorShape] = {
    "alone": ErrorShape("an error part, and no finish", (_TEXT_OF_MESSAGE,), code=False),
    "string": ErrorShape("an error part, then the finish", _OF_MESSAGE, code=False),
    **_incomplete(_ends_message("length")),
}

GATEWAY = replace(
    _dialect(
        parts.GATEWAY,
        Provider(),
        Requests(
            ("language-model",),
            gateway.read_request,
            messages.refuse,
            "requests/vercel-gateway",
            gateway.HEADERS,
            "Bearer",
            gateway.LOOKUPS,
        ),
        Answers("gen_", non_streaming=gateway.answer_at_once),
        _shapes(_ends("finish")),
    ),
    forms=Forms(FORMS, apply_form),
)
FULLSTREAM = _dialect(
    parts.FULLSTREAM,
    Core(),
    Requests(
        ("full-stream",), messages.read_request, messages.refuse, "requests/vercel-fullstream"
    ),
    Answers("resp_"),
    _shapes(_ends("finish-step", "finish")),
)
UI = replace(
    _dialect(
        parts.UI,
        MessageChunks(),
        Requests(
            ("chat", "completion"),
            ui.read_request,
            ui.refuse,
            "requests/vercel-ui",
            lookups=ui.LOOKUPS,
        ),
        Answers("msg_", {"x-vercel-ai-ui-message-stream": "v1", "x-accel-buffering": "no"}),
        _UI_ERRORS,
    ),
    capabilities=frozenset({CALL_ENDS}),
)

VERCEL = (GATEWAY, FULLSTREAM, UI)
