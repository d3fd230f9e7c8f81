"""The calls of a message of LangChain, and the exceptions by which it reports a failure."""

import json

from failures import require_plain


def emit_calls(whole, emit):
    """Emit the calls of the sum of all chunks."""
    for call in whole.tool_calls:
        emit(tool_call(call, json.dumps(call["args"])))
    for call in whole.invalid_tool_calls:
        if call["name"] and call["id"]:
            emit(tool_call(call, call["args"] or ""))


def tool_call(call, input_):
    """A call part; a missing id or name becomes an empty one."""
    id_, name = call["id"] or "", call["name"] or ""
    return {"type": "tool-call", "toolCallId": id_, "toolName": name, "input": input_}


def reason_of(error):
    """The kind, message and code of an exception that reports a failure.

    The library raises a plain ValueError for a failed response, an error event and an empty answer.
    Its subclasses, such as those of a JSON decoder or of validation, are raised again.
    """
    if isinstance(error, ValueError):
        require_plain(error, ValueError)
    return "upstream", str(error), getattr(error, "code", None)
