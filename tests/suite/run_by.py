"""The reference adapter with its ``run`` replaced by a function."""

import asyncio
from collections.abc import Callable
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway
from tests.suite.misbehaving import Emit, Json

Run = Callable[[Any, Json, Emit, asyncio.Event], Any]


class RunBy:
    """The reference adapter with ``how`` in place of its ``run``; ``how`` gets the adapter too."""

    def __init__(self, how: Run) -> None:
        self.inner = gateway()
        self.how = how

    def hello(self) -> Json:
        return dict(self.inner.hello())

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        end: Json = await self.how(self.inner, run, emit, cancel)
        return end
