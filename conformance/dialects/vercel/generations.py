"""Determines which releases of the AI SDK can have streamed a part.

The type of a part, and fields whose names or values differ between releases, narrow down the
release. An answer is from one release, so there must be one that can have streamed all its parts.
Unknown fields are ignored.

Source: ai 4 to 7 (TextStreamPart, UIMessageChunk), @ai-sdk/provider (LanguageModelV2StreamPart to
V4); what stream-mapping lists is a blend that no release has streamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.dialects.vercel.stream import Part
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.foundation.json_fields import mapping

Releases = frozenset[str]

_NONE: Releases = frozenset()
_4, _5, _7 = (frozenset({f"v{n}"}) for n in (4, 5, 7))
_TO_5 = _4 | _5
_TO_6 = frozenset({"v5", "v6"})
_FROM_5 = frozenset({"v5", "v6", "v7"})
_FROM_6 = frozenset({"v6", "v7"})

_V2, _V4 = frozenset({"V2"}), frozenset({"V4"})
_FROM_V3 = frozenset({"V3", "V4"})
_TO_V3 = frozenset({"V2", "V3"})

RELEASES: Mapping[str, Releases] = {
    FULLSTREAM: _4 | _FROM_5,
    UI: _FROM_5,
    GATEWAY: _V2 | _FROM_V3,
}
"""By dialect: the major versions of ai, or of the provider's specification."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A field that only some releases have; with ``test``, only if its value passes the test."""

    field: str
    releases: Releases
    test: Callable[[Any], bool] = lambda value: value is not None


def _one_of(*values: str) -> Callable[[Any], bool]:
    return lambda value: value in values


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return isinstance(value, int)


_REASONS = (
    Mark("finishReason", _TO_5, _one_of("unknown")),
    Mark("finishReason", _7, _one_of("interrupted")),
)


_OLD, _NEW = NAMES["v4"], NAMES["v6"]


def _named(type_: str, *fields: str) -> tuple[Mark, ...]:
    """Marks for fields that have other names in ai 4 than later; a mix is of no release."""
    old = {getattr(_OLD, field) for field in fields}
    new = [getattr(_NEW, field) for field in fields]
    in_4 = [name for name in names(*fields) if name in old and name not in new]
    return (
        *(Mark(name, _4) for name in in_4 if _4 <= parts.generations(type_)),
        *(Mark(name, _FROM_5) for name in new),
        *(Mark(name, _NONE) for name in names(*fields) if name not in old and name not in new),
    )


def _usage(name: str) -> tuple[Mark, ...]:
    return (
        Mark(f"{name}.{_OLD.input_tokens}", _4),
        Mark(f"{name}.{_OLD.output_tokens}", _4),
        Mark(f"{name}.{_NEW.input_tokens}", _FROM_5),
        Mark(f"{name}.{_NEW.output_tokens}", _FROM_5),
        Mark(f"{name}.inputTokenDetails", _FROM_6),
        Mark(f"{name}.outputTokenDetails", _FROM_6),
        Mark(f"{name}.reasoningTokens", _TO_6),
        Mark(f"{name}.cachedInputTokens", _TO_6),
    )


_ENCODED = (Mark("inputEncoding", _FROM_6), Mark("toolMetadata", _FROM_6), Mark("title", _FROM_6))

_MARKS: Mapping[str, Mapping[str, tuple[Mark, ...]]] = {
    FULLSTREAM: {
        "text-delta": _named("text-delta", "text_delta"),
        "text-end": (Mark("citations", _7),),
        "reasoning": (Mark(_OLD.reasoning_delta, _4), Mark(_NEW.reasoning_delta, _NONE)),
        "reasoning-delta": _named("reasoning-delta", "reasoning_delta"),
        "tool-input-start": _ENCODED,
        "tool-call": _named("tool-call", "input"),
        "tool-result": _named("tool-result", "input", "output"),
        "source": (Mark("source", _4), *_named("source", "source_id")),
        "file": (Mark(_OLD.media_type, _4), Mark("file", _FROM_5)),
        "abort": (Mark("reason", _FROM_6),),
        "finish-step": (
            *_REASONS,
            *_usage("usage"),
            Mark("rawFinishReason", _FROM_6),
            Mark("performance", _7),
        ),
        "step-finish": (*_REASONS, *_usage("usage")),
        "finish": (
            *_REASONS,
            *_named("finish", "usage"),
            *_usage(_OLD.usage),
            *_usage(_NEW.usage),
            Mark("rawFinishReason", _FROM_6),
        ),
    },
    UI: {
        "text-end": (Mark("citations", _7),),
        "tool-input-start": _ENCODED,
        "abort": (Mark("reason", _FROM_6),),
        "finish": _REASONS,
    },
    GATEWAY: {
        "text-end": (Mark("citations", _V4),),
        "tool-input-start": tuple(
            Mark(name, _FROM_V3) for name in ("dynamic", "title", "inputEncoding")
        ),
        "file": (Mark("data", _TO_V3, _is_text), Mark("data", _V4, _is_object)),
        "finish": (
            Mark("finishReason", _V2, _is_text),
            Mark("finishReason", _FROM_V3, _is_object),
            Mark("finishReason.unified", _V4, _one_of("interrupted")),
            *(
                mark
                for side in (NAMES[GATEWAY].input_tokens, NAMES[GATEWAY].output_tokens)
                for name in (f"{NAMES[GATEWAY].usage}.{side}",)
                for mark in (Mark(name, _V2, _is_count), Mark(name, _FROM_V3, _is_object))
            ),
        ),
    },
}

_TYPES: Mapping[str, Mapping[str, Releases]] = {
    UI: {
        "tool-approval-request": _FROM_6,
        "tool-output-denied": _FROM_6,
        "tool-approval-response": _7,
        "reasoning-file": _7,
        "custom": _7,
        "steering-message": _7,
        "reset-step": _7,
    },
    GATEWAY: {
        "tool-approval-request": _FROM_V3,
        "reasoning-file": _V4,
        "custom": _V4,
        "ping": _V4,
    },
}


@dataclass(frozen=True, slots=True)
class Sign:
    """The releases that a part can be from, by its type (``field`` is empty) or by a field.

    ``value`` is that of a field whose value differs between releases: a reason to finish.
    """

    releases: Releases
    field: str = ""
    value: Any = None


def signs(dialect: str, part: Part) -> list[Sign]:
    """The signs of a part's release: its type first, then its fields."""
    known = [Sign(_of_type(dialect, part.type))]
    marks = _MARKS[dialect].get(part.type, ())
    return known + [
        Sign(mark.releases, mark.field, value if mark.field.startswith("finishReason") else None)
        for mark in marks
        if mark.test(value := _at(part.data, mark.field))
    ]


def _of_type(dialect: str, type_: str) -> Releases:
    if dialect == FULLSTREAM:
        return parts.generations(type_) & RELEASES[dialect]
    return _TYPES[dialect].get(type_, RELEASES[dialect])


def _at(data: Any, field: str) -> Any:
    for name in field.split("."):
        data = mapping(data).get(name)
    return data
