"""Asks Pydantic AI's agent over chat completions by ``run_stream`` and by ``run``."""

from typing import Any

import twice
from pydantic_ai.models.openai import OpenAIChatModel


async def stream(run: dict[str, Any]) -> Any:
    return await twice.stream(run, OpenAIChatModel)


async def plain(run: dict[str, Any]) -> Any:
    return await twice.plain(run, OpenAIChatModel)
