"""The part types of the AI SDK's three dialects, and the generations of ``fullStream``.

The dialects have similar part types with different fields, which adapters tend to confuse:

- ``vercel-gateway``: parts from a provider to the SDK's core (LanguageModelV2 to V4), as the AI
  Gateway streams them. A call's input is a string with JSON.
- ``vercel-fullstream``: parts of ``streamText().fullStream``, for a program. A call's input is an
  object, and there are parts for the start and end of each step.
- ``vercel-ui``: the chunks of ``toUIMessageStream()``, for a browser.

The generations of ``fullStream`` are the major versions of the SDK. ``seed`` is a mixture that
no release has streamed: it is what the page stream-mapping lists, and adapters written from that
page expect it.

Source: AI SDK (ai 4 to 7, @ai-sdk/provider 2 to 4); stream-mapping § fullStream Chunk Types.
"""

from collections.abc import Mapping
from typing import Any

from mockserver.foundation.json_fields import mapping, text

GATEWAY, FULLSTREAM, UI = "vercel-gateway", "vercel-fullstream", "vercel-ui"

V4, V5, V6, V7, SEED = "v4", "v5", "v6", "v7", "seed"
GENERATIONS = (V4, V5, V6, V7, SEED)
USUAL = V6
"""The default generation."""

_SINCE_5 = frozenset({V5, V6, V7, SEED})
_SINCE_6 = frozenset({V6, V7, SEED})
_ALL = frozenset(GENERATIONS)
_OLD = frozenset({V4, SEED})

_BY_GENERATIONS = {
    _ALL: "text-delta tool-call tool-result source file error finish",
    _SINCE_5: (
        "start start-step text-start text-end reasoning-start reasoning-delta reasoning-end "
        "tool-input-start tool-input-delta tool-input-end tool-error raw abort finish-step"
    ),
    _SINCE_6: "tool-approval-request tool-output-denied",
    _OLD: "reasoning tool-call-streaming-start tool-call-delta",
    frozenset({V4}): "step-start reasoning-signature redacted-reasoning step-finish",
    frozenset({V7}): "reasoning-file tool-approval-response custom ping steering-message",
    frozenset({SEED}): (
        "text reasoning-part-finish source-url source-document tool-input-available"
    ),
}
_FULLSTREAM: Mapping[str, frozenset[str]] = {
    type_: have for have, types in _BY_GENERATIONS.items() for type_ in types.split()
}

_GATEWAY = (
    "stream-start", "response-metadata", "text-start", "text-delta", "text-end", "reasoning-start",
    "reasoning-delta", "reasoning-end", "tool-input-start", "tool-input-delta", "tool-input-end",
    "tool-call", "tool-result", "tool-approval-request", "source", "file", "reasoning-file",
    "custom", "ping", "raw", "error", "finish",
)  # fmt: skip

_UI = (
    "start", "start-step", "text-start", "text-delta", "text-end", "reasoning-start",
    "reasoning-delta", "reasoning-end", "reasoning-file", "tool-input-start", "tool-input-delta",
    "tool-input-available", "tool-input-error", "tool-output-available", "tool-output-error",
    "tool-output-denied", "tool-approval-request", "tool-approval-response", "source-url",
    "source-document", "file", "custom", "steering-message", "message-metadata", "reset-step",
    "error", "abort", "finish-step", "finish",
)  # fmt: skip

KNOWN: Mapping[str, frozenset[str]] = {
    GATEWAY: frozenset(_GATEWAY),
    FULLSTREAM: frozenset(_FULLSTREAM),
    UI: frozenset(_UI),
}
"""The part types of each dialect, without ``data-*``, which is recognized by its prefix."""

DATA = "data-"
STEP_ENDS = frozenset({"finish-step", "step-finish"})
"""The types at the end of a step of a run."""

FINISHES = STEP_ENDS | {"finish"}
"""The types with a finish reason and usage."""

_LAST = frozenset({"finish", "abort"})


def is_known(dialect: str, type_: str) -> bool:
    """Whether the dialect has parts of this type."""
    return type_ in KNOWN[dialect] or (dialect == UI and type_.startswith(DATA))


def generations(type_: str) -> frozenset[str]:
    """The generations of ``fullStream`` that have parts of this type."""
    return _FULLSTREAM.get(type_, frozenset())


def is_last(type_: str) -> bool:
    """Whether a part of this type is the last one of a stream that does not fail."""
    return type_ in _LAST


def reason(part: Mapping[str, Any]) -> str:
    """The finish reason in a part; empty if it has none."""
    found = part.get("finishReason")
    return text(mapping(found).get("unified")) or text(found)
