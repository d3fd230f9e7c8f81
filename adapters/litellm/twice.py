"""Asks LiteLLM's acompletion over the Responses API, as a stream and in one piece."""

import os
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # nothing is fetched

import litellm
from conversation import chat

MODEL = "openai/responses/gpt-4o"  # a known model: others are not streamed
litellm.suppress_debug_info = True


async def stream(run: dict[str, Any], model: str = MODEL) -> Any:
    usage = {"include_usage": True}
    asked = await litellm.acompletion(**request(run, model), stream=True, stream_options=usage)
    return result(litellm.stream_chunk_builder([chunk async for chunk in asked]))


async def plain(run: dict[str, Any], model: str = MODEL) -> Any:
    return result(await litellm.acompletion(**request(run, model)))


def request(run: dict[str, Any], model: str) -> dict[str, Any]:
    upstream = {"model": model, "api_base": run["base_url"], "api_key": "none", "max_retries": 0}
    return {**upstream, **chat(run)}


def result(answer: Any) -> Any:
    """The choices and the usage; ids and times are made anew for each answer."""
    known = answer.model_dump(mode="json", exclude_none=True) if answer else {}
    return {name: known.get(name) for name in ("choices", "usage")}
