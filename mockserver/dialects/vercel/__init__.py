"""The AI SDK's three dialects: provider parts (AI Gateway), ``fullStream``, and UI messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mockserver.dialects.dialect import Dialect, NonStreamingAnswer, Read, Script
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
from mockserver.scenario.script import Says
from mockserver.wire.bounds import bounded

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


def _dialect(name: str, layer: Layer, operation: str, id_prefix: str, inbound: Read) -> Dialect:
    """A dialect with what the three have in common."""
    return Dialect(
        name=name,
        operations=(operation,),
        id_prefix=id_prefix,
        closing="[DONE]",
        capabilities=frozenset({"codes"}),
        unsupported=_LACKS,
        variations=tuple(each for each in VARIATIONS if each.applies_to(name)),
        steps=partial(_steps, name, layer),
        completion=lambda _turn, generation: PartsSoFar.of(name, generation),
        written=written,
        check=partial(check, name),
        doubts=partial(doubts, name),
        is_terminal=lambda type_, _data: type_ == "error" or parts.is_last(type_),
        is_last=parts.is_last,
        inbound=inbound,
        refusal=refusal,
    )


GATEWAY = replace(
    _dialect(parts.GATEWAY, Provider(), "language-model", "gen_", gateway.inbound),
    errors=errors.OF_GATEWAY,
    request_headers=gateway.READS_HEADERS,
    forms=FORMS,
    apply_form=apply_form,
    non_streaming_answer=_non_streaming_answer,
    lookups=lookups.OF_GATEWAY,
)
FULLSTREAM = replace(
    _dialect(parts.FULLSTREAM, Core(), "full-stream", "resp_", fullstream.inbound),
    errors=errors.OF_FULLSTREAM,
    generations=(parts.USUAL, *(each for each in parts.GENERATIONS if each != parts.USUAL)),
)
UI = replace(
    _dialect(parts.UI, Chunks(), "chat", "msg_", ui.inbound),
    operations=("chat", "completion"),
    errors=errors.OF_UI,
    refusal=plain,
    lookups=lookups.OF_CHAT,
    capabilities=frozenset(),
    response_headers={"x-vercel-ai-ui-message-stream": "v1", "x-accel-buffering": "no"},
)

VERCEL = (GATEWAY, FULLSTREAM, UI)
