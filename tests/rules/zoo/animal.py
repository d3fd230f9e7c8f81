"""What broken adapters are made of, and how the zoo keeps them."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.dialects.openresponses.reference.machine import ResponsesToVscode
from conformance.drivers.python import Adapter, Emit

PREFIX = "gw-"
DECLARED = Traits(call_id_prefix=PREFIX)
CITES_AS_DATA = Traits(call_id_prefix=PREFIX, annotations="data")

Data = dict[str, Any]
Part = dict[str, Any]


def adapter(machine: type[ResponsesToVscode] = ResponsesToVscode, **traits: str) -> Any:
    """The reference adapter with another machine, or with traits that it does not declare."""
    return reference.Adapter({"call_id_prefix": PREFIX, **traits}, machine)


class Wrapped:
    """An adapter around the reference adapter, to be spoilt at its edges."""

    def __init__(self) -> None:
        self.inner = adapter()

    def hello(self) -> Data:
        hello: Data = self.inner.hello()
        return hello

    async def run(self, run: Data, emit: Emit, cancel: asyncio.Event) -> Data:
        done: Data = await self.inner.run(run, lambda part: self.part(part, emit), cancel)
        return self.done(done, emit)

    def part(self, part: Part, emit: Emit) -> None:
        emit(part)

    def done(self, done: Data, emit: Emit) -> Data:
        return done


class Heard(ResponsesToVscode):
    """A machine that hears events otherwise than they were said."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        heard = copy.deepcopy(dict(data))
        self.mishear(heard)
        return super().event(heard)

    def mishear(self, data: Data) -> None:
        raise NotImplementedError


def items_of(data: Data) -> list[Data]:
    response = data.get("response") or {}
    return [item for item in [data.get("item"), *(response.get("output") or [])] if item]


@dataclass(frozen=True)
class Animal:
    """A broken adapter, the one rule that it breaks, and the traits that it declares."""

    rule: str
    make: Callable[[], Adapter]
    name: str
    traits: Traits = field(default=DECLARED)
    claims: Claims = field(default=Claims(cancel=True))
    # One that brings a client of its own needs a connection.
    connects: bool = False
    # What the same defect breaks where a scenario shows more of it.
    also: frozenset[str] = frozenset()
    dialect: str = "openresponses"
    vocabulary: str = "vscode"


def machined(rule: str, machine: type[ResponsesToVscode], *also: str) -> Animal:
    return Animal(rule, lambda: adapter(machine), machine.__name__, also=frozenset(also))


def wrapped(rule: str, edges: type[Wrapped], traits: Traits = DECLARED) -> Animal:
    return Animal(rule, edges, edges.__name__, traits)
