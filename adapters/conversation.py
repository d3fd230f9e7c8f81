"""Converts the messages and tools of a drive/1 run to requests of the APIs.

In a run, an assistant's message is the parts that the binding emitted, in the vocabulary `vscode`
or `stream`. Its text goes back as one text and its calls with the upstream's ids; other parts do
not go back. A part that has an `item` of the Responses API goes back to it as that item.
"""

import json


def chat(run):
    """The messages and tools of a chat completions request."""
    tools = [chat_tool(tool) for tool in run["tools"]]
    return {"messages": list(map(_message, run["messages"])), **({"tools": tools} if tools else {})}


def _message(message):
    if message["role"] == "tool":
        return {"role": "tool", "tool_call_id": message["callId"], "content": message["content"]}
    if message["role"] != "assistant":
        return message
    calls = [
        {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}
        for id_, name, arguments in calls_in(message["content"])
    ]
    said = {"role": "assistant", "content": text_in(message["content"]) or None}
    return {**said, "tool_calls": calls} if calls else said


def text_in(parts):
    """The joined text of some parts."""
    deltas = {"text": "value", "text-delta": "delta"}
    return "".join(part[deltas[part["type"]]] for part in parts if part["type"] in deltas)


def calls_in(parts):
    """The calls that a host could run: id, name, and arguments as JSON text."""
    for part in parts:
        if part["type"] == "toolCall":
            yield part["callId"], part["name"], json.dumps(part["input"])
        elif part["type"] == "tool-call" and _runs(part):
            yield part["toolCallId"], part["toolName"], part["input"]


def _runs(call):
    """Whether a host would run a call: its own, if the arguments are a JSON object."""
    try:
        own = not call.get("providerExecuted")
        return own and isinstance(json.loads(call["input"] or "{}"), dict)
    except ValueError:
        return False


def chat_tool(tool):
    """A tool of chat completions: a function, a custom tool, or one that the upstream runs."""
    match tool.get("type", "function"):
        case "function":
            names = {"name": "name", "description": "description", "parameters": "input_schema"}
            return {"type": "function", "function": {k: tool[v] for k, v in names.items()}}
        case "custom":
            return {"type": "custom", "custom": {k: tool[k] for k in ("name", "description")}}
        case hosted:
            return {"type": hosted, **tool["options"]}


def responses_tool(tool):
    """A tool of the Responses API: a function, a custom tool, or one that the upstream runs."""
    match tool.get("type", "function"):
        case "function":
            known = {"name": tool["name"], "description": tool["description"], "strict": False}
            return {"type": "function", **known, "parameters": tool["input_schema"]}
        case "custom":
            known = {"name": tool["name"], "description": tool["description"]}
            return {"type": "custom", **known, **tool.get("options", {})}
        case hosted:
            return {"type": hosted, **tool["options"]}


def items(messages):
    """The messages as input items of the Responses API."""
    for message in messages:
        if message["role"] == "tool":
            plain = {"type": "function_call_output", "output": message["content"]}
            yield {**message.get("output", plain), "call_id": message["callId"]}
        elif message["role"] == "approval":
            yield approval(message)
        elif message["role"] != "assistant":
            yield message
        else:
            yield from _said(message["content"])


def approval(message):
    """The host's answer to an approval request, as an input item."""
    answer = {name: message[name] for name in ("approve", "reason") if name in message}
    return {"type": "mcp_approval_response", "approval_request_id": message["approvalId"], **answer}


def _said(parts):
    """The text, the calls and the items of an assistant's message, as input items."""
    if text := text_in(parts):
        yield {"role": "assistant", "content": text}
    for id_, name, arguments in calls_in([part for part in parts if "item" not in part]):
        yield {"type": "function_call", "call_id": id_, "name": name, "arguments": arguments}
    yield from (part["item"] for part in parts if "item" in part)
