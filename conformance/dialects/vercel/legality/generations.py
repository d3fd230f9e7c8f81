"""The rule that one release of the AI SDK can have streamed an answer.

The type of a part, and fields whose names or values differ between releases, narrow down the
release. An answer is from one release, so there must be one that can have streamed all its parts.
Unknown fields are ignored.

Source: ai 4 to 7 (TextStreamPart, UIMessageChunk), @ai-sdk/provider (LanguageModelV2StreamPart to
V4); what stream-mapping lists is a blend that no release has streamed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.dialects.vercel.stream import Part, Parts
from conformance.dialects.wire import event_topics
from conformance.findings.finding import Defect, Kind, rule, topics
from mockserver.dialects.vercel import parts
from mockserver.dialects.vercel.field_names import NAMES, names
from mockserver.dialects.vercel.parts import FULLSTREAM, GATEWAY, UI
from mockserver.foundation.json_fields import mapping

_Releases = frozenset[str]

_NONE: _Releases = frozenset()
_4, _5, _7 = (frozenset({f"v{n}"}) for n in (4, 5, 7))
_TO_5 = _4 | _5
_TO_6 = frozenset({"v5", "v6"})
_FROM_5 = frozenset({"v5", "v6", "v7"})
_FROM_6 = frozenset({"v6", "v7"})

_V2, _V4 = frozenset({"V2"}), frozenset({"V4"})
_FROM_V3 = frozenset({"V3", "V4"})
_TO_V3 = frozenset({"V2", "V3"})

_RELEASES: Mapping[str, _Releases] = {
    FULLSTREAM: _4 | _FROM_5,
    UI: _FROM_5,
    GATEWAY: _V2 | _FROM_V3,
}
"""By dialect: the major versions of ai, or of the provider's specification."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """A field that only some releases have; with ``test``, only if its value passes the test."""

    field: str
    releases: _Releases
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
    _Mark("finishReason", _TO_5, _one_of("unknown")),
    _Mark("finishReason", _7, _one_of("interrupted")),
)


_OLD, _NEW = NAMES["v4"], NAMES["v6"]


def _named(type_: str, *fields: str) -> tuple[_Mark, ...]:
    """Marks for fields that have other names in ai 4 than later; a mix is of no release."""
    old = {getattr(_OLD, field) for field in fields}
    new = [getattr(_NEW, field) for field in fields]
    in_4 = [name for name in names(*fields) if name in old and name not in new]
    return (
        *(_Mark(name, _4) for name in in_4 if _4 <= parts.generations(type_)),
        *(_Mark(name, _FROM_5) for name in new),
        *(_Mark(name, _NONE) for name in names(*fields) if name not in old and name not in new),
    )


def _usage(name: str) -> tuple[_Mark, ...]:
    return (
        _Mark(f"{name}.{_OLD.input_tokens}", _4),
        _Mark(f"{name}.{_OLD.output_tokens}", _4),
        _Mark(f"{name}.{_NEW.input_tokens}", _FROM_5),
        _Mark(f"{name}.{_NEW.output_tokens}", _FROM_5),
        _Mark(f"{name}.inputTokenDetails", _FROM_6),
        _Mark(f"{name}.outputTokenDetails", _FROM_6),
        _Mark(f"{name}.reasoningTokens", _TO_6),
        _Mark(f"{name}.cachedInputTokens", _TO_6),
    )


_ENCODED = (
    _Mark("inputEncoding", _FROM_6),
    _Mark("toolMetadata", _FROM_6),
    _Mark("title", _FROM_6),
)

