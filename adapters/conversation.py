"""Converts the messages and tools of a drive/1 run to requests of the APIs.

In a run, an assistant's message is the parts that the binding emitted, in the vocabulary `vscode`
or `stream`. Its text goes back as one text and its calls with the upstream's ids; other parts do
not go back.
"""

import json


def chat(run):
    """The messages and tools of a chat completions request."""
    tools = [_tool(tool) for tool in run["tools"]]
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
        elif part["type"] == "tool-call" and _runs(part["input"]):
            yield part["toolCallId"], part["toolName"], part["input"]


def _runs(arguments):
    """Whether a host would run a call: only if its arguments are a JSON object."""
    try:
        return isinstance(json.loads(arguments or "{}"), dict)
    except ValueError:
        return False


def _tool(tool):
    """A tool of the request: a function, a custom tool, or one that the upstream runs."""
    match tool.get("type", "function"):
        case "function":
            names = {"name": "name", "description": "description", "parameters": "input_schema"}
            return {"type": "function", "function": {k: tool[v] for k, v in names.items()}}
        case "custom":
            return {"type": "custom", "custom": {k: tool[k] for k in ("name", "description")}}
        case hosted:
            return {"type": hosted, **tool["options"]}


def items(messages):
    """The messages as input items of the Responses API."""
    for message in messages:
        if message["role"] == "tool":
            answer = {"call_id": message["callId"], "output": message["content"]}
            yield {"type": "function_call_output", **answer}
        elif message["role"] != "assistant":
            yield message
        else:
            yield from _said(message["content"])


def _said(parts):
    """The text and the calls of an assistant's message, as input items."""
    if text := text_in(parts):
        yield {"role": "assistant", "content": text}
    for id_, name, arguments in calls_in(parts):
        yield {"type": "function_call", "call_id": id_, "name": name, "arguments": arguments}
