"""The fields of the AI SDK's parts, as far as they were recorded.

Which fields a part has depends on its type, on who runs a tool, and on whether a call is invalid. A
field is named by its path, such as ``usage.inputTokens``; values that a model, a tool or a provider
makes up are not looked into.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.dialects.ai_sdk.recording import Json

_FREE = frozenset(
    (
        *("input", "args", "output", "result", "error"),
        *("providerMetadata", "rawValue", "messageMetadata", "toolExecutionMs"),
    )
)

Kind = tuple[str, bool, bool]
"""The type of a part, whether the provider runs its tool, and whether it is an invalid call."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that every recorded part of a kind has, and those that some have."""

    required: frozenset[str]
    known: frozenset[str]


def kind_of(part: Json) -> Kind:
    return part["type"], bool(part.get("providerExecuted")), bool(part.get("invalid"))


def paths(part: Json, prefix: str = "") -> Iterator[str]:
    """The paths of all fields of a part."""
    for name, value in part.items():
        yield prefix + name
        if isinstance(value, dict) and name not in _FREE:
            yield from paths(value, f"{prefix}{name}.")


def fields_by_kind(parts: Iterable[Json]) -> dict[Kind, Fields]:
    found: dict[Kind, list[frozenset[str]]] = {}
    for part in parts:
        found.setdefault(kind_of(part), []).append(frozenset(paths(part)))
    return {
        kind: Fields(frozenset.intersection(*sets), frozenset.union(*sets))
        for kind, sets in found.items()
    }
