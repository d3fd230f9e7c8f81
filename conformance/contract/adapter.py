"""``adapter.yaml``: who the adapter is, how it is driven, and what it claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.contract.traits import Traits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Claims:
    """What the adapter says it can do beyond a single run.

    ``tools`` are the types of tools that it can offer beside functions, ``generations`` those of
    the AI SDK whose ``fullStream`` it reads; None where it does not say.
    """

    live: bool = False
    cancel: bool = False
    turns: bool = False
    count: bool = False
    concurrency: int = 1
    tools: tuple[str, ...] | None = None
    generations: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """An adapter as its ``adapter.yaml`` describes it."""

    name: str
    drive: Mapping[str, Any]
    dialects: tuple[str, ...]
    vocabulary: str
    path: Path
    traits: Traits = field(default_factory=Traits)
    claims: Claims = field(default_factory=Claims)
    known_failures: Path | None = None
    about: str = ""
    # What a server speaks to its clients.
    serves: str = ""
    # Dialects that its file calls by another name: their own names with that name.
    declared: Mapping[str, str] = field(default_factory=dict)

    def spelling(self, dialect: str) -> str:
        """The name under which the adapter declares a dialect, and is asked to play it."""
        return self.declared.get(dialect, dialect)