_MARKS: Mapping[str, Mapping[str, tuple[_Mark, ...]]] = {
    FULLSTREAM: {
        "text-delta": _named("text-delta", "text_delta"),
        "text-end": (_Mark("citations", _7),),
        "reasoning": (_Mark(_OLD.reasoning_delta, _4), _Mark(_NEW.reasoning_delta, _NONE)),
        "reasoning-delta": _named("reasoning-delta", "reasoning_delta"),
        "tool-input-start": _ENCODED,
        "tool-call": _named("tool-call", "input"),
        "tool-result": _named("tool-result", "input", "output"),
        "source": (_Mark("source", _4), *_named("source", "source_id")),
        "file": (_Mark(_OLD.media_type, _4), _Mark("file", _FROM_5)),
        "abort": (_Mark("reason", _FROM_6),),
        "finish-step": (
            *_REASONS,
            *_usage("usage"),
            _Mark("rawFinishReason", _FROM_6),
            _Mark("performance", _7),
        ),
        "step-finish": (*_REASONS, *_usage("usage")),
        "finish": (
            *_REASONS,
            *_named("finish", "usage"),
            *_usage(_OLD.usage),
            *_usage(_NEW.usage),
            _Mark("rawFinishReason", _FROM_6),
        ),
    },
    UI: {
        "text-end": (_Mark("citations", _7),),
        "tool-input-start": _ENCODED,
        "abort": (_Mark("reason", _FROM_6),),
        "finish": _REASONS,
    },
    GATEWAY: {
        "text-end": (_Mark("citations", _V4),),
        "tool-input-start": tuple(
            _Mark(name, _FROM_V3) for name in ("dynamic", "title", "inputEncoding")
        ),
        "file": (_Mark("data", _TO_V3, _is_text), _Mark("data", _V4, _is_object)),
        "finish": (
            _Mark("finishReason", _V2, _is_text),
            _Mark("finishReason", _FROM_V3, _is_object),
            _Mark("finishReason.unified", _V4, _one_of("interrupted")),
            *(
                mark
                for side in (NAMES[GATEWAY].input_tokens, NAMES[GATEWAY].output_tokens)
                for name in (f"{NAMES[GATEWAY].usage}.{side}",)
                for mark in (_Mark(name, _V2, _is_count), _Mark(name, _FROM_V3, _is_object))
            ),
        ),
    },
}

_TYPES: Mapping[str, Mapping[str, _Releases]] = {
    UI: {
        "tool-approval-request": _FROM_6,
        "tool-output-denied": _FROM_6,
        "tool-approval-response": _7,
        "reasoning-file": _7,
        "custom": _7,
        "steering-message": _7,
        "reset-step": _7,
    },
    GATEWAY: {"tool-approval-request": _FROM_V3, "reasoning-file": _V4, "custom": _V4, "ping": _V4},
}


@dataclass(frozen=True, slots=True)
class _Sign:
    """The releases that a part can be from, by its type (``field`` is empty) or by a field.

    ``value`` is that of a field whose value differs between releases: a reason to finish.
    """

    releases: _Releases
    field: str = ""
    value: Any = None


def _signs(dialect: str, part: Part) -> list[_Sign]:
    """The signs of a part's release: its type first, then its fields."""
    known = [_Sign(_of_type(dialect, part.type))]
    marks = _MARKS[dialect].get(part.type, ())
    return known + [
        _Sign(mark.releases, mark.field, value if mark.field.startswith("finishReason") else None)
        for mark in marks
        if mark.test(value := _at(part.data, mark.field))
    ]


def _of_type(dialect: str, type_: str) -> _Releases:
    if dialect == FULLSTREAM:
        return parts.generations(type_) & _RELEASES[dialect]
    return _TYPES[dialect].get(type_, _RELEASES[dialect])


def _at(data: Any, field: str) -> Any:
    for name in field.split("."):
        data = mapping(data).get(name)
    return data


class Blend(Kind):
    """A part, or a field of it, is of another release of the SDK than the parts before it.

    ``others`` are the releases of the other parts; empty if they can be of any.
    """

    type: str
    field: str
    value: Any
    releases: tuple[str, ...]
    others: tuple[str, ...]
    more: int

    message = (
        "{type} [[has {field}|is a part]][[ {value!r}]] [[of {releases:or}|as no release has it]]"
        "[[, and the rest is of {others:or}]][[ (and {more} more)]]"
    )
    right = "parts that one release of the SDK streams, and no blend of several"
    same_by = ("type", "field", "value")


@rule(
    holds="all parts can be of one release: types, names of fields, usage, reasons to finish",
    source="ai; @ai-sdk/provider",
    kinds=(Blend,),
)
def one_generation(stream: Parts) -> Iterator[Defect]:
    left = _RELEASES[stream.dialect]
    foreign: list[tuple[Part, _Sign, _Releases]] = []
    for part in [*stream.parts, *stream.late]:
        before = left
        for sign in _signs(stream.dialect, part):
            if left & sign.releases:
                left &= sign.releases
            else:
                foreign.append((part, sign, left))
                left = before
                break
    if foreign:
        yield _blend(stream, foreign)


def _blend(stream: Parts, foreign: list[tuple[Part, _Sign, _Releases]]) -> Defect:
    part, sign, left = foreign[0]
    others = () if left == _RELEASES[stream.dialect] else tuple(sorted(left))
    own = tuple(sorted(sign.releases))
    kind = Blend(part.type, sign.field, sign.value, own, others, len(foreign) - 1)
    about = topics("generation") | event_topics([one for one, _, _ in foreign])
    return Defect(kind, about, part.n, needs=event_topics([part]))
