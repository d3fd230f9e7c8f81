"""LangChain's ChatOpenAI over the Responses API: message chunks in, vocabulary `stream` out.

Text, refusals, reasoning and citations are the content blocks of each chunk. Calls are those that
an agent executes: ``tool_calls`` of the sum of all chunks, whatever the response's status.
``invalid_tool_calls``, whose arguments the library cannot parse, are emitted with that text if they
have a name and an id. The metadata says if a response is incomplete. The timeout between chunks is
off: with it, on Python 3.11, a cancellation that comes together with a chunk is lost
(``asyncio.wait_for``).
"""

import openai
from calls import emit_calls, reason_of
from conversation import chat
from failures import failed
from langchain_core.messages.ai import add_ai_message_chunks
from langchain_openai import ChatOpenAI

LIBRARY = "langchain-openai"
DIALECTS = ["openresponses"]

# bind_tools() takes these for functions, and raises.
UNKNOWN = ("shell", "local_shell", "programmatic_tool_calling")
FINISH = {"max_output_tokens": "length", "content_filter": "content-filter"}


async def run(run, emit):
    settings = {name: value for name, value in run["options"].items() if name != "max_retries"}
    model = ChatOpenAI(
        model=run["model"],
        base_url=run["base_url"],
        api_key=run["api_key"],
        max_retries=run["options"]["max_retries"],
        use_responses_api=True,
        stream_chunk_timeout=None,
        streaming=True,
        **settings,
    )
    tools = [tool(t) for t in run["tools"] if t.get("type") not in UNKNOWN]
    model = model.bind_tools(tools) if tools else model
    chunks = []
    try:
        async for chunk in model.astream(chat(run)["messages"]):
            chunks.append(chunk)
            for block in blocks(chunk):
                emit_block(block, emit)
    except (openai.APIError, ValueError) as error:
        return failed(*reason_of(error))
    return ended(chunks, emit)


def tool(t):
    """A tool of the request: a function, a custom tool, or one that the upstream runs."""
    match t.get("type", "function"):
        case "function":
            return {"type": "function", "function": {k: t[v] for k, v in TOOL.items()}}
        case "custom":
            known = {"name": t["name"], "description": t["description"]}
            return {"type": "custom", **known, **t.get("options", {})}
        case hosted:
            return {"type": hosted, **t["options"]}


TOOL = {"name": "name", "description": "description", "parameters": "input_schema"}


def blocks(chunk):
    """The content blocks of a chunk; plain text becomes a block."""
    content = chunk.content
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def emit_block(block, emit):
    match block["type"]:
        case "text" if block.get("text"):
            emit({"type": "text-delta", "id": "text", "delta": block["text"]})
        case "refusal":
            emit({"type": "text-delta", "id": "refusal", "delta": block["refusal"]})
        case "reasoning":
            pieces = [*block.get("summary", ()), *block.get("content", ())]
            for text in [piece["text"] for piece in pieces if piece.get("text")]:
                emit({"type": "reasoning-delta", "id": "reasoning", "delta": text})
    for citation in block.get("annotations", ()):
        emit(source(citation))


def source(citation):
    if "url" in citation:
        known = {name: citation[name] for name in ("url", "title") if name in citation}
        return {"type": "source", "sourceType": "url", "id": citation["url"], **known}
    ids = {"fileId": citation.get("file_id"), "containerId": citation.get("container_id")}
    known = {name: id_ for name, id_ in ids.items() if id_}
    named = {"title": citation.get("filename", ""), "filename": citation.get("filename", "")}
    metadata = {"providerMetadata": {"openai": known}}
    kind = {"sourceType": "document", "mediaType": "application/octet-stream"}
    return {"type": "source", **kind, "id": "s", **named, **metadata}


def ended(chunks, emit):
    """Emit the calls of the sum of all chunks, and return the ending."""
    if not chunks:
        return {"outcome": "completed"}
    whole = add_ai_message_chunks(*chunks)
    emit_calls(whole, emit)
    details = whole.response_metadata.get("incomplete_details") or {}
    finish = FINISH.get(details.get("reason"), "other") if details else None
    tokens = whole.usage_metadata
    usage = {"input": tokens["input_tokens"], "output": tokens["output_tokens"]} if tokens else None
    done = {"outcome": "completed", "finish": finish, "usage": usage}
    return {name: value for name, value in done.items() if value is not None}
