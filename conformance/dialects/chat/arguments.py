"""The arguments of the calls in chunks, by the index of their fragments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.dialects.chat import chunks
from mockserver.dialects.json_fields import mapping, text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.dialects.entry import OnTheWire


def arguments(sent: Sequence[OnTheWire]) -> Mapping[str, str]:
    """The arguments of each call in these events, as far as they were sent, by the call's id."""
    ids: dict[tuple[int, object], str] = {}
    pieces: dict[str, list[str]] = {}
    for choice in (choice for event in sent for choice in chunks.choices(event.data)):
        for fragment in chunks.calls(mapping(choice.get("delta"))):
            key = (chunks.index(choice), fragment.get("index"))
            id_ = ids[key] = text(fragment.get("id")) or ids.get(key, "")
            piece = text(mapping(fragment.get("function")).get("arguments"))
            pieces.setdefault(id_, []).append(piece)
    return {id_: "".join(each) for id_, each in pieces.items()}
