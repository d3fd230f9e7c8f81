"""Asks the Agents SDK over chat completions by ``Runner.run_streamed`` and by ``Runner.run``."""

from typing import Any

import twice
from agents import OpenAIChatCompletionsModel


async def stream(run: dict[str, Any]) -> Any:
    return await twice.stream(run, OpenAIChatCompletionsModel)


async def plain(run: dict[str, Any]) -> Any:
    return await twice.plain(run, OpenAIChatCompletionsModel)
