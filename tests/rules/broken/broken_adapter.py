"""A broken adapter as a table entry, and the base classes that broken adapters change."""

import asyncio
import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.contract.adapter import Claims
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference import vscode as reference
from conformance.dialects.openresponses.reference.vscode import ResponsesToVscode
from conformance.drivers.python import Adapter, Emit

PREFIX = "gw-"
DECLARED = Traits(call_id_prefix=PREFIX)
CITES_AS_DATA = Traits(call_id_prefix=PREFIX, annotations="data")

Data = dict[str, Any]
Part = dict[str, Any]


def adapter(machine: type[ResponsesToVscode] = ResponsesToVscode, **traits: str) -> Any:
    """The reference adapter with another state machine, or other traits than its description's."""
    return reference.Adapter({"call_id_prefix": PREFIX, **traits}, machine)


class Wrapped:
    """The reference adapter, with its parts and its `done` passed through `part` and `done`."""

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


class ChangedEvents(ResponsesToVscode):
    """A state machine that reads a copy of each event, which `change` has edited."""

    def event(self, data: Mapping[str, Any]) -> list[Part]:
        changed = copy.deepcopy(dict(data))
        self.change(changed)
        return super().event(changed)

    def change(self, data: Data) -> None:
        raise NotImplementedError


def items_of(data: Data) -> list[Data]:
    """The output items of an event: its own, and those of its response."""
    response = data.get("response") or {}
    return [item for item in [data.get("item"), *(response.get("output") or [])] if item]


@dataclass(frozen=True)
class BrokenAdapter:
    """A broken adapter: the rule that it breaks, how to make it, and what its description says."""

    rule: str
    make: Callable[[], Adapter]
    name: str
    traits: Traits = field(default=DECLARED)
    claims: Claims = field(default=Claims(cancel=True))
    # It has an HTTP client of its own, and so needs a socket.
    connects: bool = False
    # Other rules that the same defect breaks in some scenarios.
    also: frozenset[str] = frozenset()
    dialect: str = "openresponses"
    vocabulary: str = "vscode"
    # The scenario that convicts it, if no other one of the catalogue does.
    only: str = ""


def machined(rule: str, machine: type[ResponsesToVscode], *also: str) -> BrokenAdapter:
    """The reference adapter with a broken state machine."""
    return BrokenAdapter(rule, lambda: adapter(machine), machine.__name__, also=frozenset(also))


def wrapped(rule: str, make: type[Wrapped], traits: Traits = DECLARED) -> BrokenAdapter:
    """A broken wrapper around the reference adapter."""
    return BrokenAdapter(rule, make, make.__name__, traits)
