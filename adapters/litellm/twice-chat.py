"""Asks LiteLLM's acompletion over chat completions, as a stream and in one piece."""

from typing import Any

import twice


async def stream(run: dict[str, Any]) -> Any:
    return await twice.stream(run, "openai/mock")


async def plain(run: dict[str, Any]) -> Any:
    return await twice.plain(run, "openai/mock")
