"""What only the upstream can read of the reasoning that it has streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.dialects.json_fields import listed, mapping, text
from mockserver.dialects.vercel.parts import KNOWN
from mockserver.dialects.vercel.requests.messages import thought

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.contract.transcript import SentEvent

# Of a finished item, told whole and told again; and of a stream of chunks, where it grows.
_WHOLE, _GROWING = "encrypted_content", "reasoning_opaque"


def opaque(dialect: str, sent: Sequence[SentEvent]) -> list[str]:
    """The opaque reasoning that the answer of one turn carried, in order."""
    found = _of_blocks(sent) if dialect in KNOWN else _anywhere(sent)
    return list(dict.fromkeys(filter(None, found)))


def _anywhere(sent: Sequence[SentEvent]) -> Iterator[str]:
    fields = [field for event in sent for field in _fields(event.data)]
    yield from (value for name, value in fields if name == _WHOLE)
    yield "".join(value for name, value in fields if name == _GROWING)


def _fields(value: Any) -> Iterator[tuple[str, str]]:
    """Every field of text in a JSON value, at any depth."""
    for name, inner in mapping(value).items():
        yield from [(name, inner)] if isinstance(inner, str) else _fields(inner)
    for inner in listed(value):
        yield from _fields(inner)


def _of_blocks(sent: Sequence[SentEvent]) -> Iterator[str]:
    """What the AI SDK has beside its blocks: each part of one may seal it anew, the last counts.

    A call's input and what a provider's tool gave may have fields of any name, so it is looked for
    nowhere else.
    """
    seals: dict[str, str] = {}
    for event in sent:
        part = mapping(event.data)
        if event.type in _BLOCK:
            id_ = text(part.get("id"))
            seals[id_] = thought(part, "providerMetadata").opaque or seals.get(id_, "")
        if event.type == "reasoning-end":
            yield seals.pop(text(part.get("id")))
    yield from seals.values()


_BLOCK = frozenset({"reasoning-start", "reasoning-delta", "reasoning-end"})
