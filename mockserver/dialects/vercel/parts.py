"""The parts of the AI SDK's three layers, by the dialect that streams them.

The layers have nearly the same names for things and not the same fields, which is how adapters come
to read the wrong ones:

- ``vercel-gateway``: what a provider gives to the SDK's core (LanguageModelV2 to V4), and what the
  AI Gateway streams. A call's input is JSON in a text.
- ``vercel-fullstream``: what ``streamText().fullStream`` gives to a program. A call's input is an
  object; steps of a run begin and end.
- ``vercel-ui``: the chunks of ``toUIMessageStream()``, for a browser.

Of ``fullStream`` there are generations, by the major version of the SDK. ``seed`` is a blend that
no release has ever streamed, as stream-mapping lists it; adapters written from that page expect it.

Source: AI SDK (ai 4 to 7, @ai-sdk/provider 2 to 4); stream-mapping § fullStream Chunk Types.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Mapping

GATEWAY, FULLSTREAM, UI = "vercel-gateway", "vercel-fullstream", "vercel-ui"

V4, V5, V6, V7, SEED = "v4", "v5", "v6", "v7", "seed"
GENERATIONS = (V4, V5, V6, V7, SEED)
USUAL = V6
"""The generation that is streamed where nobody asks for another."""

_SINCE_5 = frozenset({V5, V6, V7, SEED})
_SINCE_6 = frozenset({V6, V7, SEED})
_ALL = frozenset(GENERATIONS)
_OLD = frozenset({V4, SEED})

_FULLSTREAM: Mapping[str, frozenset[str]] = {
    "start": _SINCE_5,
    "start-step": _SINCE_5,
    "step-start": frozenset({V4}),
    "text-start": _SINCE_5,
    "text-delta": _ALL,
    "text-end": _SINCE_5,
    "text": frozenset({SEED}),
    "reasoning": _OLD,
    "reasoning-start": _SINCE_5,
    "reasoning-delta": _SINCE_5,
    "reasoning-end": _SINCE_5,
    "reasoning-part-finish": frozenset({SEED}),
    "reasoning-signature": frozenset({V4}),
    "redacted-reasoning": frozenset({V4}),
    "reasoning-file": frozenset({V7}),
    "tool-call-streaming-start": _OLD,
    "tool-call-delta": _OLD,
    "tool-input-start": _SINCE_5,
    "tool-input-delta": _SINCE_5,
    "tool-input-end": _SINCE_5,
    "tool-call": _ALL,
    "tool-result": _ALL,
    "tool-error": _SINCE_5,
    "tool-approval-request": _SINCE_6,
    "tool-approval-response": frozenset({V7}),
    "tool-output-denied": _SINCE_6,
    "source": _ALL,
    "source-url": frozenset({SEED}),
    "source-document": frozenset({SEED}),
    "file": _ALL,
    "raw": _SINCE_5,
    "custom": frozenset({V7}),
    "ping": frozenset({V7}),
    "steering-message": frozenset({V7}),
    "tool-input-available": frozenset({SEED}),
    "abort": _SINCE_5,
    "error": _ALL,
    "finish-step": _SINCE_5,
    "step-finish": frozenset({V4}),
    "finish": _ALL,
}

_GATEWAY = (
    "stream-start",
    "response-metadata",
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-end",
    "tool-call",
    "tool-result",
    "tool-approval-request",
    "source",
    "file",
    "reasoning-file",
    "custom",
    "ping",
    "raw",
    "error",
    "finish",
)

_UI = (
    "start",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "reasoning-file",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-available",
    "tool-input-error",
    "tool-output-available",
    "tool-output-error",
    "tool-output-denied",
    "tool-approval-request",
    "tool-approval-response",
    "source-url",
    "source-document",
    "file",
    "custom",
    "steering-message",
    "message-metadata",
    "reset-step",
    "error",
    "abort",
    "finish-step",
    "finish",
)

KNOWN: Mapping[str, frozenset[str]] = {
    GATEWAY: frozenset(_GATEWAY),
    FULLSTREAM: frozenset(_FULLSTREAM),
    UI: frozenset(_UI),
}
"""The types that a dialect has; ``data-*`` is told apart by its beginning."""

DATA = "data-"
STEP_ENDS = frozenset({"finish-step", "step-finish"})
"""The types that end a step of a run."""

FINISHES = STEP_ENDS | {"finish"}
"""The types that say why the model stopped, and what that has cost."""

_LAST = frozenset({"finish", "abort"})


def is_known(dialect: str, type_: str) -> bool:
    """Has the dialect parts of this type?"""
    return type_ in KNOWN[dialect] or (dialect == UI and type_.startswith(DATA))


def generations(type_: str) -> frozenset[str]:
    """The generations of ``fullStream`` that have parts of this type."""
    return _FULLSTREAM.get(type_, frozenset())


def is_last(type_: str) -> bool:
    """Is such a part the last one of a stream that ends well?"""
    return type_ in _LAST


def reason(part: Mapping[str, Any]) -> str:
    """Why a part says that the model stopped; empty where it does not say."""
    told = part.get("finishReason")
    return text(mapping(told).get("unified")) or text(told)
