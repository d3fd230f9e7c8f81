"""The reference adapter with another way to play its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway
from tests.suite.misbehaving import Emit, Json

Run = Callable[[Any, Json, Emit, asyncio.Event], Any]


class RunBy:
    """The reference adapter, whose runs are played by ``how``."""

    def __init__(self, how: Run) -> None:
        self.inner = gateway()
        self.how = how

    def hello(self) -> Json:
        return dict(self.inner.hello())

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        end: Json = await self.how(self.inner, run, emit, cancel)
        return end
