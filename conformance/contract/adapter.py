"""The description of an adapter, read from its ``adapter.yaml``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.contract.traits import Traits

MODEL = "{model}"
"""Stands for the model of a run in ``model``."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The capabilities that an adapter claims beyond a single run; others are not tested.

    ``tools`` are the tool types that it can offer besides functions, ``options`` the fields of a
    request that a host can set, ``generations`` the AI SDK generations whose ``fullStream`` it
    reads. Each is None if the file does not name it.
    ``finish`` and ``usage`` are whether each completed run reports the reason to finish, and the
    tokens that the upstream counted, ``limits`` whether each count reports the model's limits.
    ``encrypted`` is whether encrypted reasoning goes through its host back upstream.
    ``concurrency`` is the number of runs that it can take at the same time. ``approvals`` is
    whether its host can approve and refuse calls of tools that the upstream runs.
    """

    live: bool = False
    cancel: bool = False
    turns: bool = False
    finish: bool = False
    usage: bool = False
    encrypted: bool = False
    count: bool = False
    limits: bool = False
    approvals: bool = False
    concurrency: int = 1
    tools: tuple[str, ...] | None = None
    options: tuple[str, ...] | None = None
    generations: tuple[str, ...] | None = None


CLAIMS_NOTHING = Claims()
REPORTS = ("finish", "usage", "encrypted")
"""The claims about what each completed run reports to its host."""


@dataclass(frozen=True, slots=True)
class Description:
    """An adapter as its ``adapter.yaml`` describes it.

    ``drive`` says how to start the adapter, ``vocabulary`` names the part types that it emits,
    ``known_failures`` is the path of the list of its known failures, ``program`` that of the
    program which shows its findings, and ``serves`` is the dialect that a server speaks to its
    clients; ``starts_once`` says that it is started once for all runs.
    Of a server that runs already, ``mock`` is the address of its upstream, ``key_variable`` names
    the environment variable with the key of its clients, and ``model`` is what they ask for: with
    the model of the run for ``{model}``, or always the same. ``upstream`` names
    variations with which the only upstream that the adapter is made for always streams.
    """

    name: str
    drive: Mapping[str, Any]
    dialects: tuple[str, ...]
    vocabulary: str
    path: Path
    traits: Traits = field(default_factory=Traits)
    claims: Claims = field(default_factory=Claims)
    known_failures: Path | None = None
    program: Path | None = None
    about: str = ""
    serves: str = ""
    starts_once: bool = False
    mock: str = ""
    key_variable: str = ""
    model: str = MODEL
    upstream: tuple[str, ...] = ()

    @property
    def is_server(self) -> bool:
        """Whether it is a server itself, of which a client of the kit's own asks each run."""
        return not self.drive.keys().isdisjoint(("serve", "running"))

    @property
    def names_runs(self) -> bool:
        """Whether the requests to the upstream say of which run they are."""
        return MODEL in self.model

    def companion(self, name: str, suffix: str) -> Path:
        """The path of a file beside the description that belongs to it alone.

        It is called ``name`` for ``adapter.yaml``, and ``name-STEM`` for ``STEM.yaml``.
        """
        stem = self.path.stem
        own = name if stem == "adapter" else f"{name}-{stem}"
        return self.path.with_name(f"{own}{suffix}")
