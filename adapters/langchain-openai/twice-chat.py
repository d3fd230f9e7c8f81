"""Asks LangChain's ChatOpenAI over chat completions by ``astream``, summed, and by ``ainvoke``."""

from typing import Any

import twice


async def stream(run: dict[str, Any]) -> Any:
    return await twice.stream(functions(run), use_responses_api=False, stream_usage=True)


async def plain(run: dict[str, Any]) -> Any:
    return await twice.plain(functions(run), use_responses_api=False)


def functions(run: dict[str, Any]) -> dict[str, Any]:
    return {**run, "tools": [each for each in run["tools"] if "input_schema" in each]}
