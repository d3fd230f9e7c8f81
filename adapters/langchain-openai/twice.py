"""Asks LangChain's ChatOpenAI over the Responses API by ``astream``, summed, and by ``ainvoke``."""

from typing import Any

from conversation import chat
from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import Runnable
from langchain_openai import ChatOpenAI
from pydantic_core import to_jsonable_python

UNKNOWN = ("shell", "local_shell", "programmatic_tool_calling")


def model(run: dict[str, Any], **settings: Any) -> Runnable[Any, Any]:
    asked = {"use_responses_api": True, **settings}
    made = ChatOpenAI(
        model="mock", base_url=run["base_url"], api_key="none", max_retries=0, **asked
    )
    tools = [tool(each) for each in run["tools"] if each.get("type") not in UNKNOWN]
    return made.bind_tools(tools) if tools else made


def tool(offered: dict[str, Any]) -> dict[str, Any]:
    kind = offered.get("type", "function")
    if kind in ("function", "custom"):
        known = {"type": kind, "name": offered["name"], "description": offered["description"]}
        return {**known, **({"parameters": offered["input_schema"]} if kind == "function" else {})}
    return {"type": kind, **offered["options"]}


async def stream(run: dict[str, Any], **settings: Any) -> Any:
    whole: AIMessageChunk | None = None
    async for chunk in model(run, **settings).astream(chat(run)["messages"]):
        whole = chunk if whole is None else whole + chunk
    return result(whole)


async def plain(run: dict[str, Any], **settings: Any) -> Any:
    return result(await model(run, **settings).ainvoke(chat(run)["messages"]))


def result(message: Any) -> Any:
    """The message's fields, and its content in the blocks that all providers share."""
    names = ("content", "content_blocks", "tool_calls", "invalid_tool_calls", "usage_metadata")
    more = ("additional_kwargs", "response_metadata")
    known = {name: getattr(message, name) for name in names + more}
    known["response_metadata"].pop("created_at", None)
    return to_jsonable_python(known)
