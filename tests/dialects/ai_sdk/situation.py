"""``Situation``: what a model streams, and what our dialects send for it.

In each situation a model streams provider parts, and the SDK makes a full stream and UI messages of
them. What must be equal is either the script that our dialects render, or the parts of both layers
as a scenario sends them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mockserver.dialects.vercel.parts import USUAL
from tests.dialects.ai_sdk.recording import Json

Steps = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Situation:
    """What a model streams, and how the SDK is called.

    - ``says`` is a script; the model streams its provider parts.
    - Without a script, ``model`` has the provider parts of each step, and ``full`` and ``ui`` the
      parts as a scenario sends them.
    - ``tools`` are the names of the tools; ``outputs`` their outputs by call id, None for one that
      throws. Without outputs, tools are not run.
    - ``approval`` is whether the tools ask for it before they are run.
    - ``messages`` are those before the answer.
    - ``abort_after`` is the number of provider parts after which the caller aborts.
    - ``generation`` is that of the parts in ``full``.
    - ``misses`` are the generations that have nothing like it.
    """

    says: Steps = ()
    model: Sequence[Sequence[Json]] = ()
    full: Steps = ()
    ui: Steps = ()
    tools: tuple[str, ...] = ("search", "read")
    outputs: Mapping[str, Any] = field(default_factory=dict)
    approval: bool = False
    messages: Sequence[Json] = ()
    abort_after: int | None = None
    generation: str = USUAL
    misses: tuple[str, ...] = ()


def part(type_: str, **fields: Any) -> Json:
    """A part of a provider."""
    return {"type": type_, **fields}


_RESPONSE = {"id": "resp_1", "timestamp": "1970-01-01T00:00:00.000Z", "modelId": "mock"}
BEGIN = (part("stream-start", warnings=[]), part("response-metadata", **_RESPONSE))
"""The provider parts at the beginning of a step."""

_USAGE = {
    "inputTokens": {"total": 16, "noCache": 16, "cacheRead": 0},
    "outputTokens": {"total": 8, "text": 8, "reasoning": 0},
}

OWN = {"providerExecuted": True}


def end(reason: str = "stop") -> Json:
    """The provider part at the end of a step, with the counts that a scenario has by default."""
    reasons = {"unified": reason, "raw": reason.replace("-", "_")}
    return part("finish", usage=_USAGE, finishReason=reasons)


BEGUN = ("start", "start-step")
"""What a scenario sends at the beginning of its first step."""


def one_step(*content: Any) -> Steps:
    """What a scenario sends whose only step has this content."""
    return [*BEGUN, *content, "finish-step", "finish"]


def text(value: str, field_: str, id_: str = "t") -> list[Json]:
    """A block of text as a scenario sends it; ``field_`` is the field with its text."""
    return [
        {"text-start": {"id": id_}},
        {"text-delta": {"id": id_, field_: value}},
        {"text-end": {"id": id_}},
    ]


def model_text(value: str, id_: str = "t") -> list[Json]:
    """A block of text as a provider streams it."""
    sent = text(value, "delta", id_)
    return [part(name, **fields) for step in sent for name, fields in step.items()]
