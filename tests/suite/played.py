"""The reference adapter, spoilt in how it plays its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from conformance.dialects.openresponses.reference.vscode import gateway
from tests.suite.misbehaving import Emit, Json

Playing = Callable[[Any, Json, Emit, asyncio.Event], Any]


class Spoilt:
    """The reference adapter, but for how it is run."""

    def __init__(self, how: Playing) -> None:
        self.inner = gateway()
        self.how = how

    def hello(self) -> Json:
        return dict(self.inner.hello())

    async def run(self, run: Json, emit: Emit, cancel: asyncio.Event) -> Json:
        end: Json = await self.how(self.inner, run, emit, cancel)
        return end
