"""Which releases of the AI SDK can have streamed a part.

Each part says something of its origin by its type, and by fields that have other names or other
values elsewhere. An answer is of one release, so one must be left that can have streamed all parts.
Fields that nobody knows say nothing.

Source: ai 4 to 7 (TextStreamPart, UIMessageChunk), @ai-sdk/provider (LanguageModelV2StreamPart to
V4); what stream-mapping lists is a blend that no release has streamed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.dialects.vercel.stream import Part
from mockserver.dialects.json_fields import mapping
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI

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
    """A field by which some releases are known; where a test is given, by its value."""

    field: str
    releases: Releases
    test: Callable[[Any], bool] = lambda value: value is not None


def _is(*values: str) -> Callable[[Any], bool]:
    return lambda value: value in values


def _object(value: Any) -> bool:
    return isinstance(value, dict)


def _word(value: Any) -> bool:
    return isinstance(value, str)


def _count(value: Any) -> bool:
    return isinstance(value, int)


_REASONS = (
    Mark("finishReason", _TO_5, _is("unknown")),
    Mark("finishReason", _7, _is("interrupted")),
)


_OLD, _NEW = NAMES["v4"], NAMES["v6"]


def _named(type_: str, *fields: str) -> tuple[Mark, ...]:
    """The names of fields in parts of this type: of ai 4, of later ones, and of no release."""
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
        "file": (Mark("data", _TO_V3, _word), Mark("data", _V4, _object)),
        "finish": (
            Mark("finishReason", _V2, _word),
            Mark("finishReason", _FROM_V3, _object),
            Mark("finishReason.unified", _V4, _is("interrupted")),
            *(
                mark
                for side in (NAMES[GATEWAY].input_tokens, NAMES[GATEWAY].output_tokens)
                for name in (f"{NAMES[GATEWAY].usage}.{side}",)
                for mark in (Mark(name, _V2, _count), Mark(name, _FROM_V3, _object))
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
    """What says which releases a part can be of: its type, or a field."""

    what: str
    releases: Releases


def signs(dialect: str, part: Part) -> list[Sign]:
    """All that a part says of its origin, its type first."""
    known = [Sign("", _of_type(dialect, part.type))]
    marks = _MARKS[dialect].get(part.type, ())
    return known + [
        Sign(_told(mark, value), mark.releases)
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


def _told(mark: Mark, value: Any) -> str:
    """The field as a finding names it; with its value where that is what tells."""
    return f"{mark.field} {value!r}" if mark.field.startswith("finishReason") else mark.field
