"""Choices on which good adapters differ while the upstream is legal; the default stands first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self


@dataclass(frozen=True, slots=True)
class Traits:
    """The traits that ``adapter.yaml`` declares."""

    call_id_prefix: str = ""
    reasoning: Literal["thinking", "text", "hidden"] = "thinking"
    refusal: Literal["text", "error", "hidden"] = "text"
    annotations: Literal["link", "data", "hidden"] = "link"
    errors: Literal["reject", "part", "text"] = "reject"
    emit_call_at: Literal["complete", "end"] = "complete"

    @classmethod
    def declared(cls, values: Mapping[str, Any]) -> Self:
        """Traits from an adapter's description, which its schema has checked."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})
