"""The reference adapter with its ``run`` replaced by a function."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conformance.contract.adapter import Claims, Description
from conformance.contract.traits import Traits
from conformance.dialects.openresponses.reference.vscode import gateway
from mockserver.cases.case import Case
from mockserver.cases.load import load
from tests.suite.misbehaving import Emit, Json

Run = Callable[[Any, Json, Emit, asyncio.Event], Any]


DESCRIBED = Description(
    "mine",
    {},
    ("openresponses",),
    "vscode",
    Path("mine"),
    Traits(call_id_prefix="gw-"),
    Claims(cancel=True),
)


def case_of(text: str) -> Case:
    """The case of the scenario in this file."""
    return Case(load(text.encode(), "own/played.yaml", "own/played"), "openresponses")


class RunBy:
    """The reference adapter of the gateway, whose runs ``how(adapter, …)`` plays instead."""

    def __init__(self, how: Run) -> None:
        self.inner = gateway()
        self.how = how

    def hello(self) -> Json:
        return dict(self.inner.hello())

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        end: Json = await self.how(self.inner, run, emit, cancel)
        return end
